import InkstoneBase
import InkstoneText
import InkstoneUnicode

extension TextFile {
    /// Whether a file holds a text in a format, as a save of it would have written it: a change of time, owner or inode alone is none of the
    /// content. Reads piece by piece up to the first difference, in O(n). Blocks.
    ///
    /// - Parameter allowingLoss: also if encoding the text would not give the bytes of the file: where it was so before, and a save keeps
    ///   those that are there.
    /// - Returns: the identity of the file that was compared; nil if it holds anything else or cannot be read.
    public static func identity(
        of path: FilePath, ifHolding text: Rope, format: TextFileFormat, allowingLoss: Bool = false
    ) -> FileIdentity? {
        guard let source = try? FileSource(path: path) else { return nil }
        defer { source.close() }
        // Plain UTF-8 is compared byte by byte, and has as many. Files of the kernel's say nothing or a page, whatever is in them.
        if format == .utf8, source.identity.size > 4096, source.identity.size != text.byteRange.count { return nil }
        var decoder: TextFileDecoder?
        var done = ByteOffset(0)
        func continues(_ builder: consuming RopeBuilder) -> Bool {
            let piece = builder.finish()
            let end = done + piece.byteRange.count
            guard end <= text.byteRange.upperBound, piece == text.slice(done..<end) else { return false }
            done = end
            return true
        }
        do throws(TextFileError) {
            while let bytes = try source.next(1 << 20) {
                let known = decoder ?? TextFileDecoder(start: bytes, encoding: format.encoding)
                decoder = known
                guard known.format == format else { return nil }
                var builder = RopeBuilder()
                known.append(bytes, to: &builder)
                guard continues(builder) else { return nil }
            }
        } catch {
            return nil
        }
        if let decoder {
            var builder = RopeBuilder()
            decoder.finish(&builder)
            guard continues(builder), decoder.isLossless || allowingLoss else { return nil }
        }
        return done == text.byteRange.upperBound ? source.identity : nil
    }
}
