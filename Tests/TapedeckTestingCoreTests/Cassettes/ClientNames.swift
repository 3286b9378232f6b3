import TapedeckTestingCore

// Both the deck's model and the client have types of these names; here they are the client's.
typealias Cassette = TapedeckTestingCore.Cassette
typealias ResponseSet = TapedeckTestingCore.ResponseSet
typealias Variant = TapedeckTestingCore.Variant
typealias RequestMatcher = TapedeckTestingCore.RequestMatcher
typealias ValueMatcher = TapedeckTestingCore.ValueMatcher
