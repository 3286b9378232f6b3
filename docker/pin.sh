#!/usr/bin/env bash
# Pins the base images of docker/Dockerfile to the digests that their tags have today, or renews the pins.
#
#     docker/pin.sh [REGISTRY]
#
# Needs skopeo and a registry that can be reached: docker.io/library, unless REGISTRY names a mirror. Commit the result; after it,
# two builds have the same bases until the next run.
set -euo pipefail
cd "$(dirname "$0")"
registry=${1:-docker.io/library}

for name in SWIFT_IMAGE RUNTIME_IMAGE; do
    image=$(sed -n "s/^ARG $name=\([^@]*\).*/\1/p" Dockerfile)
    digest=$(skopeo inspect --format '{{.Digest}}' "docker://$registry/$image")
    sed -i "s|^ARG $name=.*|ARG $name=$image@$digest|" Dockerfile
    echo "$image@$digest"
done
