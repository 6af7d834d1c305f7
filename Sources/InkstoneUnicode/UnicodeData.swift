import CUnicode

/// Properties of scalars that segmentation needs in addition to ICU's break iterators.
package enum UnicodeData {
    /// The version of Unicode on which ICU's data is based.
    package static var version: (major: Int, minor: Int) {
        var major: Int32 = 0
        var minor: Int32 = 0
        cunicode_unicode_version(&major, &minor)
        return (Int(major), Int(minor))
    }

    /// Returns the Script property of a scalar (UAX #24).
    package static func script(of scalar: Unicode.Scalar) -> Script { Script(code: cunicode_script(scalar.value)) }

    /// Whether there is certainly a grapheme cluster boundary between two scalars, in any context (UAX #29).
    ///
    /// False if more context would be needed, and for some pairs that always have a boundary. If true, segmentation
    /// may start between the two scalars.
    package static func isCertainGraphemeBoundary(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        let a = first.value
        let b = second.value
        if a < 0x300 {
            // Below U+0300, only CR joins the scalar after it, and only if that scalar is LF.
            if a == 0x0d && b == 0x0a { return false }
            return b < 0x300 || !joinsLeft(b)
        }
        if b < 0x300 {
            // GB9b: a prepended mark joins any scalar after it; GB11: a ZWJ may join an emoji such as U+00A9.
            let group = cunicode_grapheme_class(a)
            return group != Self.prepend && group != Self.zwj
        }
        // Ideographs and kana form a cluster only with marks after them, so there is a boundary between two of them.
        if isPlainEastAsian(a), isPlainEastAsian(b) { return true }
        guard cunicode_grapheme_class(b) == Self.other else { return false }
        let group = cunicode_grapheme_class(a)
        // GB9c: after a virama and marks, an Indic consonant may continue the cluster. No such consonant exists
        // from U+1F000 on.
        if group == Self.extend { return b >= 0x1f000 }
        return group != Self.prepend && group != Self.zwj
    }

    // Values of ICU's UGraphemeClusterBreak.
    private static let other: Int32 = 0
    private static let extend: Int32 = 3
    private static let spacingMark: Int32 = 10
    private static let prepend: Int32 = 11
    private static let zwj: Int32 = 17

    private static func joinsLeft(_ scalar: UInt32) -> Bool {
        let group = cunicode_grapheme_class(scalar)
        return group == extend || group == spacingMark || group == zwj
    }

    private static func isPlainEastAsian(_ scalar: UInt32) -> Bool {
        (0x3041...0x3096).contains(scalar) || (0x30a1...0x30fa).contains(scalar)
            || (0x3400...0x4dbf).contains(scalar) || (0x4e00...0x9fff).contains(scalar)
    }
}
