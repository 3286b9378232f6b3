# Prints what a URL answers, by Erlang's client with the system's roots.
Enum.each([:inets, :ssl], &Application.ensure_all_started/1)
[url] = System.argv()
host = String.to_charlist(URI.parse(url).host)

tls = [
  verify: :verify_peer,
  cacerts: :public_key.cacerts_get(),
  server_name_indication: host,
  customize_hostname_check: [match_fun: :public_key.pkix_verify_hostname_match_fun(:https)]
]

{:ok, {{_, 200, _}, _, body}} = :httpc.request(:get, {String.to_charlist(url), []}, [ssl: tls], [])
IO.write(body)
