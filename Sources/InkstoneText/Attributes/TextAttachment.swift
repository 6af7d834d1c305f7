import InkstoneBase

/// An object in text: an image, or a program's own view. It is the attribute of a ``character`` in the text.
///
/// A value whose copies share the contents: copying an attachment, or text with it, copies no contents.
public struct TextAttachment: Hashable, Sendable {
    /// The character that carries an attachment, U+FFFC. Without an attachment it is an ordinary character.
    public static let character: Unicode.Scalar = "\u{fffc}"
    /// The longest contents, in bytes.
    public static let mostBytes = ImageHeader.mostBytes

    /// MIME type of the contents, at most 128 scalars without control characters.
    public var type: String
    /// Words that replace the attachment where it is not visible, at most 4,096 scalars without control characters.
    public var alternateDescription: String
    /// The displayed extent, pixels at scale 1, unless the line is narrower; nil for the image's own. Clamped to 1…16,384.
    public var size: Size?
    /// Distance of its lower edge above the baseline, pixels at scale 1. Clamped to ±1,000.
    public var baselineOffset = 0.0

    private var shared: Contents

    /// The contents, at most ``mostBytes``; longer contents are cut off.
    public var contents: [UInt8] {
        get { shared.bytes }
        set { shared = Contents(newValue) }
    }

    /// Format and extent of the image in the contents; nil if they are no image.
    package var imageHeader: ImageHeader? { shared.header }

    /// A hash of the contents: equal for equal contents, and very likely different for others.
    package var contentsHash: Int { shared.hash }

    /// The identity of the contents, which copies share.
    var contentsIdentity: ObjectIdentifier { ObjectIdentifier(shared) }

    /// Whether the contents are equal. O(1) for copies, and for almost all other contents.
    func hasContents(of other: TextAttachment) -> Bool { shared == other.shared }

    /// Returns the attachment with the contents of another; with empty contents for nil.
    func withContents(of other: TextAttachment?) -> TextAttachment {
        var result = self
        result.shared = other?.shared ?? Contents([])
        return result
    }

    /// An attachment; nil for contents above ``mostBytes``.
    public init?(contents: [UInt8], type: String, alternateDescription: String = "", size: Size? = nil) {
        guard contents.count <= Self.mostBytes else { return nil }
        (self.type, self.alternateDescription, self.size) = (type, alternateDescription, size)
        shared = Contents(contents)
    }

    /// An image with its own extent; nil for bytes that are no PNG, JPEG, WebP or GIF image, or above ``mostBytes``.
    public init?(image: [UInt8], alternateDescription: String = "", size: Size? = nil) {
        guard let header = ImageHeader(image) else { return nil }
        self.init(
            contents: image, type: header.format.rawValue, alternateDescription: alternateDescription, size: size)
    }

    /// The attachment with numbers and strings clamped to their limits.
    package var checked: TextAttachment {
        var result = self
        result.type = Self.words(type, atMost: 128)
        result.alternateDescription = Self.words(alternateDescription, atMost: 4096)
        if let size {
            let range = 1.0...16_384
            result.size = Size(
                width: size.width.checked(in: range, else: 1), height: size.height.checked(in: range, else: 1))
        }
        result.baselineOffset = baselineOffset.checked(in: -1000...1000)
        return result
    }

    private static func words(_ text: String, atMost count: Int) -> String {
        let scalars = text.unicodeScalars.prefix(count).map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Encodes lines with type, extent, offset and description, followed by the contents.
    package var coded: [UInt8] {
        let checked = checked
        let extent = checked.size.map { "\($0.width) \($0.height)" } ?? ""
        let head = [checked.type, extent, checked.baselineOffset.description, checked.alternateDescription]
        return head.flatMap { Array($0.utf8) + [0x0a] } + contents
    }

    /// Decodes an attachment from ``coded``; nil for other bytes.
    package init?(coded bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes + 1 << 16 else { return nil }
        var rest = bytes[...]
        var head: [String] = []
        for _ in 0..<4 {
            guard let end = rest.prefix(1 << 15).firstIndex(of: 0x0a),
                let field = String(validating: rest[..<end], as: UTF8.self)
            else { return nil }
            head.append(field)
            rest = rest[(end + 1)...]
        }
        self.init(contents: Array(rest), type: head[0], alternateDescription: head[3])
        if !head[1].isEmpty {
            let extent = head[1].split(separator: " ").compactMap { Double($0) }
            guard extent.count == 2 else { return nil }
            size = Size(width: extent[0], height: extent[1])
        }
        guard let offset = Double(head[2]) else { return nil }
        baselineOffset = offset
        self = checked
    }

    /// The contents that copies share.
    private final class Contents: Hashable, Sendable {
        let bytes: [UInt8]
        let header: ImageHeader?
        /// A hash of the length and some of the bytes: contents with equal hashes are compared whole.
        let hash: Int

        init(_ all: [UInt8]) {
            bytes = all.count <= TextAttachment.mostBytes ? all : Array(all[..<TextAttachment.mostBytes])
            header = ImageHeader(bytes)
            var hasher = Hasher()
            hasher.combine(bytes.count)
            let middle = max(0, bytes.count / 2 - 2048)
            for part in [bytes.prefix(4096), bytes[middle...].prefix(4096), bytes.suffix(4096)] {
                part.withUnsafeBytes { hasher.combine(bytes: $0) }
            }
            hash = hasher.finalize()
        }

        static func == (a: Contents, b: Contents) -> Bool { a === b || a.hash == b.hash && a.bytes == b.bytes }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }
}
