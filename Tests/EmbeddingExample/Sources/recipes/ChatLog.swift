import Inkstone

/// A chat: a log that grows, whose links open, and a line to write in.
@MainActor final class Chat {
    let window: WidgetWindow
    let log: TextView
    let line: TextView

    init(_ display: Display, open: @escaping (String) -> Void, send: @escaping (String) -> Void) throws {
        window = try WidgetWindow(display, size: Size(width: 420, height: 320))
        (log, line) = (TextView(in: window), TextView(in: window))
        log.isEditable = false
        // A click opens a link, and the pointer is a hand over it. Check an address before it goes to another program.
        log.onOpenLink = { if $0.hasPrefix("https://") { open($0) } }
        line.options.isSingleLine = true
        line.onSubmit = { [weak line] in
            guard let line, !line.text.isEmpty else { return }
            send(line.text)
            // Undo does not bring back what was sent.
            line.reset()
        }
        window.onLayout = { [weak log, weak line] window in
            guard let log, let line else { return }
            let size = window.size
            let height = line.preferredHeight
            log.setFrame(WindowRect(x: 0, y: 0, width: size.width, height: size.height - height))
            line.setFrame(WindowRect(x: 0, y: size.height - height, width: size.width, height: height))
        }
        line.focus()
        display.onSettingsChange = { [weak self] in self?.recolorNames() }
    }

    /// A colour for names that can be read on the background that the desktop prefers.
    private var nameColor: Color { Color(rgb: window.display.preferences.prefersDark ? 0x7ee787 : 0x116329) }

    /// A colour is part of the text, so another background needs another one.
    private func recolorNames() {
        let color = nameColor
        log.store.restyle(undo: .notRecorded) { change in
            change.map(ForegroundAttribute.self, in: log.textRange) { $0 == nil ? nil : color }
        }
    }

    /// Adds a message. Who reads the end of the log sees it; who has scrolled up stays there. No history is kept of it.
    func receive(_ words: String, link: String? = nil, from author: String) {
        var name = TextAttributes(FontWeightAttribute.self, FontDescriptor.boldWeight)
        name[ForegroundAttribute.self] = nameColor
        log.append(StyledText(Rope("\(author): "), name))
        log.append(StyledText(Rope(words), link.map { TextAttributes(LinkAttribute.self, $0) } ?? TextAttributes()))
        log.append(StyledText(Rope("\n")))
    }
}
