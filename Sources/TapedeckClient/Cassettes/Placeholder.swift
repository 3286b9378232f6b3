import Foundation
// Stands in until the real ones are merged.
public struct RequestMatcher: Sendable, CustomStringConvertible { package var json: String; public var description: String
  public static func get(_ t: String) -> Self { Self(json: "{\"method\":\"GET\",\"url\":\"\(t)\"}", description: "GET \(t)") }
  public static func post(_ t: String) -> Self { Self(json: "{\"method\":\"POST\",\"url\":\"\(t)\"}", description: "POST \(t)") } 
  public static func any(_ t: String) -> Self { Self(json: "{\"url\":\"\(t)\"}", description: t) } }
public struct Answer: Sendable { package var takeJSON: String?
  package func json(variantName: String) -> String { "{\"name\":\"\(variantName)\",\"takes\":[\(takeJSON ?? "{}")]}" }
  public static func status(_ s: Int) -> Answer { Answer(takeJSON: "{\"status\":\(s)}") }
  public static func text(_ t: String, status: Int = 200, headers: [String: String] = [:]) -> Answer { Answer(takeJSON: "{\"status\":\(status),\"body\":{\"text\":\"\(t)\"}}") } }
public struct ResponseSet: Sendable { public var name: String; package var json: String }
public struct Cassette: Sendable { public var yaml: String; public init(yaml: String) { self.yaml = yaml } }
public struct JSON: Sendable { init(parsing: String) throws {} }
