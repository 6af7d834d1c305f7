import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneView
import InkstoneWords
import InkstoneX11

/// The open menu of a window, and the keys pressed in it.
struct MenuUse {
    /// The menu that is open; nil for none.
    var window: MenuWindow?
    /// The key codes of the keys that were pressed in a menu and are not released yet.
    var keys: Set<UInt8> = []
}

extension WidgetWindow {
    /// Whether a menu is open in the window.
    public var isMenuOpen: Bool { menu.window != nil }

    /// Opens a menu for a view of the window, after closing any other menu. Opens none if no line of it can be
    /// chosen.
    ///
    /// - Parameters:
    ///   - items: the menu's lines, from the top.
    ///   - view: the view of the menu.
    ///   - location: the pointer's position, in window pixels; nil for a menu opened by a key.
    ///   - anchor: the rectangle beside which the menu is placed, in window pixels; nil for the pointer's position
    ///     or, without one, the caret.
    ///   - timestamp: the time of the user's event that opens the menu, in the server's milliseconds.
    public func openMenu(
        _ items: [MenuItem], for view: TextView, at location: WindowPoint? = nil, beside anchor: WindowRect? = nil,
        timestamp: UInt32? = nil
    ) {
        closeMenu()
        guard !window.isClosed, items.contains(where: \.isChoosable) else { return }
        let anchor = anchor ?? location.map { WindowRect(origin: $0, size: .zero) } ?? view.menuAnchor
        let root: RootRect = anchor.converted(from: window.rootOrigin)
        let pointer: RootPoint? = location?.converted(from: window.rootOrigin)
        window.keepsImpliedFocus = true
        pressed.content = nil
        // If the window of the menu cannot be created, continue without the menu, because its commands can also be
        // given by keys. The display's error handler has reported the error.
        menu.window = try? MenuWindow(
            items, for: view, in: self, pointer: pointer, beside: root,
            timestamp: timestamp ?? display.latestTimestamp
        ) { [weak self] in
            self?.menu.window = nil
            self?.window.keepsImpliedFocus = false
        }
    }

    /// Closes the menu without choosing a line.
    public func closeMenu() { menu.window?.close() }

    /// Handles a key. Returns true if the key was consumed: every press while a menu is open, and the release of a
    /// key that was pressed in a menu.
    func menuTakes(_ key: KeyEvent) -> Bool {
        guard key.phase != .up else { return menu.keys.remove(key.keycode) != nil }
        guard let open = menu.window else { return false }
        menu.keys.insert(key.keycode)
        if !key.keysym.isModifier { open.press(key) }
        return true
    }

    /// Passes a pointer event to the open menu. Returns false if no menu is open.
    func menuTakes(_ event: PointerEvent) -> Bool {
        guard let open = menu.window else { return false }
        open.handle(event, at: event.location.converted(from: window.rootOrigin))
        return true
    }
}

extension TextView {
    /// The rectangle beside which a menu opened by a key is placed, in window pixels: the caret, moved into the
    /// view if it is out of view.
    var menuAnchor: WindowRect {
        guard let end = selectedTextRange?.end else { return WindowRect(origin: frame.origin, size: .zero) }
        let caret = caretRect(for: end)
        let x = min(max(0, caret.minX), frame.width)
        let y = min(max(0, caret.maxY), frame.height)
        return WindowRect(
            x: frame.minX + x, y: frame.minY + max(0, y - caret.height), width: 0, height: min(y, caret.height))
    }

    /// Opens the view's menu at a position in window pixels or, if nil, at the caret.
    public func openContextMenu(at location: WindowPoint? = nil, timestamp: UInt32? = nil) {
        let waits = menuPreparation?(location) { [weak self] in
            self?.openPreparedMenu(at: location, timestamp: timestamp)
        }
        if waits != true { openPreparedMenu(at: location, timestamp: timestamp) }
    }

    private func openPreparedMenu(at location: WindowPoint?, timestamp: UInt32?) {
        let leading = linkItems(at: location) + (leadingMenuItems?(location) ?? [])
        let items = leading.isEmpty ? contextMenuItems : leading + [.separator] + contextMenuItems
        window?.openMenu(items, for: self, at: location, timestamp: timestamp)
    }

    /// Returns the link at a position in window pixels or, if nil, at the caret. Nil if there is no link.
    package func link(at location: WindowPoint?) -> (destination: String, range: Range<UTF16Offset>)? {
        guard let location else { return selectedLink }
        return link(at: location.converted(to: ViewSpace.self, originAt: frame.origin))
    }

    /// Returns the lines for the link at a position in window pixels or, if nil, at the caret; empty if there is no
    /// link.
    private func linkItems(at location: WindowPoint?) -> [MenuItem] {
        guard let found = link(at: location) else { return [] }
        let open = MenuItem(
            localized("Open Link"), shortcut: keyBindings.shortcutText(of: .openLink), isEnabled: onOpenLink != nil
        ) { [weak self] in self?.chooseInOrder { $0.onOpenLink?(found.destination) } }
        let copy = MenuItem(localized("Copy Link Address")) { [weak self] in
            self?.chooseInOrder { $0.copy(CopiedText(found.destination)) }
        }
        return [open, copy]
    }

    /// The lines of the view's menu: commands for the text, the writing direction, the program's ``menuItems``, and
    /// the state of the input method. The lines for a link and the ``leadingMenuItems`` are not included.
    public var contextMenuItems: [MenuItem] {
        let isFree = window?.takes(self) ?? true
        func item(_ title: String, _ command: EditCommand, and condition: Bool = true) -> MenuItem {
            MenuItem(
                title, shortcut: keyBindings.shortcutText(of: command),
                isEnabled: isFree && condition && canPerformAction(command, withSender: self)
            ) { [weak self] in self?.choose(command) }
        }
        let hasSelection = selection?.isEmpty == false
        var items = [
            item(localized("Undo"), .undo, and: isEditable), item(localized("Redo"), .redo, and: isEditable),
            .separator,
            item(localized("Cut"), .cut, and: hasSelection), item(localized("Copy"), .copy, and: hasSelection),
            item(localized("Paste"), .paste, and: clipboardHasText), .separator,
            item(localized("Select All"), .selectAll, and: !store.text.isEmpty), .separator,
        ]
        let directions: [(String, EditCommand, WritingDirection)] = [
            (localized("Automatic Text Direction"), .makeBaseWritingDirectionNatural, .natural),
            (localized("Left to Right"), .makeBaseWritingDirectionLeftToRight, .leftToRight),
            (localized("Right to Left"), .makeBaseWritingDirectionRightToLeft, .rightToLeft),
        ]
        for (title, command, direction) in directions {
            var line = item(title, command)
            line.kind = .choice(isOn: options.baseWritingDirection == direction)
            items.append(line)
        }
        let own = menuItems?() ?? []
        if !own.isEmpty { items += [.separator] + own }
        if let state = window?.inputMethodState {
            items += [.separator, MenuItem(localized("Input method: \(state.summary)"), kind: .note)]
        }
        return items
    }

    private var clipboardHasText: Bool { window.map { $0.display.hasOwner(of: $0.display.clipboard) } ?? false }

    /// Performs a command chosen in the menu, after the keys that were struck before it. Does nothing if, once
    /// these keys are handled, the window no longer accepts presses on the view.
    private func choose(_ command: EditCommand) { chooseInOrder { $0.inputContext.perform(command) } }

    private func chooseInOrder(_ work: @escaping (TextView) -> Void) {
        window?.performInOrder(.action) { [weak self] in
            if let self, window?.takes(self) ?? false { work(self) }
        }
    }
}
