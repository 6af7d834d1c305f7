/// The contents of a selection in several types, each made on demand.
///
/// The order in which types are added is the order in which requestors see them: the best first.
public struct PasteboardItem {
    /// Contents of one type as bytes that are read in parts, so that a large transfer holds no copy of them.
    public struct Bytes {
        /// The length in bytes.
        public let count: Int
        private let reading: (Range<Int>) -> [UInt8]

        /// Creates contents that `reading` returns in parts; it is called during a transfer and must return the same
        /// bytes each time.
        public init(count: Int, reading: @escaping (Range<Int>) -> [UInt8]) {
            self.count = count
            self.reading = reading
        }

        /// Creates contents from an array of bytes.
        public init(_ bytes: [UInt8]) { self.init(count: bytes.count) { Array(bytes[$0]) } }

        /// Creates contents from a text, in UTF-8. O(1) for native Swift strings.
        public init(utf8 text: String) {
            var text = text
            text.makeContiguousUTF8()
            let native = text
            self.init(count: native.utf8.count) { range in
                native.utf8.withContiguousStorageIfAvailable { Array($0[range]) } ?? Array(Array(native.utf8)[range])
            }
        }

        /// Returns a part, with the range clamped to the contents. O(n) for the part's length n.
        public subscript(_ range: Range<Int>) -> [UInt8] {
            let range = range.clamped(to: 0..<count)
            return range.isEmpty ? [] : reading(range)
        }

        /// The whole contents. O(n).
        public var all: [UInt8] { self[0..<count] }
    }

    enum Kind: Hashable {
        /// A text in UTF-8, offered as all targets of text.
        case text
        /// A type that is offered as a target of this name.
        case data(String)
    }

    struct Representation {
        var kind: Kind
        var make: () -> Bytes?
    }

    private(set) var representations: [Representation] = []
    /// Whether the contents are secret, such as a password: clipboard managers are asked to keep them out of their histories.
    public var isSecret = false
    /// The object for a paste in this process, used instead of bytes if its type is known there.
    public var local: Any?

    /// Creates an item without types.
    public init() {}

    /// Creates an item of one text.
    public init(text: @escaping () -> String?) { addText { text().map { Bytes(utf8: $0) } } }

    /// Adds plain text, as UTF-8; other encodings are converted from it. `make` returns nil if the text does not exist any more.
    public mutating func addText(_ make: @escaping () -> Bytes?) {
        representations.append(Representation(kind: .text, make: make))
    }

    /// Adds a type by its name as a target, such as `text/html` or `image/png`.
    public mutating func add(_ type: String, _ make: @escaping () -> Bytes?) {
        representations.append(Representation(kind: .data(type), make: make))
    }

    /// Returns the bytes of a type; nil if the item does not have it.
    func bytes(of type: String) -> Bytes? {
        representations.first { $0.kind == .data(type) }.flatMap { $0.make() }
    }

    /// The plain text; nil if there is none.
    var text: String? {
        representations.first { $0.kind == .text }.flatMap { $0.make() }.map { String(decoding: $0.all, as: UTF8.self) }
    }
}
