% Prints what a URL answers, by SWI-Prolog's http_open.
:- use_module(library(http/http_open)).
main([Url|_]) :-
    setup_call_cleanup(http_open(Url, In, []), copy_stream_data(In, user_output), close(In)).
