extension RandomAccessCollection {
    /// Returns the index of the first element that satisfies a condition, or the end index. The condition must also
    /// hold for all elements after the first one. O(log n).
    @inlinable
    package func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Index {
        var low = startIndex
        var count = self.count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if try isBehind(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
