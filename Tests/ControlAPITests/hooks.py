"""What schemathesis is told before it asks: an archive goes out as the bytes that it makes up."""

import schemathesis

schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
