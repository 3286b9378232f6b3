import TapedeckCore

extension BrunoReader {
    func side(_ path: String) -> [UInt8]? {
        self.file.side(self.root + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path))
    }

    /// Returns the files of the collection with an ending, without those of collections within it.
    func files(ending: String, ignoring ignored: ForeignNode?) -> [String] {
        let all = self.file.siblings().filter { $0.hasPrefix(self.root) }.map { String($0.dropFirst(self.root.count)) }
        let inner = all.filter { $0.hasSuffix("/bruno.json") || $0.hasSuffix("/opencollection.yml") }
            .map { $0.split(separator: "/").dropLast().joined(separator: "/") + "/" }
        let names = Set(["node_modules"] + (ignored?.items ?? []).compactMap(\.text))
        return all.filter { path in
            path.hasSuffix(ending) && !inner.contains { path.hasPrefix($0) }
                && !path.split(separator: "/").contains { names.contains(String($0)) }
        }
    }

    static func isEnvironment(_ path: String) -> Bool {
        path.hasPrefix("environments/")
    }

    static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex))
    }

    static func node(_ bytes: [UInt8]) throws(LeftOut) -> ForeignNode {
        do throws(ForeignError) {
            guard let node = try ForeignNode.documents(of: bytes).first, node.isMap else {
                throw ForeignError(message: "it is no map", line: 1, column: 1)
            }
            return node
        } catch {
            throw LeftOut(error.message, line: error.line)
        }
    }
}
