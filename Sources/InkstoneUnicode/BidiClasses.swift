import CUnicode

/// Bidi classes and paired brackets of UTF-16 units (Unicode Character Database, by ICU), in a table: a lookup
/// takes about a nanosecond.
package enum BidiClasses {
    /// A bidi class: a value of ICU's UCharDirection.
    package typealias Class = UInt8

    package static let left: Class = 0
    package static let right: Class = 1
    package static let europeanNumber: Class = 2
    package static let europeanTerminator: Class = 4
    package static let arabicNumber: Class = 5
    package static let block: Class = 7
    package static let segment: Class = 8
    package static let space: Class = 9
    package static let neutral: Class = 10
    package static let leftEmbedding: Class = 11
    package static let leftOverride: Class = 12
    package static let arabic: Class = 13
    package static let rightEmbedding: Class = 14
    package static let rightOverride: Class = 15
    package static let popEmbedding: Class = 16
    package static let mark: Class = 17
    package static let boundary: Class = 18
    package static let firstStrongIsolate: Class = 19
    package static let leftIsolate: Class = 20
    package static let rightIsolate: Class = 21
    package static let popIsolate: Class = 22

    /// The bits of a table entry, in addition to those of the class, that mark an opening or a closing bracket.
    package static let opens: UInt8 = 0x20
    package static let closes: UInt8 = 0x40
    package static let classBits: UInt8 = 0x1f

    /// The class and bracket bits of each UTF-16 unit. A surrogate has the class of a lone surrogate;
    /// ``entry(_:_:)`` looks up pairs.
    ///
    /// Written once before its first use and never freed, so any thread may read it.
    nonisolated(unsafe) package static let table: UnsafePointer<UInt8> = {
        let made = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
        for unit in UInt32(0)..<1 << 16 {
            var entry = cunicode_bidi_class(unit)
            if entry == neutral, cunicode_paired_bracket(unit) != 0 {
                entry |= cunicode_opens_bracket(unit) ? opens : closes
            }
            made[Int(unit)] = entry
        }
        return UnsafePointer(made)
    }()

    /// Returns the class and bracket bits of the scalar at an index, and the scalar's length in units.
    @inline(__always)
    package static func entry(_ text: UnsafeBufferPointer<UInt16>, _ index: Int) -> (entry: UInt8, length: Int) {
        let unit = text[index]
        if unit & 0xfc00 == 0xd800, index + 1 < text.count, text[index + 1] & 0xfc00 == 0xdc00 {
            return (cunicode_bidi_class(0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(text[index + 1] & 0x3ff))), 2)
        }
        return (table[Int(unit)], 1)
    }

    /// Whether a class is that of an explicit formatting character or of a paragraph separator. Such a character
    /// may change the levels of text far away from it.
    @inline(__always)
    package static func isControl(_ class: Class) -> Bool {
        switch `class` {
        case leftEmbedding, leftOverride, rightEmbedding, rightOverride, popEmbedding, firstStrongIsolate, leftIsolate,
            rightIsolate, popIsolate, block:
            true
        default: false
        }
    }

    /// Whether a class is that of a letter: L, R or AL.
    @inline(__always)
    package static func isLetter(_ class: Class) -> Bool { `class` <= right || `class` == arabic }

    /// Returns a number that is the same for both brackets of a pair: the pair's opening bracket, in canonical form
    /// (UAX #9, BD16). `opens`: whether `unit` is the opening bracket of its pair.
    package static func pair(_ unit: UInt16, opens: Bool) -> UInt16 {
        let opening = opens ? unit : UInt16(truncatingIfNeeded: cunicode_paired_bracket(UInt32(unit)))
        return opening == 0x2329 ? 0x3008 : opening
    }
}

extension BidiClasses {
    /// Returns the level of the first strong character outside isolates (UAX #9, P2), and the index after the
    /// character; nil if there is none. `isolates` is the number of isolates that are open before the text; on
    /// return, the number of those open after the text.
    package static func firstStrong(
        _ text: UnsafeBufferPointer<UInt16>, isolates: inout Int
    ) -> (level: UInt8, end: Int)? {
        var at = 0
        while at < text.count {
            let (entry, length) = entry(text, at)
            at += length
            switch entry & classBits {
            case left: if isolates == 0 { return (0, at) }
            case right, arabic: if isolates == 0 { return (1, at) }
            case firstStrongIsolate, leftIsolate, rightIsolate: isolates += 1
            case popIsolate: isolates = max(0, isolates - 1)
            default: break
            }
        }
        return nil
    }
}
