-- For wrk: asks for the lines of the file PATHS, "HOST PATH", one after the other, in absolute form where ABSOLUTE is set, and
-- prints one RESULT line for patterns.py. The requests are made beforehand, so that each costs wrk a look-up.

local requests = {}
local number = 0

function init()
    local absolute = os.getenv("ABSOLUTE")
    for line in io.lines(os.getenv("PATHS")) do
        local host, path = line:match("^(%S+) (%S+)$")
        requests[#requests + 1] = wrk.format("GET", (absolute and "http://" .. host or "") .. path, { ["Host"] = host })
    end
end

function request()
    number = number % #requests + 1
    return requests[number]
end

function done(summary)
    local errors = summary.errors
    local broken = errors.connect + errors.read + errors.write + errors.timeout + errors.status
    print(string.format("RESULT %d %d", summary.requests, broken))
end
