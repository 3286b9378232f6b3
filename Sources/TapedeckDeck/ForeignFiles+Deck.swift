import TapedeckCassettes
import TapedeckControlAPI
import TapedeckControlServer
import TapedeckCore
import TapedeckImport
import TapedeckSessions

extension ForeignFiles {
    /// Files of other tools for a deck of this configuration, with its rules of what is secret.
    init(_ configuration: DeckConfiguration) {
        self.init(
            stem: { ImportFile.stem(of: $0) },
            take: { upload in
                var options = CassetteImport.Options(paths: [])
                options.format = upload.format
                options.out = upload.location.path
                options.appends = upload.appends
                do throws(DeckError) {
                    let now = Int(Instant.now.seconds)
                    return try CassetteImport(
                        upload.bytes,
                        named: upload.name,
                        options,
                        configuration: configuration,
                        now: now
                    ).report
                } catch {
                    throw Failure(error)
                }
            },
            give: { location, name in
                do throws(DeckError) {
                    let format = try CassetteExport.format(name)
                    let export = try CassetteExport(location, format: format)
                    return Download(
                        bytes: export.bytes,
                        mediaType: format.mediaType,
                        ending: format.ending,
                        report: export.report
                    )
                } catch {
                    throw Failure(error)
                }
            }
        )
    }
}

extension ForeignFiles.Failure {
    fileprivate init(_ error: DeckError) {
        if let file = error.file {
            self = .file(file)
        } else {
            switch error.kind {
            case .badOption: self = .badRequest(error.description)
            case .unusableCassette: self = .badCassette(error.description)
            case .cannotStart, .notSaved, .unknownSecrets: self = .notSaved(error.description)
            }
        }
    }
}
