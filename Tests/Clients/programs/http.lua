-- Prints what a URL answers, by lua-http.
local headers, stream = assert(require("http.request").new_from_uri(arg[1]):go(20))
assert(headers:get(":status") == "200")
io.write(stream:get_body_as_string())
