import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// Random edits of a rope and of an array, compared in every unit.
@Suite(.timeLimit(.minutes(5))) struct RopeModelTests {
    static let seeds = (0..<UInt64(environment("INKSTONE_SEEDS", default: 4))).map { 0x1234 + $0 }
    static let edits = environment("INKSTONE_EDITS", default: isLongTier ? 1_000_000 : 25_000)

    @Test(arguments: seeds)
    func randomEditsEqualAnArray(seed: UInt64) {
        print("rope seed \(seed), \(Self.edits) edits")
        var random = SeededGenerator(seed: seed)
        var model = randomBytes(&random, about: 150_000)
        var rope = Rope(bytes: model)
        var deepest = rope.height
        var snapshots: [(Rope, [UInt8])] = []
        for i in 0..<Self.edits {
            let low = random.below(model.count + 1)
            let span = random.once(in: 400) ? 30_000 : random.once(in: 20) ? 3000 : 6
            let target = model.count > 300_000 ? 2 : model.count < 100_000 ? 8 : 4
            let high = min(model.count, low + random.below(span))
            let about = random.once(in: 400) ? 7000 * target : random.once(in: 20) ? 700 * target : 4
            let new = random.once(in: 5) ? [] : randomBytes(&random, about: random.below(about))
            model.replaceSubrange(low..<high, with: new)
            let range = ByteOffset(low)..<ByteOffset(high)
            if random.once(in: 2) {
                new.withUnsafeBytes { rope.replace(range, with: $0) }
            } else {
                rope.replace(range, with: Rope(bytes: new))
            }
            #expect(rope.metrics.bytes == model.count)
            deepest = max(deepest, rope.height)
            if i % 250 == 0 {
                snapshots.append((rope, model))
                if snapshots.count > 4 { snapshots.removeFirst(2) }
            }
            if i % (Self.edits / 20) == 0 {
                let problems = rope.checkInvariants()
                guard problems.isEmpty else {
                    Issue.record("seed \(seed), edit \(i): \(problems.joined(separator: "; "))")
                    return
                }
                guard compare(rope, model, &random) else {
                    Issue.record("seed \(seed), edit \(i): not equal")
                    return
                }
            }
        }
        #expect(deepest >= 2, "the tree never had three levels")
        for (snapshot, bytes) in snapshots {
            #expect(snapshot.checkInvariants().isEmpty)
            #expect(snapshot.bytes(in: snapshot.byteRange) == bytes)
        }
    }

    /// Compares all queries of a rope; reports the first difference and returns false.
    private func compare(_ rope: Rope, _ bytes: [UInt8], _ random: inout SeededGenerator) -> Bool {
        guard rope.bytes(in: rope.byteRange) == bytes else { return false }
        guard rope.metrics == ArrayModel.metrics(bytes) else {
            Issue.record("\(rope.metrics), model \(ArrayModel.metrics(bytes))")
            return false
        }
        let parts = ArrayModel.parts(bytes)
        let starts = [0] + ArrayModel.paragraphStarts(bytes)
        for _ in 0..<200 where !parts.isEmpty {
            let part = parts[random.below(parts.count)]
            let byte = ByteOffset(part.byte)
            guard
                rope.utf16Offset(at: byte).value == part.utf16, rope.scalarOffset(at: byte).value == part.scalar,
                rope.byteOffset(at: UTF16Offset(part.utf16)) == byte,
                rope.byteOffset(at: ScalarOffset(part.scalar)) == byte,
                part.value <= 0xffff || rope.byteOffset(at: UTF16Offset(part.utf16 + 1)) == byte
            else {
                Issue.record("conversions at \(part)")
                return false
            }
            // Any byte offset, also inside a scalar.
            let any = random.below(bytes.count)
            let holder = parts[parts.partitioningIndex { $0.byte > any } - 1]
            let paragraph = starts.partitioningIndex { $0 > any } - 1
            guard
                rope.utf16Offset(at: ByteOffset(any)).value == holder.utf16,
                rope.roundedDown(toScalar: ByteOffset(any)).value == holder.byte
            else {
                Issue.record("rounding at byte \(any)")
                return false
            }
            guard rope.paragraphIndex(at: ByteOffset(holder.byte)).value == paragraph else {
                Issue.record("paragraph at byte \(any)")
                return false
            }
            let range = rope.byteRange(of: ParagraphIndex(paragraph))
            let around = rope.metrics(around: ParagraphIndex(paragraph))
            guard around.before == rope.metrics(before: ParagraphIndex(paragraph)),
                around.through == rope.metrics(before: ParagraphIndex(paragraph + 1))
            else {
                Issue.record("paragraph \(paragraph) has \(around) around it")
                return false
            }
            let end = paragraph + 1 < starts.count ? starts[paragraph + 1] : bytes.count
            guard range.lowerBound.value == starts[paragraph], range.upperBound.value == end else {
                Issue.record("paragraph \(paragraph) is \(range), model \(starts[paragraph])..<\(end)")
                return false
            }
        }
        if let firstBad = parts.first(where: { !$0.isValid }) {
            guard rope.firstInvalidPart()?.lowerBound.value == firstBad.byte else {
                Issue.record("first invalid part is \(String(describing: rope.firstInvalidPart()))")
                return false
            }
        }
        let low = random.below(bytes.count + 1)
        let high = low + random.below(bytes.count - low + 1)
        let range = ByteOffset(low)..<ByteOffset(high)
        let slice = rope.slice(range)
        guard slice.bytes(in: slice.byteRange) == Array(bytes[low..<high]), slice.checkInvariants().isEmpty,
            slice == Rope(bytes: Array(bytes[low..<high])),
            rope.string(in: range) == String(decoding: bytes[low..<high], as: UTF8.self)
        else {
            Issue.record("slice \(range)")
            return false
        }
        return rope.utf16(in: rope.byteRange) == Array(String(decoding: bytes, as: UTF8.self).utf16)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func anyPiecesBuildTheSameRope(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = randomBytes(&random, about: 200_000)
        var builder = RopeBuilder()
        var i = 0
        while i < bytes.count {
            let n = min(bytes.count - i, random.once(in: 3) ? random.below(20_000) : random.below(2100))
            bytes[i..<(i + n)].withUnsafeBytes { builder.append($0) }
            i += n
        }
        let rope = builder.finish()
        #expect(rope.checkInvariants() == [])
        #expect(rope.bytes(in: rope.byteRange) == bytes)
        #expect(rope.metrics == ArrayModel.metrics(bytes))
    }

    @Test func aRopeOfContinuationBytesHolds() {
        var rope = Rope(bytes: [UInt8](repeating: 0x80, count: 50_000))
        #expect(rope.checkInvariants() == [])
        rope.replace(25_000..<25_000, with: Rope(bytes: [0xf0, 0x9f]))
        #expect(rope.checkInvariants() == [])
        #expect(rope.metrics.scalars == 50_000 - 2 + 1)
        rope.replace(25_000..<25_001, with: Rope())
        #expect(rope.metrics.scalars == 50_001)
    }
}

extension Array {
    /// Returns the first index whose element satisfies `predicate`, which must hold for all later elements.
    func partitioningIndex(_ predicate: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Lines are counted as compilers, grep and diff do.
@Suite(.timeLimit(.minutes(5))) struct LineCountTests {
    @Test func linesEndWhereOtherProgramsSayThatTheyDo() {
        let rope = Rope("a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\ng\r\nh\ri")
        #expect(rope.paragraphCount == 4)
        #expect(rope.utf16ContentRange(of: ParagraphIndex(0)) == 0..<11)
        #expect(rope.string(in: rope.contentRange(of: ParagraphIndex(1))) == "g")
        #expect(rope.paragraphIndex(at: UTF16Offset(4)) == ParagraphIndex(0))
        let long = Rope(String(repeating: "x\u{2028}", count: 5000) + "\n")
        #expect(long.paragraphCount == 2 && long.utf16ContentRange(of: ParagraphIndex(0)) == 0..<10_000)
    }
}
