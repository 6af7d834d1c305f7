import InkstoneBase

/// An object in text: an image, or a program's own view. An attachment is the attribute of a ``character`` in the
/// text.
///
/// Copies of an attachment share its contents: copying an attachment, or text with an attachment, copies no
/// contents.
public struct TextAttachment: Hashable, Sendable {
    /// The character that carries an attachment, U+FFFC. Without the attribute it is an ordinary character.
    public static let character: Unicode.Scalar = "\u{fffc}"
    /// The largest size of the contents, in bytes.
    public static let mostBytes = ImageHeader.mostBytes

    /// MIME type of the contents, at most 128 scalars without control characters.
    public var type: String
    /// Words that replace the attachment where it is not visible, at most 4,096 scalars without control characters.
    public var alternateDescription: String
    /// The size in which the attachment is shown, in pixels at scale 1; it is shown smaller in a narrower line. Nil
    /// for the image's own size. Clamped to 1…16,384 when the attachment is set as an attribute.
    public var size: Size?
    /// Distance of the attachment's lower edge above the baseline, in pixels at scale 1. Clamped to ±1,000 when the
    /// attachment is set as an attribute.
    public var baselineOffset = 0.0

    private var shared: Contents

    /// Whether two attachments have the same scalars in their texts, and the same size, offset and contents.
    public static func == (a: Self, b: Self) -> Bool {
        a.type.hasSameScalars(as: b.type) && a.alternateDescription.hasSameScalars(as: b.alternateDescription)
            && a.size == b.size && a.baselineOffset == b.baselineOffset && a.shared == b.shared
    }

    /// The contents, at most ``mostBytes``; longer contents are cut off.
    public var contents: [UInt8] {
        get { shared.bytes }
        set { shared = Contents(newValue) }
    }

    /// Format and size of the image in the contents; nil if the contents are no image.
    package var imageHeader: ImageHeader? { shared.header }

    /// A hash of the length and of parts of the contents: equal for equal contents. Contents of equal length that
    /// differ only outside these parts have equal hashes too.
    package var contentsHash: Int { shared.hash }

    /// The identity of the contents object, which copies share.
    var contentsIdentity: ObjectIdentifier { ObjectIdentifier(shared) }

    /// Whether the contents are equal to those of another attachment. O(1) for copies, and for different contents
    /// whose hashes differ, as almost all do. O(n) for others.
    func hasContents(of other: TextAttachment) -> Bool { shared == other.shared }

    /// Returns this attachment with the contents of another attachment; with empty contents for nil.
    func withContents(of other: TextAttachment?) -> TextAttachment {
        var result = self
        result.shared = other?.shared ?? Contents([])
        return result
    }

    /// Creates an attachment with the given contents; nil for more than ``mostBytes`` of them.
    public init?(contents: [UInt8], type: String, alternateDescription: String = "", size: Size? = nil) {
        guard contents.count <= Self.mostBytes else { return nil }
        (self.type, self.alternateDescription, self.size) = (type, alternateDescription, size)
        shared = Contents(contents)
    }

    /// Creates an attachment of an image, by default in the image's own size. Nil for more than ``mostBytes``, and for
    /// bytes that are no PNG, JPEG, WebP or GIF image.
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

    /// The attachment as bytes: one line each for type, size, baseline offset and description, followed by the
    /// contents.
    package var coded: [UInt8] {
        let checked = checked
        let extent = checked.size.map { "\($0.width) \($0.height)" } ?? ""
        let head = [checked.type, extent, checked.baselineOffset.description, checked.alternateDescription]
        return head.flatMap { Array($0.utf8) + [0x0a] } + contents
    }

    /// Creates an attachment by decoding the form of ``coded``; nil for other bytes.
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

    /// The contents of an attachment. Copies of the attachment share this object.
    private final class Contents: Hashable, Sendable {
        let bytes: [UInt8]
        let header: ImageHeader?
        /// A hash of the length and of some of the bytes. If the hashes of two contents are equal, all bytes are
        /// compared.
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
