import CShaping

extension ShapedText: CustomStringConvertible {
    /// The glyphs in the notation of `hb-shape`, for comparison with it and for failing tests: glyph, cluster, nonzero
    /// offset, advance. In logical order, clusters in UTF-16 units, lengths in 1/64 pixel.
    var description: String {
        let items = glyphs.map { glyph in
            let offset = glyph.dx == 0 && glyph.dy == 0 ? "" : "@\(glyph.dx),\(glyph.dy)"
            return "\(glyph.glyph)=\(glyph.cluster)\(offset)+\(glyph.advance)"
        }
        return "[" + items.joined(separator: "|") + "]"
    }
}
