/// The growth of the store's figures with the size of the text, beside their targets.
struct StoreGrowth {
    /// The sizes that are measured, in megabytes.
    static let sizes = [10, 100, 1000]

    /// The figures for each size, by name.
    var figures: [[String: Double]]

    /// The targets in the units of the figures: at 100 MB, and at 1 GB for some figures. The target of a speed is a
    /// minimum, any other target is a maximum.
    private static let targets: [(name: String, unit: String, most: Double, atLargest: Double?)] = [
        ("read-and-index", "ms", 200, 4000), ("read-and-index-processor", "ms", 200, 4000),
        ("memory-per-text", "x", 1.2, 1.2),
        ("memory-per-text-after-edits", "x", 1.2, 1.2),
        ("byte-to-utf16", "ns", 2000, nil), ("utf16-to-byte", "ns", 2000, nil), ("scalar-to-utf16", "ns", 2000, nil),
        ("paragraph-to-byte", "ns", 2000, nil), ("byte-to-paragraph", "ns", 2000, nil),
        ("random-insert", "ns", 3000, 5000), ("store-random-insert-with-undo", "ns", 3000, 5000),
        ("snapshot-and-first-edit", "ns", 20_000, nil), ("million-sequential-inserts", "ms", 300, nil),
        ("search-literal", "GB/s", 1, 1), ("search-literal-japanese", "GB/s", 1, 1),
    ]

    /// Prints a table with a line for each figure and a column for each size, and then the growth for each tenfold
    /// size. An operation of O(log n) grows by a few tenths, an operation of O(n) tenfold.
    func show() {
        let head = ["", "unit"] + Self.sizes.map { "\($0) MB" } + ["x10", "x10", "at 100 MB, 1 GB"]
        print("\n" + row(head))
        for target in Self.targets {
            let values = figures.map { $0[target.name] ?? .nan }
            let growth = zip(values, values.dropFirst()).map { Stopwatch.format($1 / $0, "") }
            let speed = target.unit == "GB/s"
            func verdict(_ value: Double, _ limit: Double) -> String {
                let isMet = speed ? value >= limit : value <= limit
                return "\(speed ? "≥" : "≤") \(Stopwatch.format(limit, "")) \(isMet ? "met" : "MISSED")"
            }
            let aims = [verdict(values[1], target.most), target.atLargest.map { verdict(values[2], $0) } ?? ""]
            print(
                row([target.name, target.unit] + values.map { Stopwatch.format($0, "") } + growth)
                    + aims.joined(separator: "  "))
        }
        print("")
    }

    private func row(_ cells: [String]) -> String {
        cells.enumerated().map { $1.padded($0 == 0 ? 32 : 10) }.joined()
    }
}
