%% Prints what a URL answers, by the client of Erlang/OTP, with the system's roots.
-module(fetch).
main([Url]) ->
    {ok, _} = application:ensure_all_started(inets),
    {ok, _} = application:ensure_all_started(ssl),
    Host = maps:get(host, uri_string:parse(Url)),
    Tls = [{verify, verify_peer}, {cacerts, public_key:cacerts_get()}, {server_name_indication, Host},
           {customize_hostname_check, [{match_fun, public_key:pkix_verify_hostname_match_fun(https)}]}],
    {ok, {{_, 200, _}, _, Body}} = httpc:request(get, {Url, []}, [{ssl, Tls}], []),
    io:put_chars(Body).
