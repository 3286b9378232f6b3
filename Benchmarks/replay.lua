-- For wrk: asks for TARGET in absolute form where it is set, and prints one RESULT line for replay.sh.
-- There is no `request` function on purpose: wrk then builds the request once, and runs no Lua per request.

local target = os.getenv("TARGET") or ""
if target ~= "" then
    wrk.path = target
    wrk.headers["Host"] = target:match("^http://([^/]+)")
end

function done(summary, latency)
    local errors = summary.errors
    local broken = errors.connect + errors.read + errors.write + errors.timeout
    if broken > 0 or errors.status > 0 then
        print(string.format("RESULT error: %d socket errors, %d answers of status 400 or more", broken, errors.status))
        return
    end
    -- wrk does not count 3xx or short answers as errors; their size gives them away.
    local expected = summary.requests * tonumber(os.getenv("RESPONSE_SIZE"))
    if summary.requests == 0 or math.abs(summary.bytes - expected) > expected * 0.01 + 1e6 then
        print(string.format("RESULT error: %d requests, %d bytes instead of %d", summary.requests, summary.bytes, expected))
        return
    end
    print(string.format("RESULT %d %.6f %d %d", summary.requests, summary.duration / 1e6,
        latency:percentile(50), latency:percentile(99)))
end
