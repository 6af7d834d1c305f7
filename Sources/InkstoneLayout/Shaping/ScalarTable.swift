import CShaping
import InkstoneUnicode

/// The Unicode properties of scalars that the itemizer needs. Each is looked up once and kept in a table of blocks
/// of 256 scalars.
final class ScalarTable {
    /// The properties of one scalar, packed into 64 bits.
    struct Entry {
        fileprivate(set) var bits: UInt64

        /// Script of the scalar as an ISO 15924 tag.
        var script: UInt32 { UInt32(truncatingIfNeeded: bits) }
        var emoji: BidiProperties.Emoji { BidiProperties.Emoji(rawValue: UInt8(truncatingIfNeeded: bits >> 32)) }
        /// Whether the scalar is a mark or format control, which belongs to the cluster of the scalar before it.
        var isMark: Bool { bits & 1 << 40 != 0 }
        var isBracket: Bool { bits & 1 << 41 != 0 }
        /// Whether the scalar is a mark without an advance of its own (general categories Mn and Me).
        var isNonspacing: Bool { bits & 1 << 43 != 0 }
        /// Whether the scalar is a virama or a zero width joiner: the next scalar then belongs to the same cluster.
        var joinsNext: Bool { bits & 1 << 44 != 0 }
        /// Whether the scalar's script is Common, Inherited or Unknown.
        var hasNoScript: Bool { bits & 1 << 42 != 0 }
    }

    /// The bit of an entry that was looked up already.
    private static let known: UInt64 = 1 << 63
    private let blocks: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>?>

    init() {
        blocks = .allocate(capacity: 0x1100)
        blocks.initialize(repeating: nil, count: 0x1100)
    }

    deinit {
        for i in 0..<0x1100 { blocks[i]?.deallocate() }
        blocks.deallocate()
    }

    /// The Unicode properties of a scalar or of a lone surrogate.
    @inline(__always)
    subscript(scalar: UInt32) -> Entry {
        if let block = blocks[Int(scalar >> 8)] {
            let bits = block[Int(scalar & 0xff)]
            if bits != 0 { return Entry(bits: bits) }
        }
        return look(up: scalar)
    }

    /// Returns whether a scalar is a number sign such as U+0600, which is drawn under or over the digits after it
    /// (Prepended_Concatenation_Mark). It is a format control but does not belong to the cluster before it.
    static func isNumberSign(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x600...0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd: true
        default: false
        }
    }

    private func look(up scalar: UInt32) -> Entry {
        let block: UnsafeMutablePointer<UInt64>
        if let there = blocks[Int(scalar >> 8)] {
            block = there
        } else {
            block = .allocate(capacity: 256)
            block.initialize(repeating: 0, count: 256)
            blocks[Int(scalar >> 8)] = block
        }
        let script = cshaping_script(scalar)
        var bits = Self.known | UInt64(script) | UInt64(BidiProperties.emoji(of: scalar).rawValue) << 32
        if cshaping_is_mark(scalar), !Self.isNumberSign(scalar) { bits |= 1 << 40 }
        if cshaping_is_nonspacing(scalar) { bits |= 1 << 43 }
        if scalar == 0x200d || cshaping_is_virama(scalar) { bits |= 1 << 44 }
        if BidiProperties.pairedBracket(of: scalar) != 0 { bits |= 1 << 41 }
        // The scripts Common (Zyyy), Inherited (Zinh) and Unknown (Zzzz) count as no script.
        if script == 0x5a79_7979 || script == 0x5a69_6e68 || script == 0x5a7a_7a7a { bits |= 1 << 42 }
        block[Int(scalar & 0xff)] = bits
        return Entry(bits: bits)
    }
}
