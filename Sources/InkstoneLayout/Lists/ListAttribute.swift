import InkstoneBase
public import InkstoneText

/// A paragraph's place in lists.
public struct ListItem: Hashable, Sendable {
    /// The lists that the paragraph is in, outermost first: at least one, at most ``deepest``. It is an item of the last.
    public var lists: [TextList]
    /// Whether the paragraph has a marker and counts; false for one that belongs to the item before it.
    public var hasMarker: Bool
    /// Whether the box of a checkbox item is checked.
    public var isChecked: Bool

    /// Lists within each other at most.
    public static let deepest = 16

    /// An item of the last of some lists, which are within each other.
    public init(_ lists: [TextList], hasMarker: Bool = true, isChecked: Bool = false) {
        self.lists = lists
        self.hasMarker = hasMarker
        self.isChecked = isChecked
    }

    /// The list that it is an item of; nil only for one that ``ListAttribute`` does not let pass.
    public var list: TextList? { lists.last }
    /// Lists that it is in.
    public var level: Int { lists.count }
}

/// The lists that a paragraph is in. The marker is no part of the text: it is worked out and painted by layout, before the paragraph's
/// first line, with the looks of its first character. Each list indents its items by twice the size of the layout's font.
///
/// What comes behind the last newline of a text is no item, even if what stands before it is one.
public enum ListAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The item that a paragraph is.
    public typealias Value = ListItem
    /// The name of the key.
    public static let name = "inkstone.list"
    /// The paragraph: all of it is in one list.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph
    /// False: a list ends with its last line end.
    public static let inheritedByLastParagraph = false

    /// The item with its outermost lists, at most ``ListItem/deepest``; nil if it is in none.
    public static func checked(_ item: ListItem) -> ListItem? {
        guard !item.lists.isEmpty else { return nil }
        var result = item
        result.lists = Array(item.lists.prefix(ListItem.deepest))
        for index in result.lists.indices { result.lists[index].marker = result.lists[index].marker.checked }
        if result.list?.marker != .checkbox { result.isChecked = false }
        return result
    }

    /// Has the paragraph marked and indented.
    public static func apply(_ item: ListItem, to style: inout TextStyle) { style.listItem = item }

    /// A line for each list, then what differs from an unchecked item with a marker.
    public static func encode(_ item: ListItem) -> [UInt8] {
        var fields = NamedFields()
        for list in item.lists {
            fields.add("list", "\(list.id.value) \(list.startingNumber) \(list.marker.name)")
            if list.suffix != "." { fields.add("suffix", list.suffix) }
            if case .custom(let text) = list.marker { fields.add("text", text) }
        }
        if !item.hasMarker { fields.add("marker", "none") }
        if item.isChecked { fields.add("checked", "yes") }
        return fields.bytes
    }

    /// The item of bytes that ``encode(_:)`` made, or anybody else.
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
