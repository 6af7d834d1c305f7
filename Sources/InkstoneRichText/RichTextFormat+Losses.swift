import InkstoneBase
import InkstoneLayout
public import InkstoneText

extension RichTextFormat {
    /// Returns the names of the attributes of a text that ``write(_:)`` omits or approximates, in alphabetical
    /// order. No reader of the document can restore them. O(n); each different set of attributes is examined once.
    public func lostAttributes(of text: StyledText) -> [String] {
        var lost: Set<String> = []
        var known: Set<AttributeID> = []
        var room = RichPicture.mostWritten
        text.attributeRuns.forEachID(in: text.rope.utf16Range) { id, range in
            for (key, value) in id.attributes.values {
                if let picture = value as? TextAttachment {
                    room -= min(room, picture.contents.count * range.length())
                    if room == 0 { lost.insert(key.name) }
                }
                if !known.contains(id), !canHold(value, of: key) { lost.insert(key.name) }
            }
            known.insert(id)
        }
        return lost.sorted()
    }

    /// Whether a document in this format can express a value of an attribute completely.
    private func canHold(_ value: any Hashable & Sendable, of key: any AttributeKey.Type) -> Bool {
        switch value {
        case let link as String where key == LinkAttribute.self: LinkDestination.outgoing(link) != nil
        case let weight as Double where key == FontWeightAttribute.self:
            // RTF only has the weights regular and bold.
            self == .html || weight == 80 || weight == FontWeights.bold
        case let slant as FontDescriptor.Slant where key == FontSlantAttribute.self: self == .html || slant != .oblique
        case let line as RenderingAttributes.LineStyle where key == UnderlineAttribute.self:
            self == .rtf || line != .thick
        case let line as RenderingAttributes.LineStyle where key == StrikethroughAttribute.self:
            line == .single || line == .double || self == .html && line != .thick
        case let level as Int where key == SuperscriptAttribute.self: self == .html || level == level.signum()
        case let style as ParagraphStyle where key == ParagraphStyleAttribute.self: style.tabStops.isEmpty
        case let picture as TextAttachment: canHold(picture)
        default:
            Self.writtenKeys.contains { $0 == key } || self == .html && key == LanguageAttribute.self
        }
    }

    private func canHold(_ picture: TextAttachment) -> Bool {
        guard let format = picture.imageHeader?.format else {
            return self == .html && picture.type == RichPicture.addressType
        }
        return self == .html || format == .png || format == .jpeg
    }

    /// The attributes of which both formats can express every value. Code and blocks are expressed by their fonts,
    /// colours and indents.
    private static let writtenKeys: [any AttributeKey.Type] = [
        FontFamilyAttribute.self, FontSizeAttribute.self, ForegroundAttribute.self, BackgroundAttribute.self,
        UnderlineColorAttribute.self, TrackingAttribute.self, ListAttribute.self, PresentationIntentAttribute.self,
        InlinePresentationIntentAttribute.self,
    ]
}
