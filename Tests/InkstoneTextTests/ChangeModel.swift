import InkstoneBase
import InkstoneTesting
import TextTestSupport

@testable import InkstoneText

/// A change of an array of bytes, with which a change set is compared.
struct ChangeModel {
    var text: [UInt8]
    /// The replacements in order; they do not overlap, and do not split parts.
    var replacements: [(range: Range<Int>, new: [UInt8])]

    /// Creates random replacements of a text; some touch, some are at the same offset.
    init(
        of text: [UInt8], most: Int, _ random: inout SeededGenerator,
        inserting newText: (inout SeededGenerator) -> [UInt8] = { randomBytes(&$0, about: 1 + $0.below(6)) }
    ) {
        self.text = text
        let starts = ArrayModel.parts(text).map(\.byte) + [text.count]
        replacements = []
        var at = 0
        for _ in 0..<random.below(most + 1) {
            let left = starts.count - at
            guard left > 0 else { break }
            let low = random.once(in: 3) ? at : min(starts.count - 1, at + random.below(max(1, 2 * left / most + 2)))
            let high = random.once(in: 3) ? low : min(starts.count - 1, low + random.below(4))
            let new = random.once(in: 3) ? [] : newText(&random)
            if low == high, new.isEmpty { continue }
            replacements.append((starts[low]..<starts[high], new))
            at = high
        }
    }

    /// The text after all replacements.
    var result: [UInt8] {
        var bytes: [UInt8] = []
        var at = 0
        for (range, new) in replacements {
            bytes += text[at..<range.lowerBound] + new
            at = range.upperBound
        }
        return bytes + text[at...]
    }

    /// Returns the change set: built in order or shuffled, in bytes or UTF-16 units, from strings or ropes.
    func changeSet(_ random: inout SeededGenerator) -> TextChangeSet {
        let rope = Rope(bytes: text)
        var builder = TextChangeSet.Builder(over: rope)
        // Replacements at the same offset keep their order only if they are passed in order.
        let isShuffled = Set(replacements.map(\.range.lowerBound)).count == replacements.count && random.once(in: 2)
        let isUTF16 = random.once(in: 2)
        for (range, new) in isShuffled ? replacements.shuffled(using: &random) : replacements {
            let bytes = ByteOffset(range.lowerBound)..<ByteOffset(range.upperBound)
            if isUTF16 != random.once(in: 20) {
                builder.replace(rope.utf16Range(of: bytes), with: Rope(bytes: new))
            } else {
                builder.replace(bytes, with: Rope(bytes: new))
            }
        }
        return builder.finish()
    }
}

extension TextChangeSet {
    /// A description for failures: ranges in bytes, and texts.
    var dump: String {
        let sections = changeMap.enumerated().map { i, section in
            let removed = removedText(i)
            let inserted = insertedText(i)
            return "\(section.oldByteRange) \(removed.bytes(in: removed.byteRange)) → \(section.newByteRange) "
                + "\(inserted.bytes(in: inserted.byteRange))"
        }
        return sections.joined(separator: "; ")
    }

    func applied(to text: Rope) -> Rope {
        var text = text
        text.apply(self)
        return text
    }
}

/// Whether an offset is between parts, and not between CR and LF.
func isBoundary(_ byte: Int, _ text: [UInt8], _ starts: Set<Int>) -> Bool {
    guard byte > 0, byte < text.count else { return byte == 0 || byte == text.count }
    return starts.contains(byte) && !(text[byte - 1] == 0x0d && text[byte] == 0x0a)
}
