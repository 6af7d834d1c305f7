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
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // With the editor's outputs, a reader of these would wait for the browser's end.
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // The browser continues when the editor ends.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = [strdup(program), strdup(address), nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawnp(&process, program, &actions, &attributes, &words, environ) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        return status == 0
    }
}
