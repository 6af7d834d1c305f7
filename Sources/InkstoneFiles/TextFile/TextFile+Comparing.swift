import InkstoneBase
import InkstoneText
import InkstoneUnicode

extension TextFile {
    /// Returns the identity of a file if it contains exactly what a save of a text in a format would write. Nil if
    /// it differs or cannot be read. Another time, owner or inode alone is no difference. Reads piece by piece up
    /// to the first difference, in O(n). Blocks.
    ///
    /// - Parameter allowingLoss: whether it is enough that the file decodes to the text, even if the text does not
    ///   encode to the same bytes. If that was so when the file was read, a save keeps the file's bytes.
    /// - Returns: the identity of the file that was compared.
    public static func identity(
        of path: FilePath, ifHolding text: Rope, format: TextFileFormat, allowingLoss: Bool = false
    ) -> FileIdentity? {
        guard let source = try? FileSource(path: path) else { return nil }
        defer { source.close() }
        // Return early if the size differs, for UTF-8 without a byte order mark, which is compared byte by byte. Ignore
        // sizes up to a page, which kernel files report whatever their content.
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
