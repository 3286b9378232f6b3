// Who imports the helper has all of it: a deck's own types are in a module without a test framework.
@_exported public import TapedeckTestingCore
