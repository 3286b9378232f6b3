-- Prints what a URL answers, by LuaSocket and LuaSec with the system's roots.
local url, parts = arg[1], {}
local library = require(url:match("^https") and "ssl.https" or "socket.http")
local request = { url = url, sink = require("ltn12").sink.table(parts) }
if url:match("^https") then
    request.verify, request.cafile = "peer", "/etc/ssl/certs/ca-certificates.crt"
end
assert(select(2, library.request(request)) == 200)
io.write(table.concat(parts))
