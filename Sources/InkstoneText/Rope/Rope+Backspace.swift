import InkstoneBase
import InkstoneUnicode

extension Rope {
    /// The start of what BackSpace takes before an offset: the grapheme cluster, or its last scalar in scripts whose marks are typed one by
    /// one, as ``InkstoneUnicode/BackspaceRule`` says. O(log n) and the length of the surroundings.
    package func backspaceBoundary(before offset: UTF16Offset) -> UTF16Offset {
        let start = graphemeBoundary(before: offset)
        // One unit is taken whole by any rule.
        guard Swift.min(offset, utf16Range.upperBound) - start > 1 else { return start }
        // Half a pair counts as none of it.
        let end = utf16Offset(at: byteOffset(at: offset))
        let length = BackspaceRule.length(ofLastIn: string(in: start..<end))
        return Swift.max(start, end - length)
    }
}
