import Glibc
import Inkstone
import InkstoneFiles

/// Links in styled text. Opening a link, as described at ``EditorView/onOpenLink``, passes it to the program that
/// the desktop has for it.
extension EditorWindow {
    /// Lets the user open the links of a styled document, and shows the address of the link that a click would
    /// open.
    func followLinks() {
        view.onOpenLink = { [weak self] in self?.open(link: $0) }
        view.onHoverLink = { [weak self] in self?.show(hint: $0.map { FilePath.label($0, limit: 80) }) }
    }

    private func open(link address: String) {
        guard !isClosed else { return }
        guard LinkOpener.takes(address) else { return notify(Words.onlyWebLinks, isProblem: true) }
        perform(inBackground: { LinkOpener.open(address) }) { window, isOpen in
            if !isOpen { window.notify(Words.linkNotOpened(FilePath.label(address, limit: 60)), isProblem: true) }
        }
    }

    /// Returns the context menu's items for the link at a position in window pixels or, if nil, at the caret. Empty if
    /// there is no link, or if the text cannot be edited.
    func linkItems(at location: WindowPoint?) -> [MenuItem] {
        guard view.isEditable, let link = view.link(at: location) else { return [] }
        return [MenuItem(Words.editLink) { [weak self] in self?.performUnlessAsking { $0.askForLink(link.range) } }]
    }
}

/// Opens addresses with `xdg-open`, which knows the user's browser and mailer.
enum LinkOpener {
    /// The maximum length of an address in bytes. Longer addresses are not opened, because they crash some programs.
    private static let limit = 8192

    /// Whether an address may be opened: only web pages and mail addresses, because a document must not open files or
    /// run programs. Also refuses addresses with blanks, those that are too long, and mail addresses that may attach
    /// files.
    static func takes(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return ["https://", "http://", "mailto:"].contains { start.hasPrefix($0) }
            && address.utf8.count <= limit && address.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f }
            && !(start.hasPrefix("mailto:") && attachesFiles(address))
    }

    /// Whether the query of a mail address has fields other than recipients, subject, body and `in-reply-to`, which the
    /// user sees before sending. In some mailers, other fields attach files.
    private static func attachesFiles(_ address: String) -> Bool {
        guard let query = address.firstIndex(of: "?") else { return false }
        let fields = address[address.index(after: query)...].split(whereSeparator: { "&;?".contains($0) })
        return !fields.allSatisfy { field in
            let name = field.prefix { $0 != "=" }.lowercased()
            return ["subject", "body", "to", "cc", "bcc", "in-reply-to"].contains(name)
        }
    }

    /// Opens an address with `xdg-open`; returns whether that succeeded. Blocks until `xdg-open` ends; with some
    /// browsers, until the browser ends.
    static func open(_ address: String, by program: String = "xdg-open") -> Bool {
        guard let process = try? SpawnedProgram([program, address]).process else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        return status == 0
    }
}
