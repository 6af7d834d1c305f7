import InkstoneBase
import InkstoneBus

/// The interfaces of links and attachments in a text, and of the text that has them.
///
/// A link's path has its place and a number made of all that it says, behind that of its text: clients keep names by paths, and a link that
/// an edit has changed is another object, the old one being gone.
extension AccessibleServer {
    private static let infix = "/link/"

    func path(of link: AccessibleLink, in node: AccessibleNode) -> String {
        path(of: node) + Self.infix + Self.name(of: link)
    }

    private static func name(of link: AccessibleLink) -> String {
        "\(link.range.lowerBound)_\(String(UInt(bitPattern: link.hashValue), radix: 16))"
    }

    /// The link of a path behind ``prefix``; nil if it is gone or never was.
    func link(at path: Substring) -> AccessibleNode? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1] == "link", let id = Int(parts[0]), let node = tree.node(id),
            let text = node.text?.current, let start = parts[2].split(separator: "_").first.flatMap({ Int($0) })
        else { return nil }
        return text.links(from: start).first { Self.name(of: $0) == parts[2] }.map {
            AccessibleNode($0, in: node, text)
        }
    }

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
