extension AttributeRuns {
    /// Runs from successive ones, with their lengths in UTF-16 units; equal neighbours are merged. O(n).
    package init(ids runs: [(length: Int, id: AttributeID)]) { self.init(runs) }
}
