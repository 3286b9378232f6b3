// Importing the helper imports all of it: a deck's own types are in a module without a test framework.
@_exported public import TapedeckTestingCore
