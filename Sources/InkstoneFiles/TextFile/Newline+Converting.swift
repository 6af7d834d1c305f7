import InkstoneBase
public import InkstoneText

extension Newline {
    /// Returns the changes that turn all line ends of a text into this kind. Nil if none are needed. Unicode's line
    /// and paragraph separators are kept. O(n).
    public func conversion(of text: Rope) -> TextChangeSet? {
        var builder = TextChangeSet.Builder(over: text)
        let new = Rope(rawValue)
        let wanted = Array(rawValue.utf8)
        var start = ByteOffset(0)
        text.forEachChunk(in: text.byteRange) { chunk, _ in
            var index = 0
            defer { start = start + chunk.count }
            while index < chunk.count {
                let byte = chunk[index]
                guard byte == 0x0a || byte == 0x0d else {
                    index += 1
                    continue
                }
                // Search for the LF only in the same chunk: a CR LF is never split between two chunks.
                let length = byte == 0x0d && index + 1 < chunk.count && chunk[index + 1] == 0x0a ? 2 : 1
                if length != wanted.count || byte != wanted[0] {
                    builder.replace(start + index..<start + (index + length), with: new)
                }
                index += length
            }
        }
        return builder.isEmpty ? nil : builder.finish()
    }
}
