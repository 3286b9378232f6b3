#!/usr/bin/env bash
# Runs COMMAND behind `tapedeck MODE CASSETTES OPTIONS --`.
set -euo pipefail
read -r -a cassettes <<<"$CASSETTES"
# Quoted as in a shell, but nothing is expanded.
mapfile -t options < <(xargs -r -n 1 printf '%s\n' <<<"$OPTIONS")
case $MODE in
replay | append | record) ;;
*)
    echo "::error::The input \`mode\` is replay, append or record, not \"$MODE\"."
    exit 64
    ;;
esac
if [ ${#cassettes[@]} = 0 ]; then
    echo "::error::The input \`run\` needs \`cassettes\`, the names of those to play."
    exit 64
fi
exec tapedeck "$MODE" "${cassettes[@]}" "${options[@]}" -- bash -euo pipefail -c "$COMMAND"
