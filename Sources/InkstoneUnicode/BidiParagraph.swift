import CUnicode
import InkstoneBase

/// The base direction of a paragraph: the direction of its first strong letter, or a given direction.
public enum BidiBaseDirection: Sendable, Hashable {
    /// Left to right, whatever the text contains.
    case leftToRight
    /// Right to left, whatever the text contains.
    case rightToLeft
    /// The direction of the first strong character, left to right if there is none (UAX #9, P2 and P3).
    case natural
}

/// The bidi embedding levels of one paragraph, and the visual order of its lines (UAX #9).
///
/// The levels are resolved by FriBidi with ICU's character data. A paragraph of base level 0 stores no levels if it
/// contains no right-to-left text and no control of the direction: ``levels`` is then empty, and each unit is on
/// level 0.
package struct BidiParagraph: Sendable {
    /// The base level: 0 if the paragraph runs from left to right, 1 if from right to left.
    package let baseLevel: UInt8
    /// The level of each UTF-16 unit. Odd levels run from right to left. Empty if each unit certainly is on level
    /// 0, and for an empty paragraph.
    package let levels: [UInt8]

    /// Creates the levels of a paragraph, which is passed as UTF-16 units without its terminator. O(n); 1 ns a unit if
    /// no text in it runs from right to left.
    package init(_ text: [UInt16], baseDirection: BidiBaseDirection) {
        self = text.withUnsafeBufferPointer { Self($0, baseDirection: baseDirection) }
    }

    /// Creates the levels of a paragraph, which is passed as UTF-16 units without its terminator. O(n).
    package init(_ text: UnsafeBufferPointer<UInt16>, baseDirection: BidiBaseDirection) {
        guard baseDirection == .rightToLeft || Self.mayRunFromRight(text) else {
            baseLevel = 0
            levels = []
            return
        }
        (baseLevel, levels) = Self.resolve(text, baseDirection)
    }

    /// Creates a paragraph with known levels, such as a part of a paragraph that was resolved as a whole.
    package init(baseLevel: UInt8, levels: [UInt8]) {
        (self.baseLevel, self.levels) = (baseLevel, levels)
    }

    /// Returns the explicit level (UAX #9, X1–X8) of each unit of a paragraph with a base level: the level of the
    /// embedding or isolate around the unit. An explicit control has the level of the text on one of its two sides.
    /// O(n).
    package static func explicitLevels(_ text: UnsafeBufferPointer<UInt16>, base: UInt8) -> [UInt8] {
        withScalars(of: text) { IsolatingRuns.explicitLevels($0, base: base) }
    }

    /// Returns the embedding level of a unit.
    @inlinable
    package func level(at unit: Int) -> UInt8 { levels.isEmpty ? baseLevel : levels[unit] }

    /// Whether the text contains a unit that could make text run from right to left: of a right-to-left script, or
    /// a control of the direction.
    package static func mayRunFromRight(_ text: UnsafeBufferPointer<UInt16>) -> Bool {
        var i = 0
        while i < text.count {
            let unit = text[i]
            i += 1
            if unit < 0x590 { continue }
            switch unit {
            case 0x590...0x8ff, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfb1d...0xfdff, 0xfe70...0xfefc: return true
            // The high surrogates of U+10800…U+10FFF and U+1E800…U+1EFFF, where Unicode has its other right-to-left
            // scripts.
            case 0xd802, 0xd803, 0xd83a, 0xd83b: return true
            default: continue
            }
        }
        return false
    }

    private static func resolve(
        _ text: UnsafeBufferPointer<UInt16>, _ direction: BidiBaseDirection
    ) -> (UInt8, [UInt8]) {
        let base: Int32 =
            switch direction {
            case .leftToRight: Int32(CUNICODE_BIDI_LEFT_TO_RIGHT)
            case .rightToLeft: Int32(CUNICODE_BIDI_RIGHT_TO_LEFT)
            case .natural: Int32(CUNICODE_BIDI_NATURAL)
            }
        let count = text.count
        guard count > 0 else { return (direction == .rightToLeft ? 1 : 0, []) }
        if text.contains(where: { IsolatingRuns.isIsolating(BidiClasses.table[Int($0)]) }) {
            return resolveIsolates(text, direction)
        }
        var resolved: UInt8 = 0
        let levels = [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count) { scalars in
                withUnsafeTemporaryAllocation(of: Int8.self, capacity: count) { scalarLevels in
                    let n = decode(text, into: scalars)
                    let level = cunicode_bidi_levels(scalars.baseAddress, Int32(n), base, scalarLevels.baseAddress)
                    resolved = UInt8(max(0, level))
                    if level < 0 { scalarLevels.update(repeating: Int8(resolved)) }
                    var unit = 0
                    for i in 0..<n {
                        let value = UInt8(bitPattern: scalarLevels[i])
                        out[unit] = value
                        unit += 1
                        if scalars[i] > 0xffff {
                            out[unit] = value
                            unit += 1
                        }
                    }
                }
            }
            filled = count
        }
        return (resolved, levels)
    }

    /// Resolves a text that contains isolates. Returns the base level, and the level of each unit.
    private static func resolveIsolates(
        _ text: UnsafeBufferPointer<UInt16>, _ direction: BidiBaseDirection
    ) -> (UInt8, [UInt8]) {
        var isolates = 0
        let base: UInt8 =
            switch direction {
            case .leftToRight: 0
            case .rightToLeft: 1
            case .natural: BidiClasses.firstStrong(text, isolates: &isolates)?.level ?? 0
            }
        return (base, withScalars(of: text) { IsolatingRuns.levels($0, base: base) })
    }

    /// Returns the levels of a text's UTF-16 units: each unit has the level that `body` returns for its scalar.
    private static func withScalars(
        of text: UnsafeBufferPointer<UInt16>, _ body: (UnsafeBufferPointer<UInt32>) -> [UInt8]
    ) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: text.count) { scalars in
            let n = decode(text, into: scalars)
            let found = body(UnsafeBufferPointer(rebasing: scalars[..<n]))
            if n == text.count { return found }
            return (0..<n).flatMap { scalars[$0] > 0xffff ? [found[$0], found[$0]] : [found[$0]] }
        }
    }

    /// Converts UTF-16 units to scalars in a buffer, and copies lone surrogates unchanged. Returns the number of
    /// scalars.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt16>, into scalars: UnsafeMutableBufferPointer<UInt32>
    ) -> Int {
        var n = 0
        var i = 0
        while i < text.count {
            let unit = text[i]
            if unit & 0xfc00 == 0xd800, i + 1 < text.count, text[i + 1] & 0xfc00 == 0xdc00 {
                scalars[n] = 0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(text[i + 1] & 0x3ff))
                i += 2
            } else {
                scalars[n] = UInt32(unit)
                i += 1
            }
            n += 1
        }
        return n
    }
}

extension BidiParagraph {
    /// Returns the visual order of the level runs of a line, from left to right (UAX #9, L2).
    ///
    /// `levels` contains the level of each run in logical order; the result contains indices into `levels`. O(n·k)
    /// for n runs on levels of at most k.
    package static func visualOrder(of levels: [UInt8]) -> [Int] {
        var order = Array(levels.indices)
        guard let highest = levels.max(), let lowestOdd = levels.lazy.filter({ $0 & 1 == 1 }).min() else {
            return order
        }
        var level = highest
        while level >= lowestOdd {
            var i = 0
            while i < order.count {
                guard levels[order[i]] >= level else {
                    i += 1
                    continue
                }
                var end = i + 1
                while end < order.count, levels[order[end]] >= level { end += 1 }
                order[i..<end].reverse()
                i = end
            }
            level -= 1
        }
        return order
    }

    /// Whether a unit is of a kind that rule L1 of UAX #9 sets to the base level when only units of this kind stand
    /// between it and the end of the line or a tab: white space, isolate controls, and most of the invisible format
    /// characters that rule X9 removes.
    ///
    /// The C0 and C1 controls that rule X9 removes are not included: the layout shows them as boxes. U+180E and the
    /// characters beyond U+FFFF are not included either.
    package static func isTrailing(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x20, 0x1680, 0x2000...0x200a, 0x2028, 0x205f, 0x3000, 0x0c: true
        // Invisible characters of class BN, and the controls of embeddings and isolates. U+200E and U+200F are not
        // included, because their class is strong.
        case 0x200b, 0x200c, 0x200d, 0xad, 0xfeff, 0x202a...0x202e, 0x2060...0x206f: true
        default: false
        }
    }
}
