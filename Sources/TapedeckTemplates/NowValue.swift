import Mustache
import TapedeckCore

/// `now` in a template, and what offsets make of it. As a section it holds a format: ``TemplateSkeleton`` sees to that.
struct NowValue: MustacheCustomRenderable, MustacheParent {
    let instant: Instant

    var renderText: String { self.instant.rfc3339 }
    var isNull: Bool { false }

    func child(named part: String) -> Any? {
        if let offset = NowName.offset(part) {
            return Self(instant: self.instant.advanced(byMilliseconds: offset))
        }
        return NowName.formats[part].map { TextValue(self.instant.text($0)) }
    }
}
