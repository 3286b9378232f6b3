extension JSONPath {
    /// Where the values stand that the path selects: from the root down, which member or item each time, from 0.
    package func places(in value: JSONValue) -> [[Int]] {
        var search = JSONPathSearch(root: value, keepsPlaces: true)
        let nodes = search.run(self.segments)
        return nodes.map { node in
            var steps: [Int] = []
            var place = node.place
            while place > 0 {
                steps.append(search.places[place].index)
                place = search.places[place].parent
            }
            return steps.reversed()
        }
    }
}
