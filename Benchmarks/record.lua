-- For wrk: asks for another item of ORIGIN each time, in absolute form where ABSOLUTE is set, and prints one RESULT line for
-- record.py.

local origin = os.getenv("ORIGIN")
local prefix = os.getenv("ABSOLUTE") and ("http://" .. origin) or ""
local headers = { ["Host"] = origin }
local number = 0

function request()
    number = number + 1
    return wrk.format("GET", prefix .. "/items/" .. number, headers)
end

function done(summary, latency)
    local errors = summary.errors
    local broken = errors.connect + errors.read + errors.write + errors.timeout + errors.status
    print(string.format("RESULT %d %d", summary.requests, broken))
end
