import InkstoneBase
import InkstoneText

/// Line ends that an edit places beside other line ends. An LF after a CR, or a CR before an LF, would form a
/// single line end with it.
extension Rope {
    /// Returns a text in the form in which it can replace a range. An LF at its start becomes CR LF if a CR stands
    /// before the range; a CR at its end becomes CR LF if an LF stands after the range. So no line end is joined
    /// with another one. An empty text becomes an LF if the range is all that separates a CR and an LF.
    package func keepingLineEndsApart(_ new: String, replacing range: Range<UTF16Offset>) -> String {
        if new.isEmpty { return separatesLineEnds(range) ? "\n" : "" }
        let joins = joins(new.utf8.first, new.utf8.last, replacing: range)
        return (joins.front ? "\r" : "") + new + (joins.back ? "\n" : "")
    }

    /// Returns a text, which may contain invalid UTF-8, in the form in which it can replace a range.
    func keepingLineEndsApart(_ new: Rope, replacing range: Range<UTF16Offset>) -> Rope {
        if new.isEmpty { return Rope(keepingLineEndsApart("", replacing: range)) }
        let end = new.byteRange.upperBound
        let joins = joins(new.bytes(in: 0..<1).first, new.bytes(in: end - 1..<end).first, replacing: range)
        guard joins.front || joins.back else { return new }
        var result = Rope(joins.front ? "\r" : "")
        result.append(new)
        if joins.back { result.append(Rope("\n")) }
        return result
    }

    /// Whether a range is all that stands between a CR and an LF.
    func separatesLineEnds(_ range: Range<UTF16Offset>) -> Bool {
        !range.isEmpty && unit(at: range.lowerBound - 1) == 0x0d && unit(at: range.upperBound) == 0x0a
            && unit(at: range.lowerBound) != 0x0a && unit(at: range.upperBound - 1) != 0x0d
    }

    /// Returns whether the first or last line end of a text would be joined with one beside the range that the text
    /// replaces.
    ///
    /// - Parameter first, last: the first and last unit of the text, in UTF-8 or UTF-16; nil for an empty text.
    func joins<Unit: BinaryInteger>(
        _ first: Unit?, _ last: Unit?, replacing range: Range<UTF16Offset>
    ) -> (front: Bool, back: Bool) {
        (first == 0x0a && unit(at: range.lowerBound - 1) == 0x0d, last == 0x0d && unit(at: range.upperBound) == 0x0a)
    }

    /// Returns the UTF-16 unit at an offset; nil outside of the text. At a surrogate, returns nil or the other
    /// surrogate of the pair.
    func unit(at offset: UTF16Offset) -> UInt16? { offset < 0 ? nil : utf16(in: offset..<(offset + 1)).first }
}

extension StyledText {
    /// Returns a text in the form in which it can replace a range: see ``Rope/keepingLineEndsApart(_:replacing:)``.
    /// A CR or LF that is added has the attributes of the line end that it completes.
    func keepingLineEndsApart(_ new: StyledText, replacing range: Range<UTF16Offset>) -> StyledText {
        let bytes = new.rope.byteRange
        guard !bytes.isEmpty else { return rope.separatesLineEnds(range) ? StyledText(Rope("\n")) : new }
        let (first, last) = (
            new.rope.bytes(in: 0..<1).first, new.rope.bytes(in: bytes.upperBound - 1..<bytes.upperBound).first
        )
        let joins = rope.joins(first, last, replacing: range)
        guard joins.front || joins.back else { return new }
        let length = new.rope.metrics.utf16
        var result =
            joins.front ? StyledText(Rope("\r"), runs: new.runs.map { $0.slice(0..<1) }) : StyledText()
        result.append(new)
        if joins.back {
            result.append(
                StyledText(Rope("\n"), runs: new.runs.map { $0.slice(UTF16Offset(length - 1)..<UTF16Offset(length)) }))
        }
        return result
    }
}
