import InkstoneBase

/// A piece of styled text for another process: copied or dragged text. Attributes whose keys are not
/// ``CodedAttributeKey``s are left out.
public struct StyledFragment: Sendable, Equatable {
    /// The piece of text.
    public let text: StyledText

    /// Creates a piece of text without the attributes that cannot be encoded.
    public init(_ text: StyledText) {
        let runs = text.runs?.codedOnly
        self.text = StyledText(unchecked: text.rope, runs?.isPlain == false ? runs : nil)
    }

    /// Creates a piece from a range of a text, without the attributes that cannot be encoded. Nil if the text has no
    /// attributes at all, so that plain text suffices.
    public init?(of range: Range<UTF16Offset>, in text: StyledText) {
        guard text.runs != nil else { return nil }
        self.init(text.slice(range))
    }

    /// The MIME type of ``bytes``, which is also the name of the target in X's selections.
    public static let type = "application/x-inkstone-styled-text"
    private static let mark = Array("inkstone styled text 1\n".utf8)

    /// Encodes the piece as bytes for another process. O(n).
    public var bytes: [UInt8] {
        var result = Self.mark
        result += (text.runs ?? AttributeRuns(length: text.rope.metrics.utf16, .none)).coded
        return result + text.rope.bytes(in: text.rope.byteRange)
    }

    /// Creates a piece by decoding bytes from another process. Nil if the bytes do not encode a piece, or if its text
    /// contains a NUL. Values of unknown keys and invalid values are left out.
    public init?(bytes: [UInt8]) {
        guard bytes.starts(with: Self.mark) else { return nil }
        var rest = bytes[Self.mark.count...]
        guard let runs = AttributeRuns(coded: &rest) else { return nil }
        guard !rest.contains(0) else { return nil }
        let rope = Rope(bytes: Array(rest))
        guard runs.length == rope.metrics.utf16 else { return nil }
        self.init(StyledText(rope, runs: runs))
    }
}
