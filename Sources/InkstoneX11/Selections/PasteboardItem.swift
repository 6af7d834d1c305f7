/// The contents of a selection in several types. Each type is created on demand.
///
/// Requestors see the types in the order in which they were added. So add the best first.
public struct PasteboardItem {
    /// The contents of one type. The bytes are read in parts, so a large transfer needs no copy of them.
    public struct Bytes {
        /// The length in bytes.
        public let count: Int
        private let reading: (Range<Int>) -> [UInt8]

        /// Creates contents whose parts `reading` returns. `reading` is called repeatedly during a transfer, and
        /// must return the same bytes each time.
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

        /// Returns a part of the bytes. The range is clamped to the bytes. O(n) for the part's length n.
        public subscript(_ range: Range<Int>) -> [UInt8] {
            let range = range.clamped(to: 0..<count)
            return range.isEmpty ? [] : reading(range)
        }

        /// The complete bytes. O(n).
        public var all: [UInt8] { self[0..<count] }
    }

    /// The kind of a representation.
    enum Kind: Hashable {
        /// Text in UTF-8, which is offered as all text targets.
        case text
        /// A type offered as the target with this name.
        case data(String)
    }

    /// The contents in one form. `make` returns the bytes; nil if the contents no longer exist.
    struct Representation {
        var kind: Kind
        var make: () -> Bytes?
    }

    private(set) var representations: [Representation] = []
    /// Whether the contents are secret, such as a password. If so, clipboard managers are asked not to record them.
    public var isSecret = false
    /// An object for pasting within this process; nil for none. If the code that pastes knows the object's type, it
    /// uses the object and not the bytes.
    public var local: Any?

    /// Creates an item without types.
    public init() {}

    /// Creates an item with one text. `text` returns nil if the text no longer exists.
    public init(text: @escaping () -> String?) { addText { text().map { Bytes(utf8: $0) } } }

    /// Adds plain text in UTF-8. Other encodings are converted from it. `make` returns nil if the text no longer
    /// exists.
    public mutating func addText(_ make: @escaping () -> Bytes?) {
        representations.append(Representation(kind: .text, make: make))
    }

    /// Adds a type with the name of its target, such as `text/html` or `image/png`.
    public mutating func add(_ type: String, _ make: @escaping () -> Bytes?) {
        representations.append(Representation(kind: .data(type), make: make))
    }

    /// Returns the bytes of a type; nil if the item does not have it, or if these contents no longer exist.
    func bytes(of type: String) -> Bytes? {
        representations.first { $0.kind == .data(type) }.flatMap { $0.make() }
    }

    /// The plain text; nil if the item has none, or if the text no longer exists.
    var text: String? {
        representations.first { $0.kind == .text }.flatMap { $0.make() }.map { String(decoding: $0.all, as: UTF8.self) }
    }
}
