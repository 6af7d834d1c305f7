/// A single-byte encoding of the WHATWG Encoding Standard that ICU lacks or decodes differently: ICU's nearest
/// encoding, with the differences corrected.
struct SingleByteTable {
    /// ICU's name of the encoding to which the differences apply.
    let base: String
    /// The bytes that decode to other UTF-16 units than in the base encoding, with those units; nil for a byte that
    /// is invalid.
    let differences: [UInt8: UInt16?]

    /// The tables by the names of their encodings in the WHATWG Encoding Standard.
    static let named: [String: SingleByteTable] = [
        // ICU permutes three control characters, as printers under DOS did.
        "IBM866": SingleByteTable(base: "ibm-866_P100-1995", differences: [0x1a: 0x1a, 0x1c: 0x1c, 0x7f: 0x7f]),
        "KOI8-U": SingleByteTable(base: "ibm-1168_P100-2002", differences: [0xae: 0x45e, 0xbe: 0x40e]),
        "windows-1253": SingleByteTable(base: "ibm-5349_P100-1998", differences: [0xaa: nil]),
        "windows-1255": SingleByteTable(base: "ibm-9447_P100-2002", differences: [0xca: 0x5ba]),
        "ISO-8859-16": SingleByteTable(
            base: "ibm-923_P100-1998",
            differences: [
                0xa1: 0x104, 0xa2: 0x105, 0xa3: 0x141, 0xa5: 0x201e, 0xaa: 0x218, 0xac: 0x179, 0xae: 0x17a,
                0xaf: 0x17b, 0xb2: 0x10c, 0xb3: 0x142, 0xb5: 0x201d, 0xb9: 0x10d, 0xba: 0x219, 0xbf: 0x17c,
                0xc3: 0x102, 0xc5: 0x106, 0xd0: 0x110, 0xd1: 0x143, 0xd5: 0x150, 0xd7: 0x15a, 0xd8: 0x170,
                0xdd: 0x118, 0xde: 0x21a, 0xe3: 0x103, 0xe5: 0x107, 0xf0: 0x111, 0xf1: 0x144, 0xf5: 0x151,
                0xf7: 0x15b, 0xf8: 0x171, 0xfd: 0x119, 0xfe: 0x21b,
            ]),
    ]
}

/// The units to which the bytes of a ``SingleByteTable`` decode, and the bytes that encode the units.
struct SingleByteCodes {
    /// The unit of each byte; nil for an invalid byte.
    let units: [UInt16?]
    private let bytes: [UInt16: UInt8]

    /// Creates the codes of a table. `base` decodes a byte in the table's base encoding, to a unit or nil; the table's
    /// differences replace its results.
    init(_ table: SingleByteTable, base: (UInt8) -> UInt16?) {
        let units = (0...UInt8.max).map { byte in
            if let difference = table.differences[byte] { difference } else { base(byte) }
        }
        self.units = units
        var bytes: [UInt16: UInt8] = [:]
        for byte in 0...UInt8.max {
            if let unit = units[Int(byte)] { bytes[unit] = byte }
        }
        self.bytes = bytes
    }

    /// Returns the byte that encodes a unit; nil if there is none.
    func byte(of unit: UInt16) -> UInt8? { bytes[unit] }
}
