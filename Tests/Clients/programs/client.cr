# Prints what a URL answers.
require "http/client"

response = HTTP::Client.get(ARGV[0])
print response.body
exit response.success? ? 0 : 1
