import InkstoneBase
import InkstoneBus

/// The `Hypertext` interface of a text and the `Hyperlink` interface of its links and attachments.
///
/// The path of a link is the path of its text, followed by the link's offset and a hash of all its properties.
/// Clients cache names by path. So a link that an edit has changed is a new object, and its old path is no longer
/// valid.
extension AccessibleServer {
    private static let infix = "/link/"

    /// Returns the path of a link's object on the bus.
    func path(of link: AccessibleLink, in node: AccessibleNode) -> String {
        path(of: node) + Self.infix + Self.name(of: link)
    }

    private static func name(of link: AccessibleLink) -> String {
        "\(link.range.lowerBound)_\(String(UInt(bitPattern: link.hashValue), radix: 16))"
    }

    /// Returns the object of a link from the part of its path after ``prefix``; nil if the text has no such link.
    func link(at path: Substring) -> AccessibleNode? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1] == "link", let id = Int(parts[0]), let node = tree.node(id),
            let text = node.text?.current, let start = parts[2].split(separator: "_").first.flatMap({ Int($0) })
        else { return nil }
        return text.links(from: start).first { Self.name(of: $0) == parts[2] }.map {
            AccessibleNode($0, in: node, text)
        }
    }

    /// Answers a call of the interface `Hypertext`; nil if the interface has no such method with such arguments.
    func hypertext(_ member: String, _ body: [BusValue], _ text: AccessibleText, _ node: AccessibleNode) -> [BusValue]?
    {
        switch (member, body.first) {
        case ("GetNLinks", nil): return [.int32(Int32(clamping: text.links.count))]
        case ("GetLink", .int32(let index)):
            let links = text.links
            guard links.indices.contains(Int(index)) else { return [reference(nil)] }
            return [reference(AccessibleNode(links[Int(index)], in: node, text))]
        case ("GetLinkIndex", .int32(let offset)):
            return [.int32(Int32(clamping: text.linkIndex(at: Int(offset)) ?? -1))]
        default: return nil
        }
    }

    /// Answers a call of the interface `Hyperlink`; nil if the interface has no such method with such arguments.
    func hyperlink(_ member: String, _ body: [BusValue], _ link: AccessibleLink, _ node: AccessibleNode) -> [BusValue]?
    {
        switch (member, body.first) {
        case ("GetObject", .int32(let index)): return [reference(index == 0 ? node : nil)]
        case ("GetURI", .int32(let index)): return [.text(index == 0 ? link.destination : "")]
        case ("IsValid", nil): return [.boolean(true)]
        default: return nil
        }
    }
}
