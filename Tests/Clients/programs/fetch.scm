;; Prints what a URL answers, by Guile's web client.
(use-modules (web client) (rnrs bytevectors))
(call-with-values
  (lambda () (http-get (cadr (command-line))))
  (lambda (response body) (display (if (bytevector? body) (utf8->string body) body))))
