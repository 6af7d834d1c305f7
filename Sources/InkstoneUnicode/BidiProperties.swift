import CUnicode

/// Properties of scalars for the resolution of bidi levels and for itemisation (Unicode Character Database, by
/// ICU).
package enum BidiProperties {
    /// Returns the mirror image of a scalar for right-to-left text (Bidi_Mirroring_Glyph), or the scalar itself if
    /// it has none.
    package static func mirror(of scalar: UInt32) -> UInt32 { cunicode_mirror(scalar) }

    /// Returns the other bracket of a pair; 0 if the scalar is no bracket (Bidi_Paired_Bracket).
    package static func pairedBracket(of scalar: UInt32) -> UInt32 { cunicode_paired_bracket(scalar) }

    /// Whether a scalar opens a pair of brackets (Bidi_Paired_Bracket_Type).
    package static func opensBracket(_ scalar: UInt32) -> Bool { cunicode_opens_bracket(scalar) }

    /// The emoji properties of a scalar (UTS #51).
    package struct Emoji: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The scalar has Emoji=Yes.
        package static let emoji = Emoji(rawValue: 1)
        /// The scalar has Emoji_Presentation=Yes: it is shown in colour without a variation selector.
        package static let presentation = Emoji(rawValue: 2)
        /// The scalar is a skin tone.
        package static let modifier = Emoji(rawValue: 4)
        /// The scalar is a regional indicator: two of them form a flag.
        package static let regionalIndicator = Emoji(rawValue: 8)
        /// The scalar has Default_Ignorable_Code_Point: a font that lacks it shows nothing in its place.
        package static let ignorable = Emoji(rawValue: 16)
    }

    package static func emoji(of scalar: UInt32) -> Emoji { Emoji(rawValue: cunicode_emoji_flags(scalar)) }
}

extension BidiProperties {
    /// Whether UTF-16 units may contain a letter or an isolate control, which may decide a paragraph's direction. A
    /// surrogate counts as a letter.
    package static func mayDecideDirection(_ units: [UInt16]) -> Bool {
        units.contains { unit in
            let kind = BidiClasses.table[Int(unit)] & BidiClasses.classBits
            return BidiClasses.isLetter(kind) || IsolatingRuns.isIsolating(kind)
        }
    }

    /// Returns the embedding level of the first strong character outside isolates, in text given as UTF-16 units
    /// (UAX #9, P2); nil if there is none.
    package static func firstStrong(_ units: [UInt16]) -> Int? {
        var isolates = 0
        var at = 0
        while at < units.count {
            var scalar = UInt32(units[at])
            at += 1
            if scalar & 0xfc00 == 0xd800, at < units.count, units[at] & 0xfc00 == 0xdc00 {
                scalar = 0x10000 + ((scalar & 0x3ff) << 10 | UInt32(units[at] & 0x3ff))
                at += 1
            }
            if scalar < 0x41 { continue }
            // The cases are values of ICU's UCharDirection: L 0, R 1, AL 13, FSI 19, LRI 20, RLI 21, PDI 22.
            switch cunicode_bidi_class(scalar) {
            case 0: if isolates == 0 { return 0 }
            case 1, 13: if isolates == 0 { return 1 }
            case 19, 20, 21: isolates += 1
            case 22: isolates = max(0, isolates - 1)
            default: break
            }
        }
        return nil
    }
}
