/// Users of the model need the values of JSON bodies.
@_exported public import TapedeckJSON
