#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking

/// The parts of a task that a URL protocol needs and that Foundation on Linux does not expose: its session, the body of
/// an upload, the queue of its callbacks.
///
/// It is read by reflection, from properties that are constant or guarded by the queue that a protocol is started on.
/// If one is not found, as in another version of Foundation, the caller gets `nil` and says so: nothing is guessed.
struct TaskInsides {
    let session: URLSession?
    /// The queue on which Foundation handles this task; its protocol is started on it.
    let queue: DispatchQueue?
    let body: Body
    /// True if the data is wanted in one piece at the end; `nil` if that cannot be determined.
    let wantsWhole: Bool?

    enum Body {
        /// The task has no delegate.
        case none
        case found(RequestBody)
        /// There may be one, but it is not accessible.
        case hidden
    }

    init(_ task: URLSessionTask) {
        let session = Self.property("session", of: task) as? URLSession
        self.session = session
        self.queue = Self.property("workQueue", of: task) as? DispatchQueue
        self.body = Self.body(of: task)
        self.wantsWhole = session.flatMap { Self.wantsWhole(task, $0) }
    }

    private static func body(of task: URLSessionTask) -> Body {
        guard let known = self.property("knownBody", of: task) else { return .hidden }
        guard let body = self.unwrapped(known) else { return .none }
        guard let payload = Mirror(reflecting: body).children.first else {
            return "\(body)" == "none" ? .none : .hidden
        }
        switch (payload.label, payload.value) {
        case ("data", let data as DispatchData):
            var bytes = Data(capacity: data.count)
            data.enumerateBytes { piece, _, _ in bytes.append(piece) }
            return .found(.data(bytes))
        case ("data", let data as Data): return .found(.data(data))
        case ("file", let url as URL): return .found(.file(url))
        case ("stream", let stream as InputStream): return .found(.stream(RequestBody.BodyStream(stream)))
        default: return .hidden
        }
    }

    /// Returns true if the session passes a task's data to a completion handler, which gets the last piece only, so
    /// that all must come last.
    private static func wantsWhole(_ task: URLSessionTask, _ session: URLSession) -> Bool? {
        guard let registry = self.property("taskRegistry", of: session),
            let behaviours = self.property("behaviours", of: registry)
        else { return nil }
        for child in Mirror(reflecting: behaviours).children {
            let pair = Mirror(reflecting: child.value).children.map(\.value)
            guard pair.count == 2, pair[0] as? Int == task.taskIdentifier else { continue }
            let label = Mirror(reflecting: pair[1]).children.first?.label ?? "\(pair[1])"
            return label.contains("ompletionHandler")
        }
        return nil
    }

    /// A stored property of an object, its own or an inherited one.
    static func property(_ name: String, of object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            if let child = level.children.first(where: { $0.label == name }) { return child.value }
            mirror = level.superclassMirror
        }
        return nil
    }

    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}
#endif
