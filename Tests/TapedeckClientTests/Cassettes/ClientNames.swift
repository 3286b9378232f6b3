import TapedeckClient

// Both the deck's model and the client have types of these names; here they are the client's.
typealias Cassette = TapedeckClient.Cassette
typealias ResponseSet = TapedeckClient.ResponseSet
typealias Variant = TapedeckClient.Variant
typealias RequestMatcher = TapedeckClient.RequestMatcher
typealias ValueMatcher = TapedeckClient.ValueMatcher
typealias Fault = TapedeckClient.Fault
