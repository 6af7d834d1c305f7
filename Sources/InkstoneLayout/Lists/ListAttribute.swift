import InkstoneBase
public import InkstoneText

/// The lists that a paragraph belongs to, and its role in the innermost list.
public struct ListItem: Hashable, Sendable {
    /// The lists that the paragraph is in, outermost first. The paragraph is an item of the last list.
    /// ``ListAttribute`` keeps the first ``deepest`` lists, and rejects an item without lists.
    public var lists: [TextList]
    /// Whether the paragraph has a marker and is counted; false if it continues the item before it.
    public var hasMarker: Bool
    /// Whether a checkbox item is checked.
    public var isChecked: Bool

    /// The number of the outermost quotations of the paragraph that are around the outermost list. Its other
    /// quotations are within the item.
    package var enclosingQuotations = 0

    /// The largest nesting depth of lists. Deeper lists are not kept.
    public static let deepest = 16

    /// Creates an item of the last list in an array of nested lists.
    public init(_ lists: [TextList], hasMarker: Bool = true, isChecked: Bool = false) {
        self.lists = lists
        self.hasMarker = hasMarker
        self.isChecked = isChecked
    }

    /// The innermost list, whose item the paragraph is; nil only for an invalid item, which ``ListAttribute``
    /// rejects.
    public var list: TextList? { lists.last }
    /// Nesting depth of the item.
    public var level: Int { lists.count }
}

/// The lists that a paragraph is in.
///
/// A list marker is not part of the text: layout paints it before the paragraph's first line, in the style of the
/// first character. Each list indents its items by twice the size of the layout's font. An empty paragraph after a
/// text's last newline is not an item, even if the paragraph before it is one.
public enum ListAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The lists of a paragraph.
    public typealias Value = ListItem
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.list"
    /// Applies to whole paragraphs.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph
    /// An empty last paragraph does not inherit the item: a list ends with its last newline.
    public static let inheritedByLastParagraph = false

    /// Returns the item with at most ``ListItem/deepest`` of its outermost lists and valid markers; nil if it has
    /// no list. An item without a checkbox becomes unchecked.
    public static func checked(_ item: ListItem) -> ListItem? {
        guard !item.lists.isEmpty else { return nil }
        var result = item
        result.lists = Array(item.lists.prefix(ListItem.deepest))
        for index in result.lists.indices { result.lists[index].marker = result.lists[index].marker.checked }
        if result.list?.marker != .checkbox { result.isChecked = false }
        return result
    }

    /// Sets the style's list item, so that layout adds marker and indent.
    public static func apply(_ item: ListItem, to style: inout TextStyle) { style.listItem = item }

    /// Encodes a line for each list, followed by lines for its suffix, unless that is `.`, and for the text of a
    /// custom marker. Then, if they apply, encodes a line for a missing marker, a line for a checked box and a line
    /// for the quotations around the lists.
    public static func encode(_ item: ListItem) -> [UInt8] {
        var fields = NamedFields()
        for list in item.lists {
            fields.add("list", "\(list.id.value) \(list.startingNumber) \(list.marker.name)")
            if list.suffix != "." { fields.add("suffix", list.suffix) }
            if case .custom(let text) = list.marker { fields.add("text", text) }
        }
        if !item.hasMarker { fields.add("marker", "none") }
        if item.isChecked { fields.add("checked", "yes") }
        if item.enclosingQuotations > 0 { fields.add("quotations", "\(item.enclosingQuotations)") }
        return fields.bytes
    }

    /// Decodes an item from bytes, which may come from any program; nil for malformed bytes.
    public static func decode(_ bytes: [UInt8]) -> ListItem? {
        guard let fields = NamedFields(bytes) else { return nil }
        var item = ListItem([])
        for (name, value) in fields.values {
            let last = item.lists.count - 1
            switch name {
            case "list":
                let parts = value.split(separator: " ").map(String.init)
                guard parts.count == 3, let id = UInt64(parts[0]), let start = Int(parts[1]),
                    let marker = TextList.Marker(name: parts[2])
                else { return nil }
                item.lists.append(TextList(marker, id: TextList.ID(id), startingNumber: start))
            case "suffix" where last >= 0: item.lists[last].suffix = value
            case "text" where last >= 0: item.lists[last].marker = .custom(value)
            case "marker": item.hasMarker = value != "none"
            case "checked": item.isChecked = value == "yes"
            case "quotations": item.enclosingQuotations = max(0, Int(value) ?? 0)
            default: break
            }
        }
        return item
    }
}

extension TextList.Marker {
    private static let names: [(name: String, marker: Self)] = [
        ("disc", .disc), ("circle", .circle), ("square", .square), ("decimal", .decimal),
        ("lower-alpha", .lowercaseAlphabetic), ("upper-alpha", .uppercaseAlphabetic),
        ("lower-roman", .lowercaseRoman), ("upper-roman", .uppercaseRoman), ("checkbox", .checkbox),
    ]

    fileprivate var name: String { Self.names.first { $0.marker == self }?.name ?? "custom" }

    fileprivate init?(name: String) {
        if name == "custom" {
            self = .custom("")
        } else if let known = Self.names.first(where: { $0.name == name }) {
            self = known.marker
        } else {
            return nil
        }
    }
}
