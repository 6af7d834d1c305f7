import CShaping

extension ShapedText: CustomStringConvertible {
    /// The glyphs in the notation of `hb-shape`, for test failures and for comparison with that tool: glyph,
    /// cluster, offset if not zero, advance. Glyphs are in logical order; clusters are UTF-16 units, lengths 1/64
    /// pixel.
    var description: String {
        let items = glyphs.map { glyph in
            let offset = glyph.dx == 0 && glyph.dy == 0 ? "" : "@\(glyph.dx),\(glyph.dy)"
            return "\(glyph.glyph)=\(glyph.cluster)\(offset)+\(glyph.advance)"
        }
        return "[" + items.joined(separator: "|") + "]"
    }
}
