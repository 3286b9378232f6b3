# Prints what a URL answers.
import std/[httpclient, os]

stdout.write newHttpClient().getContent(paramStr(1))
