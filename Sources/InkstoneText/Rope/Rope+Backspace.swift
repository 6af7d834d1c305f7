import InkstoneBase
import InkstoneUnicode

extension Rope {
    /// Returns the start of the text that Backspace deletes before an offset: the whole grapheme cluster, or only
    /// its last scalar in scripts whose marks are typed one by one. See ``InkstoneUnicode/BackspaceRule``. O(log n)
    /// and the length of the surroundings.
    package func backspaceBoundary(before offset: UTF16Offset) -> UTF16Offset {
        let start = graphemeBoundary(before: offset)
        // A cluster of a single unit is deleted whole by any rule.
        guard Swift.min(offset, utf16Range.upperBound) - start > 1 else { return start }
        // Move an offset inside a surrogate pair to the pair's start.
        let end = utf16Offset(at: byteOffset(at: offset))
        let length = BackspaceRule.length(ofLastIn: string(in: start..<end))
        return Swift.max(start, end - length)
    }
}
