/// What a selection holds: the same contents in several types, each made when somebody asks for it.
///
/// The order in which types are added is the order in which requestors see them: the best first.
public struct PasteboardItem {
    /// Contents of one type as bytes that are read in parts, so that a large transfer holds no copy of them.
    public struct Bytes {
        /// The length in bytes.
        public let count: Int
        private let reading: (Range<Int>) -> [UInt8]

        /// Bytes of which `reading` makes any part; it is called as long as a transfer goes on and has to give the same
        /// each time.
        public init(count: Int, reading: @escaping (Range<Int>) -> [UInt8]) {
            self.count = count
            self.reading = reading
        }

        /// Bytes as they are.
        public init(_ bytes: [UInt8]) { self.init(count: bytes.count) { Array(bytes[$0]) } }

        /// A text in UTF-8. O(1) for strings of Swift's own.
        public init(utf8 text: String) {
            var text = text
            text.makeContiguousUTF8()
            let native = text
            self.init(count: native.utf8.count) { range in
                native.utf8.withContiguousStorageIfAvailable { Array($0[range]) } ?? Array(Array(native.utf8)[range])
            }
        }

        /// A part, clamped to what there is. O(n) for the part's length n.
        public subscript(_ range: Range<Int>) -> [UInt8] {
            let range = range.clamped(to: 0..<count)
            return range.isEmpty ? [] : reading(range)
        }

        /// All of them. O(n).
        public var all: [UInt8] { self[0..<count] }
    }

    enum Kind: Hashable {
        /// UTF-8, offered as all targets of text.
        case text
        /// Offered as a target of this name.
        case data(String)
    }

    struct Representation {
        var kind: Kind
        var make: () -> Bytes?
    }

    private(set) var representations: [Representation] = []
    /// Whether it is secret, such as a password: clipboard managers are asked to keep it out of their histories.
    public var isSecret = false
    /// What a paste in this process takes instead of any bytes, if it knows the type of it.
    public var local: Any?

    /// An item of no type yet.
    public init() {}

    /// An item of one text.
    public init(text: @escaping () -> String?) { addText { text().map { Bytes(utf8: $0) } } }

    /// Adds plain text, as UTF-8; other encodings are made from it. Nil when it is asked for: there is none any more.
    public mutating func addText(_ make: @escaping () -> Bytes?) {
        representations.append(Representation(kind: .text, make: make))
    }

    /// Adds a type by its name as a target, such as `text/html` or `image/png`.
    public mutating func add(_ type: String, _ make: @escaping () -> Bytes?) {
        representations.append(Representation(kind: .data(type), make: make))
    }

    /// The bytes of a type; nil if it is none of this item's.
    func bytes(of type: String) -> Bytes? {
        representations.first { $0.kind == .data(type) }.flatMap { $0.make() }
    }

    /// The plain text; nil if there is none.
    var text: String? {
        representations.first { $0.kind == .text }.flatMap { $0.make() }.map { String(decoding: $0.all, as: UTF8.self) }
    }
}
