import InkstoneText

/// The rows and columns that two versions of a table have in common.
struct MarkdownTableMatch {
    /// For each new column the index of the old one; nil for an inserted column. In ascending order.
    let columns: [Int?]
    /// For each new row the index of the old one; nil for an inserted row. In ascending order.
    let rows: [Int?]

    /// The maximum number of comparisons of cells for pairing rows or columns. If more would be needed, only the equal
    /// ones at both ends are paired, and those between them by index if both versions have as many.
    private static let mostComparisons = 1 << 22

    /// Creates the match of two versions of a table: pairs the columns that have the most cells in common, and then the
    /// rows.
    ///
    /// - Parameters:
    ///   - old: the rows of the old table; each has `oldColumns` cells.
    ///   - new: the rows of the new table; each has `newColumns` cells.
    init(_ old: [[[MarkdownInline]]], _ oldColumns: Int, _ new: [[[MarkdownInline]]], _ newColumns: Int) {
        // Equal cells get equal numbers. Cells without text get 0, because they count less.
        var numbers: [[MarkdownInline]: Int] = [[]: 0]
        func numbered(_ rows: [[[MarkdownInline]]]) -> [[Int]] {
            rows.map { row in
                row.map { cell in
                    if let known = numbers[cell] { return known }
                    numbers[cell] = numbers.count
                    return numbers.count - 1
                }
            }
        }
        let (old, new) = (numbered(old), numbered(new))
        func columns(_ rows: [[Int]], _ count: Int) -> [[Int]] {
            (0..<count).map { column in rows.map { $0.indices.contains(column) ? $0[column] : 0 } }
        }
        let (oldCells, newCells) = (columns(old, oldColumns), columns(new, newColumns))
        let (oldSorted, newSorted) = (oldCells.map { $0.sorted() }, newCells.map { $0.sorted() })
        let columns = Self.pairs(
            oldCells.count, newCells.count, cost: old.count + new.count,
            isEqual: { old.count == new.count && oldCells[$0] == newCells[$1] },
            score: { Self.commonWeight(oldSorted[$0], newSorted[$1]) })
        let common = columns.indices.compactMap { new in columns[new].map { (old: $0, new: new) } }
        self.columns = columns
        rows = Self.pairs(
            old.count, new.count, cost: max(1, common.count),
            isEqual: { row, other in common.allSatisfy { old[row][$0.old] == new[other][$0.new] } },
            score: { row, other in
                common.reduce(0) { sum, pair in
                    let number = old[row][pair.old]
                    return sum + (number != new[other][pair.new] ? 0 : number == 0 ? 1 : 4)
                }
            })
    }

    /// Returns the weight of the numbers that two sorted arrays have in common: 1 for each 0 (an empty cell), 4 for any
    /// other number.
    private static func commonWeight(_ a: [Int], _ b: [Int]) -> Int {
        var (i, j, weight) = (0, 0, 0)
        while i < a.count, j < b.count {
            if a[i] == b[j] {
                weight += a[i] == 0 ? 1 : 4
                (i, j) = (i + 1, j + 1)
            } else if a[i] < b[j] {
                i += 1
            } else {
                j += 1
            }
        }
        return weight
    }

    /// Returns for each new element the old one it is paired with: equal ones at both ends, and between them those with
    /// the highest sum of scores.
    ///
    /// - Parameter cost: the number of comparisons that a score takes.
    private static func pairs(
        _ old: Int, _ new: Int, cost: Int, isEqual: (Int, Int) -> Bool, score: (Int, Int) -> Int
    ) -> [Int?] {
        let most = min(old, new)
        var low = 0
        while low < most, isEqual(low, low) { low += 1 }
        var tail = 0
        while tail < most - low, isEqual(old - 1 - tail, new - 1 - tail) { tail += 1 }
        let (height, width) = (old - tail - low, new - tail - low)
        var middle = [Int?](repeating: nil, count: width)
        if height > 0, width > 0, height * width <= mostComparisons / cost {
            // For each pair of indices, the greatest sum that the elements from there on can have. A pair counts 1 even
            // if its score is 0, so that elements without a common cell are paired too.
            var sums = [Int](repeating: 0, count: (height + 1) * (width + 1))
            func at(_ i: Int, _ j: Int) -> Int { i * (width + 1) + j }
            for i in (0..<height).reversed() {
                for j in (0..<width).reversed() {
                    let both = sums[at(i + 1, j + 1)] + 1 + 2 * score(low + i, low + j)
                    sums[at(i, j)] = max(both, sums[at(i + 1, j)], sums[at(i, j + 1)])
                }
            }
            var (i, j) = (0, 0)
            while i < height, j < width {
                if sums[at(i, j)] == sums[at(i + 1, j + 1)] + 1 + 2 * score(low + i, low + j) {
                    middle[j] = low + i
                    (i, j) = (i + 1, j + 1)
                } else if sums[at(i, j)] == sums[at(i + 1, j)] {
                    i += 1
                } else {
                    j += 1
                }
            }
        } else if height == width {
            middle = (0..<width).map { low + $0 }
        }
        return (0..<low).map { $0 } + middle + (old - tail..<old).map { $0 }
    }
}
