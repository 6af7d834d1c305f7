import InkstoneBase

extension FilePath {
    /// The path for use in a sentence or a title. It is the ``description``, made safe by ``label(_:limit:)``. It
    /// cannot be parsed back.
    public var label: String { Self.label(description) }

    /// Returns a text for use in a sentence or a title. If a text has more than `limit` scalars, an ellipsis takes the
    /// place of its middle. If part of the text is right-to-left, the whole text is put into a directional isolate, so
    /// that the text around it keeps its order.
    public static func label(_ text: String, limit: Int = 120) -> String {
        var scalars = Array(text.unicodeScalars)
        if scalars.count > limit {
            scalars.replaceSubrange(limit / 2..<scalars.count - (limit - limit / 2 - 1), with: ["…"])
        }
        if scalars.contains(where: isRightToLeft) { scalars = ["\u{2068}"] + scalars + ["\u{2069}"] }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfefe, 0x1_0800...0x1_0fff, 0x1_e800...0x1_efff: true
        default: false
        }
    }
}
