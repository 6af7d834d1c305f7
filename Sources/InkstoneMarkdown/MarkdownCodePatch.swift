/// The source of an edited code block. Lines that were not edited keep their bytes, and the others get the indentation of
/// the block.
struct MarkdownCodePatch {
    private let lines: [String]
    /// The lines before those of the code, these, and the lines behind them, each with its line end.
    private let opening: [ArraySlice<UInt8>]
    private let code: [ArraySlice<UInt8>]
    private let closing: [ArraySlice<UInt8>]
    /// The indentation of a line of the code.
    private let indent: [UInt8]

    /// Creates the patch of a code block with its lines; nil for any other block, and if the lines of the code are not
    /// known.
    init?(_ block: MarkdownBlock, _ source: ArraySlice<UInt8>) {
        guard case .code(_, let lines) = block else { return nil }
        var all: [ArraySlice<UInt8>] = []
        var rest = source
        while let end = rest.firstIndex(of: 0xa) {
            all.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { all.append(rest) }
        guard let first = all.first else { return nil }
        let blanks = first.prefix { $0 == 0x20 }
        let mark = first.dropFirst(blanks.count).prefix(3)
        let isFenced = blanks.count < 4 && mark.count == 3 && [0x60, 0x7e].contains(mark.first) && Set(mark).count == 1
        let code = all.dropFirst(isFenced ? 1 : 0).prefix(lines.count)
        guard code.count == lines.count,
            zip(code, lines).allSatisfy({ Self.text($0).reversed().starts(with: $1.utf8.reversed()) })
        else { return nil }
        self.lines = lines
        (opening, self.code) = (Array(all.prefix(isFenced ? 1 : 0)), Array(code))
        closing = Array(all.dropFirst(opening.count + code.count))
        guard isFenced ? !closing.isEmpty : closing.isEmpty else { return nil }
        let known = zip(code, lines).first { !$1.isEmpty }
        indent = isFenced ? Array(blanks) : known.map { Array(Self.text($0).dropLast($1.utf8.count)) } ?? []
    }

    /// Returns the source of the block with other lines of code; nil if that is no code.
    func source(for block: MarkdownBlock, _ newline: String) -> [UInt8]? {
        guard case .code(_, let new) = block else { return nil }
        let low = zip(lines, new).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let most = min(lines.count, new.count) - low
        let tail = zip(lines.reversed(), new.reversed()).prefix(most).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        var result = Array(opening.joined())
        func add(_ line: some Sequence<UInt8>) {
            if !result.isEmpty, result.last != 0xa { result += newline.utf8 }
            result += line
        }
        for line in code[..<low] { add(line) }
        for line in new[low..<new.count - tail] { add((line.isEmpty ? [] : indent) + Array((line + newline).utf8)) }
        for line in code[(code.count - tail)...] + closing { add(line) }
        return result
    }

    /// Returns a line without its line end.
    private static func text(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = line
        while let last = text.last, last == 0xa || last == 0xd { text.removeLast() }
        return text
    }
}
