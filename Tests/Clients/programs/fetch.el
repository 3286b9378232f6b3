;;; Prints what a URL answers, by Emacs's url library.  -*- lexical-binding: t -*-
(require 'url)
(with-current-buffer (url-retrieve-synchronously (pop command-line-args-left))
  (goto-char url-http-end-of-headers)
  (princ (buffer-substring (point) (point-max))))
