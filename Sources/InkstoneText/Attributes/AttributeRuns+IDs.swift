extension AttributeRuns {
    /// Creates runs with the given lengths in UTF-16 units and attributes, in order. Equal neighbours are merged. O(n).
    package init(ids runs: [(length: Int, id: AttributeID)]) { self.init(runs) }
}
