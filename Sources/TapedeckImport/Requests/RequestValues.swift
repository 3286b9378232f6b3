/// Values for the placeholders of requests that the files do not have.
package struct RequestValues: Sendable {
    /// The name of the environment to use, of several that a file has; `nil` uses one that is alone or the default.
    package var environment: String?
    /// Values by the name of the variable. They override those of the files.
    package var variables: [String: String] = [:]

    package init(environment: String? = nil, variables: [String: String] = [:]) {
        self.environment = environment
        self.variables = variables
    }

    /// The reason for which a variable of an environment that is not used has no value.
    static func unused(_ name: some StringProtocol, of count: Int) -> UnfilledPlaceholder {
        UnfilledPlaceholder("\(UnfilledPlaceholder.undefined(name).reason): none of \(count) environments is chosen")
    }
}
