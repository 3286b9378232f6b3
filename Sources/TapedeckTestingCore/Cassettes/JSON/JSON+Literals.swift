extension Tapedeck.JSON: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension Tapedeck.JSON: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self.init(value)
    }
}

extension Tapedeck.JSON: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension Tapedeck.JSON: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) {
        self.init(value)
    }
}

extension Tapedeck.JSON: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Tapedeck.JSON: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Tapedeck.JSON...) {
        self.init(elements)
    }
}

extension Tapedeck.JSON: ExpressibleByDictionaryLiteral {
    /// Members keep their order.
    public init(dictionaryLiteral elements: (String, Tapedeck.JSON)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}
