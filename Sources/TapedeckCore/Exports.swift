/// Whoever has the model has the values of JSON bodies.
@_exported public import TapedeckJSON
