import InkstoneBase
import InkstoneText

/// The attachment that a U+FFFC stands for. No other character can have one, and typed text does not inherit it. A
/// U+FFFC without an attachment is shown with the font's glyph.
public enum AttachmentAttribute: StyleAttributeKey, CodedAttributeKey {
    /// An attachment with its size and contents.
    public typealias Value = TextAttachment
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.attachment"
    /// Typed text does not inherit an attachment.
    public static let inheritedByAddedText = false
    /// Only ``TextAttachment/character`` (U+FFFC) can have an attachment.
    public static let runBoundaries: AttributeRunBoundaries? = .scalar(TextAttachment.character)

    /// Returns the attachment with its numbers and texts clamped to their valid ranges.
    public static func checked(_ attachment: Value) -> Value? { attachment.checked }
    /// Encodes an attachment's type, size, description and contents.
    public static func encode(_ attachment: Value) -> [UInt8] { attachment.coded }
    /// Decodes an attachment from the bytes of ``encode(_:)``; nil for malformed bytes.
    public static func decode(_ bytes: [UInt8]) -> Value? { TextAttachment(coded: bytes) }

    /// Sets the style's attachment.
    public static func apply(_ attachment: Value, to style: inout TextStyle) { style.attachment = attachment }
}

/// The size of an attachment on its line and its position relative to the baseline, in device pixels.
public struct AttachmentBounds: Hashable, Sendable {
    /// Width and height. Layout clamps the width to 0…10,000 and the height to 0…32,000.
    public var size: Size
    /// Distance of the attachment's lower edge above the line's baseline, negative if the edge is below. Layout clamps
    /// it to ±16,384.
    public var baselineOffset: Double

    /// Creates bounds of a size, by default directly above the baseline.
    public init(size: Size, baselineOffset: Double = 0) {
        (self.size, self.baselineOffset) = (size, baselineOffset)
    }

    /// Size of an attachment that states no size and is no image, in pixels at scale 1.
    private static let unknown = Size(width: 32, height: 32)

    /// Creates the default bounds of an attachment: its stated size, or else its image's size, or else 32 × 32 pixels
    /// at scale 1; scaled down to fit the line. On a line of fixed height, the attachment lies directly above the
    /// baseline, whatever its own offset.
    ///
    /// - Parameters:
    ///   - scale: device pixels for each pixel at scale 1.
    ///   - width: the line's width in device pixels.
    ///   - height: the line's height in device pixels if it is fixed; nil otherwise.
    public init(of attachment: TextAttachment, scale: Double, width: Double, height: Double? = nil) {
        let image = attachment.imageHeader.map { Size(width: Double($0.width), height: Double($0.height)) }
        let own = attachment.size ?? image ?? Self.unknown
        let fit = min(1, width / (own.width * scale), (height ?? .infinity) / (own.height * scale))
        self.init(
            size: Size(
                width: max(1, (own.width * scale * fit).rounded()), height: max(1, (own.height * scale * fit).rounded())
            ),
            baselineOffset: height == nil ? (attachment.baselineOffset * scale).rounded() : 0)
    }
}

/// An attachment with its size on the line, in whole pixels.
struct AttachmentBox {
    var attachment: TextAttachment
    var width: Int32
    var height: Int32
    /// The extent of the attachment above the line's baseline, in pixels.
    var above: Int32
    /// The extent of the attachment below the line's baseline, in pixels.
    var below: Int32 { height - above }

    init(_ attachment: TextAttachment, _ bounds: AttachmentBounds, raise: Int16) {
        self.attachment = attachment
        // Limit the width, because the sum of all advances in a fragment, in 1/64 pixel, must fit 32 bits.
        width = Int32(Int(checking: bounds.size.width.rounded(), in: 0...10_000))
        height = Int32(Int(checking: bounds.size.height.rounded(), in: 0...32_000))
        above = height + Int32(Int(checking: bounds.baselineOffset.rounded(), in: -16_384...16_384)) + Int32(raise)
    }
}

/// An attachment with its position on a line.
public struct PlacedAttachment: Hashable, Sendable {
    /// The attachment that is shown.
    public var attachment: TextAttachment
    /// The UTF-16 unit of the document that stands for the attachment.
    public var offset: UTF16Offset
    /// The attachment's rectangle, in whole pixels of the document.
    public var frame: DocumentRect
}

extension TextLayoutFragment {
    /// Whether the fragment contains attachments.
    package var hasAttachments: Bool { textLineFragments.first?.fragment.shaped.attachments.isEmpty == false }
}

extension TextLineFragment {
    /// The attachments on the line, from left to right. O(1) if the paragraph has none.
    public var attachments: [PlacedAttachment] {
        guard !fragment.shaped.attachments.isEmpty else { return [] }
        return fragment.line(index, tools).runs.compactMap { run in
            guard run.kind == .attachment, let box = fragment.shaped.attachments[run.start] else { return nil }
            return PlacedAttachment(
                attachment: box.attachment, offset: UTF16Offset(fragmentStart + Int(run.start)),
                frame: DocumentRect(
                    x: fragmentX + Double(run.left >> 6), y: baseline - Double(box.above), width: Double(box.width),
                    height: Double(box.height)))
        }
    }
}
