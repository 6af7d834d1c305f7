import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// A million random edits in a release build, each compared with an array of bytes.
///
/// `RopeModelTests` compares everything after some edits of a larger text. Here each edit is checked: the length in
/// every unit, the bytes around the edit, and conversions at its ends. The reference measures only what an edit can
/// have changed, so each edit costs little.
@Suite(.timeLimit(.minutes(5))) struct RopeMillionTests {
    static let edits = environment("INKSTONE_EDITS", default: isOptimized ? 1_000_000 / seeds.count : 5000)
    static let seeds = (0..<UInt64(4)).map { 0x51ed + $0 }
    private static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    @Test(arguments: seeds)
    func everyEditEqualsAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pool = randomBytes(&random, about: 64_000)
        var model = PlainText(randomBytes(&random, about: 70_000))
        var rope = Rope(bytes: model.bytes)
        var deepest = rope.height
        var snapshots: [(Rope, [UInt8])] = []
        for edit in 0..<Self.edits {
            let count = model.bytes.count
            // Most edits are small; large ones split and join leaves and nodes.
            let isLarge = random.once(in: 80)
            let low = random.below(count + 1)
            let high = min(count, low + random.below(isLarge ? 4000 : 8))
            let length = random.below(isLarge ? (count > 70_000 ? 2000 : 6000) : 8)
            let start = random.below(pool.count - length)
            let new = pool[start..<start + length]
            let range = ByteOffset(low)..<ByteOffset(high)
            new.withUnsafeBytes { rope.replace(range, with: $0) }
            model.replace(low..<high, with: new)
            deepest = max(deepest, rope.height)
            if let problem = model.difference(from: rope, near: low..<low + length, &random, edit: edit) {
                Issue.record("seed \(seed), edit \(edit), \(low)..<\(high) replaced by \(length) bytes: \(problem)")
                return
            }
            if edit % (Self.edits / 4) == 0 { snapshots.append((rope, model.bytes)) }
            if edit % (Self.edits / 8) == 0 {
                let problems = rope.checkInvariants()
                guard problems.isEmpty else {
                    Issue.record("seed \(seed), edit \(edit): \(problems.joined(separator: "; "))")
                    return
                }
            }
        }
        #expect(deepest >= 2, "the tree never had three levels")
        #expect(rope.bytes(in: rope.byteRange) == model.bytes)
        #expect(rope.metrics == ArrayModel.metrics(model.bytes), "the reference's own sums")
        for (snapshot, bytes) in snapshots { #expect(snapshot.bytes(in: snapshot.byteRange) == bytes) }
    }
}

/// An array of bytes and its length in every unit, updated by measuring only around each edit.
private struct PlainText {
    private(set) var bytes: [UInt8]
    private(set) var metrics: TextMetrics

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        metrics = Self.measure(bytes[...])
    }

    mutating func replace(_ range: Range<Int>, with new: ArraySlice<UInt8>) {
        let start = seam(atOrBefore: range.lowerBound)
        let end = seam(atOrAfter: range.upperBound)
        let old = Self.measure(bytes[start..<end])
        bytes.replaceSubrange(range, with: new)
        metrics = metrics - old + Self.measure(bytes[start..<end + new.count - range.count])
    }

    /// Describes a difference from a rope after an edit at `place`; nil if there is none.
    func difference(
        from rope: Rope, near place: Range<Int>, _ random: inout SeededGenerator, edit: Int
    ) -> String? {
        guard rope.metrics == metrics else { return "\(rope.metrics), by the array \(metrics)" }
        let around = max(0, place.lowerBound - 8)..<min(bytes.count, place.upperBound + 8)
        guard rope.bytes(in: ByteOffset(around.lowerBound)..<ByteOffset(around.upperBound)).elementsEqual(bytes[around])
        else { return "other bytes around the edit" }
        // Both ends of the measured range are scalar boundaries, and no CR LF crosses them.
        let start = seam(atOrBefore: place.lowerBound)
        let end = seam(atOrAfter: place.upperBound)
        let before = rope.metrics(before: ByteOffset(start))
        let part = Self.measure(bytes[start..<end])
        guard before.bytes == start, rope.metrics(before: ByteOffset(end)) == before + part else {
            return "the distance from \(start) to \(end)"
        }
        // These checks read a whole leaf, so they are made for one edit in eight.
        guard edit % 8 == 0 else { return nil }
        let isStart = edit % 16 == 0
        if let problem = conversions(of: rope, at: isStart ? start : end, isStart ? before : before + part) {
            return problem
        }
        // The sum of all lengths is as costly as the text is long.
        guard edit % 1024 == 0 else { return nil }
        let any = seam(atOrBefore: random.below(bytes.count + 1))
        return conversions(of: rope, at: any, Self.measure(bytes[..<any]))
    }

    /// Compares all conversions at an offset with known metrics.
    private func conversions(of rope: Rope, at byte: Int, _ before: TextMetrics) -> String? {
        let place = ByteOffset(byte)
        let paragraph = ParagraphIndex(before.newlines)
        let isRight =
            rope.metrics(before: place) == before
            && rope.utf16Offset(at: place).value == before.utf16
            && rope.scalarOffset(at: place).value == before.scalars
            && rope.byteOffset(at: UTF16Offset(before.utf16)) == place
            && rope.byteOffset(at: ScalarOffset(before.scalars)) == place
            && rope.utf16Offset(at: ScalarOffset(before.scalars)).value == before.utf16
            && rope.scalarOffset(at: UTF16Offset(before.utf16)).value == before.scalars
            && rope.roundedDown(toScalar: place) == place
            && rope.paragraphIndex(at: place) == paragraph
        guard isRight else { return "conversions at byte \(byte)" }
        let range = rope.byteRange(of: paragraph)
        guard range.lowerBound <= place, place < range.upperBound || byte == bytes.count else {
            return "paragraph \(paragraph.value) is \(range), and byte \(byte) not in it"
        }
        return nil
    }

    // MARK: Measuring

    /// Returns the last offset up to `offset` at which the text can be cut without changing either part's metrics:
    /// after an ASCII byte that cannot be half a CR LF.
    private func seam(atOrBefore offset: Int) -> Int {
        var place = offset
        while place > 0, bytes[place - 1] >= 0x80 || bytes[place - 1] == 0x0d { place -= 1 }
        return place
    }

    /// Returns the first such offset from `offset` on: before an ASCII byte that cannot be half a CR LF.
    private func seam(atOrAfter offset: Int) -> Int {
        var place = offset
        while place < bytes.count, bytes[place] >= 0x80 || bytes[place] == 0x0a { place += 1 }
        return place
    }

    /// Measures bytes in every unit with the standard library's parser.
    private static func measure(_ bytes: ArraySlice<UInt8>) -> TextMetrics {
        var result = TextMetrics(bytes: bytes.count, scalars: 0, utf16: 0, newlines: 0, invalidParts: 0)
        var parser = Unicode.UTF8.ForwardParser()
        var input = bytes.makeIterator()
        var followsReturn = false
        while true {
            switch parser.parseScalar(from: &input) {
            case .emptyInput: return result
            case .error:
                result.scalars += 1
                result.utf16 += 1
                result.invalidParts += 1
                followsReturn = false
            case .valid(let encoded):
                let value = Unicode.UTF8.decode(encoded).value
                result.scalars += 1
                result.utf16 += value > 0xffff ? 2 : 1
                let isNewline = value == 0x0a || value == 0x0d
                if isNewline, !(value == 0x0a && followsReturn) { result.newlines += 1 }
                followsReturn = value == 0x0d
            }
        }
    }
}
