import Glibc
import Inkstone

/// Links of styled text: Ctrl and a click open them in the desktop's program; in a read-only text a click suffices.
extension EditorWindow: TextInteractionDelegate {
    func textInteraction(_ interaction: TextInteraction, hasLinkAt position: TextPosition) -> Bool {
        link(at: position) != nil
    }

    func textInteraction(_ interaction: TextInteraction, openLinkAt position: TextPosition) {
        guard !isClosed, let address = link(at: position) else { return }
        guard LinkOpener.takes(address) else { return tell(Words.onlyWebLinks, isProblem: true) }
        perform(inBackground: { LinkOpener.open(address) }) { window, isOpen in
            if !isOpen { window.tell(Words.linkNotOpened(FilePath.label(address, limit: 60)), isProblem: true) }
        }
    }

    private func link(at position: TextPosition) -> String? {
        guard rich != nil else { return nil }
        return view.store.styledText.attributes(at: view.store.offset(of: position))[LinkAttribute.self]
    }
}

/// Opens addresses by the desktop, which knows the user's browser.
enum LinkOpener {
    /// The maximum length of an address in bytes: a longer one crashes some programs.
    private static let limit = 8192

    /// Whether an address is of a web page or a mailbox: a document must not open files or run programs.
    static func takes(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return ["https://", "http://", "mailto:"].contains { start.hasPrefix($0) }
            && address.utf8.count <= limit && address.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f }
            && !(start.hasPrefix("mailto:") && attachesFiles(address))
    }

    /// Whether the fields of a mail address name anything but what a person reads before sending: some mailers attach the files of others.
    private static func attachesFiles(_ address: String) -> Bool {
        guard let query = address.firstIndex(of: "?") else { return false }
        let fields = address[address.index(after: query)...].split(whereSeparator: { "&;?".contains($0) })
        return !fields.allSatisfy { field in
            let name = field.prefix { $0 != "=" }.lowercased()
            return ["subject", "body", "to", "cc", "bcc", "in-reply-to"].contains(name)
        }
    }

    /// Opens an address by `xdg-open`; returns whether that succeeded. Blocks until `xdg-open` ends, with some browsers only when they do.
    static func open(_ address: String, by program: String = "xdg-open") -> Bool {
        guard let process = try? SpawnedProgram([program, address]).process else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        return status == 0
    }
}
