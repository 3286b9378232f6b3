package import TapedeckCore

extension CassetteStore {
    /// The reason why a cassette does not say what was learned.
    package enum LearningError: Error, CustomStringConvertible {
        /// It is being recorded or changed; it may be tried again.
        case busy(any Error)
        case failed(any Error)

        package var description: String {
            switch self {
            case .busy(let error), .failed(let error): "\(error)"
            }
        }
    }

    /// Notes in a cassette that places of its recorded requests vary. Everything else in the file stays.
    ///
    /// - Parameter places: by the names of response sets. Sets that the cassette no longer has are left out.
    package func learn(_ places: [String: [VaryingPlace]], in location: CassetteLocation) throws(LearningError) {
        let (old, new): ([UInt8], [UInt8])
        do {
            let result = try self.check(location)
            guard !result.hasErrors else { throw CassetteError(result.diagnostics.filter { $0.severity == .error }) }
            let names = Set(result.cassette.responseSets.map(\.name))
            var text = EditedText(result)
            try text.make(.addVarying(places.filter { names.contains($0.key) }))
            (old, new) = (result.source, text.source)
        } catch {
            throw .failed(error)
        }
        guard new != old else { return }
        do {
            try self.replace(location, from: old, with: new)
        } catch let error as CassetteError {
            throw .busy(error)
        } catch {
            throw .failed(error)
        }
    }
}
