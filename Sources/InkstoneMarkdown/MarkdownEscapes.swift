/// The removal of backslashes before punctuation that the source of a block does not need.
enum MarkdownEscapes {
    /// The maximum length of a block in bytes, and the maximum number of its backslashes, for which each backslash is
    /// removed on trial.
    private static let (mostBytes, mostTried) = (4096, 16)

    /// Returns the lines of a block without the backslashes that do not change how the block is read. First tries to
    /// remove all backslashes before the same character, so that other programs find `[[links]]` and `$x_1$` as they
    /// were typed; then, in a short block, each backslash separately, from the last to the first.
    ///
    /// - Parameters:
    ///   - isTable: whether the block is a table. Backslashes before bars are kept then: md4c does not need them in
    ///     links and pictures, but GitHub ends a cell at each bar without one.
    ///   - isRead: whether reading the lines gives the block. Called at most once for each kind of punctuation and for
    ///     each backslash in a short block.
    static func needed(in lines: [String], isTable: Bool, _ isRead: ([String]) -> Bool) -> [String] {
        var bytes = lines.map { Array($0.utf8) }
        var places = bytes.map { line in escapes(in: line).filter { !(isTable && line[$0 + 1] == 0x7c) } }
        func texts(_ bytes: [[UInt8]]) -> [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }
        /// Removes some backslashes, if the lines are then still read as the same block.
        func leaveOut(_ isGone: (_ line: Int, _ place: Int) -> Bool) {
            var (shorter, kept) = (bytes, places)
            for line in bytes.indices {
                let gone = places[line].filter { isGone(line, $0) }
                if gone.isEmpty { continue }
                (shorter[line], kept[line]) = ([], [])
                var (start, next) = (0, gone[...])
                for place in places[line] {
                    guard place == next.first else {
                        kept[line].append(place - (gone.count - next.count))
                        continue
                    }
                    shorter[line] += bytes[line][start..<place]
                    (start, next) = (place + 1, next.dropFirst())
                }
                shorter[line] += bytes[line][start...]
            }
            if kept != places, isRead(texts(shorter)) { (bytes, places) = (shorter, kept) }
        }
        let signs = Set(places.indices.flatMap { line in places[line].map { bytes[line][$0 + 1] } })
        // Try `]` before `[`: if a text in brackets needs one of its two backslashes, the opening bracket keeps it.
        for sign in signs.sorted(by: >) { leaveOut { bytes[$0][$1 + 1] == sign } }
        if bytes.reduce(0, { $0 + $1.count }) <= mostBytes, places.reduce(0, { $0 + $1.count }) <= mostTried {
            for line in places.indices.reversed() {
                for place in places[line].reversed() { leaveOut { $0 == line && $1 == place } }
            }
        }
        return texts(bytes)
    }

    /// Returns the offsets of the backslashes that precede punctuation and are not themselves escaped.
    private static func escapes(in line: [UInt8]) -> [Int] {
        var result: [Int] = []
        var at = 0
        while at + 1 < line.count {
            guard line[at] == 0x5c, isPunctuation(line[at + 1]) else {
                at += 1
                continue
            }
            result.append(at)
            at += 2
        }
        return result
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }
}
