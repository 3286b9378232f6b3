extension Answer {
    /// A response that the test has in its hands, such as what the tape said, changed.
    public static func response(_ response: StubResponse) -> Answer {
        .status(200)
    }
}
