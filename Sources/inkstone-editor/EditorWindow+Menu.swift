import Inkstone
import InkstoneFiles

/// The menu of the window, opened by F10 and by the button in the status line: the commands for files, finding,
/// editing, settings and windows. The context menu of the text only has the commands for editing.
extension EditorWindow {
    /// Opens the window's menu beside its button.
    ///
    /// - Parameters:
    ///   - location: the location of the pointer, in window pixels; nil if a key opens the menu.
    func showMenu(at location: WindowPoint? = nil) {
        window.openMenu(menuItems, for: view, at: location, beside: status.menuButton)
    }

    /// The items of the window's menu: commands for files and finding, submenus, help and quit.
    private var menuItems: [MenuItem] {
        // Disable the items that edit or open a prompt while a question is open.
        let isFree = !isAsking
        let mayEdit = isFree && !options.readOnly
        var items = [
            item(Words.new, .newDocument), item(Words.open, .openDocument, isEnabled: isFree),
            item(Words.openRecent, .openRecentDocument, isEnabled: isFree),
            item(Words.save, .saveDocument, isEnabled: mayEdit), item(Words.saveAs, .saveDocumentAs, isEnabled: isFree),
            item(Words.print, .printDocument, isEnabled: isFree),
        ]
        if let rich {
            items.append(
                MenuItem(Words.export, isEnabled: isFree && rich.isReady) { [weak self] in
                    self?.performUnlessAsking { $0.askWhereToExport() }
                })
        }
        items += [
            .separator,
            item(Words.find, .find, isEnabled: isFree), item(Words.replace, .findAndReplace, isEnabled: mayEdit),
            item(Words.goToLine, .goToLine, isEnabled: isFree),
            .separator,
        ]
        if rich != nil { items.append(.submenu(Words.textStyle, styleItems)) }
        return items + [
            .submenu(Words.edit, editItems), .submenu(Words.document, documentItems), .submenu(Words.view, viewItems),
            .separator,
            item(Words.keyboardShortcuts, .showHelp),
            MenuItem(Words.about) { [weak self] in self?.program.show(Words.aboutPage) },
            .separator,
            item(Words.close, .performClose), item(Words.quit, .terminate),
        ]
    }

    private func item(_ title: String, _ command: EditCommand, isEnabled: Bool = true) -> MenuItem {
        MenuItem(title, shortcut: view.keyBindings.shortcutText(of: command), isEnabled: isEnabled) { [weak self] in
            self?.perform(command)
        }
    }

    private func choice(
        _ title: String, _ isOn: Bool, isEnabled: Bool = true, _ work: @escaping (EditorWindow) -> Void
    ) -> MenuItem {
        MenuItem(title, kind: .choice(isOn: isOn), isEnabled: isEnabled) { [weak self] in if let self { work(self) } }
    }

    /// The items that edit the text: those of its context menu and, in submenus, commands that otherwise only have
    /// keys, which a window manager may grab.
    private var editItems: [MenuItem] {
        let own = view.contextMenuItems.prefix { $0.kind != .choice(isOn: true) && $0.kind != .choice(isOn: false) }
        func items(_ commands: [EditCommand], edits: Bool) -> [MenuItem] {
            commands.map { command in
                MenuItem(
                    Words.menuTitle(command), shortcut: view.keyBindings.shortcutText(of: command),
                    isEnabled: !isAsking && (!edits || view.isEditable)
                ) { [weak self] in
                    self?.performUnlessAsking { if !$0.beginLong(command) { $0.view.inputContext.perform(command) } }
                }
            }
        }
        let lines: [EditCommand] = [
            .moveLinesUp, .moveLinesDown, .duplicateLines, .deleteLines, .joinLines, .sortLines, .indent, .outdent,
        ]
        let carets: [EditCommand] = [
            .selectColumnUp, .selectColumnDown, .selectColumnLeft, .selectColumnRight, .addCaretAbove, .addCaretBelow,
            .selectNextMatch, .splitSelectionIntoLines,
        ]
        return own + markdownItems + [
            .separator, .submenu(Words.lines, items(lines, edits: true)),
            .submenu(Words.letterCase, items([.uppercaseWord, .lowercaseWord, .capitalizeWord], edits: true)),
            .submenu(Words.columnsAndCarets, items(carets, edits: false)),
        ]
    }

    private var documentItems: [MenuItem] {
        let mayEdit = !isAsking && view.isEditable
        return [
            MenuItem(Words.reloadFile, isEnabled: !isAsking && file.path != nil && !file.isNew && file.canReread) {
                [weak self] in self?.performUnlessAsking { $0.reloadOnRequest() }
            },
            MenuItem(Words.encoding, isEnabled: mayEdit) { [weak self] in
                self?.performUnlessAsking { $0.askForEncoding() }
            },
            choice(Words.windowsLineEndings, file.newline == .crlf && !file.hasMixedNewlines, isEnabled: mayEdit) {
                $0.performUnlessAsking { $0.toggleWindowsLineEnds() }
            },
            choice(
                Words.markdownStyles, rich != nil,
                isEnabled: !isAsking && options.embed == nil && options.page == nil && RichDocument.hasParser
            ) { $0.toggleStyles() },
            .separator,
            choice(Words.onScreenKeyboards, program.settings.shown.keyboards) { $0.change { $0.keyboards.toggle() } },
            MenuItem(Words.countWords) { [weak self] in self?.countWords() },
            choice(Words.checkSpelling, tools.spelling != EditorSettings.noSpelling) { $0.toggleSpelling() },
            MenuItem(Words.spellingLanguages, isEnabled: !isAsking && options.page == nil) { [weak self] in
                self?.performUnlessAsking { $0.askForSpellingLanguages() }
            },
            MenuItem(Words.filterSelection, isEnabled: mayEdit) { [weak self] in
                self?.performUnlessAsking { $0.askForFilter() }
            },
        ]
    }

    private var viewItems: [MenuItem] {
        let settings = program.settings.shown
        func colors(_ title: String, _ appearance: Appearance) -> MenuItem {
            choice(title, settings.appearance == appearance) { $0.change { $0.appearance = appearance } }
        }
        return [
            choice(Words.wrapLines, view.wrapsLines) { $0.change { $0.wraps.toggle() } },
            choice(Words.lineNumbers, ruler != nil) { $0.change { $0.numbersLines.toggle() } },
            choice(Words.whiteSpace, settings.showsWhiteSpace) { $0.change { $0.showsWhiteSpace.toggle() } },
            choice(Words.currentLine, settings.showsCaretLine) { $0.change { $0.showsCaretLine.toggle() } },
            choice(Words.matchingBrackets, settings.showsBrackets) { $0.change { $0.showsBrackets.toggle() } },
            MenuItem(Words.font, isEnabled: !isAsking) { [weak self] in self?.performUnlessAsking { $0.askForFont() } },
            .separator,
            item(Words.zoomIn, .makeTextLarger), item(Words.zoomOut, .makeTextSmaller),
            item(Words.resetZoom, .makeTextStandardSize), item(Words.fullScreen, .toggleFullScreen),
            .separator,
            colors(Words.systemColors, .desktop), colors(Words.light, .light), colors(Words.dark, .dark),
        ]
    }

    /// Opens a menu of line ends beside a part of the status line.
    func showLineEnds(beside part: WindowRect, at location: WindowPoint) {
        let names: KeyValuePairs<String, Newline> = [
            Words.unixLineEnds: .lf, Words.windowsLineEnds: .crlf, Words.macLineEnds: .cr,
        ]
        let items = names.map { name, newline in
            choice(name, file.newline == newline && !file.hasMixedNewlines, isEnabled: !isAsking && view.isEditable) {
                $0.performUnlessAsking { $0.setLineEnds(newline) }
            }
        }
        window.openMenu(items, for: view, at: location, beside: part)
    }

    /// Opens a menu of indentations and tab widths beside a part of the status line.
    func showIndentations(beside part: WindowRect, at location: WindowPoint) {
        func types(_ title: String, _ behavior: TextInputOptions.TabBehavior) -> MenuItem {
            choice(title, view.options.tabBehavior == behavior, isEnabled: !isAsking && view.isEditable) {
                $0.view.options.tabBehavior = behavior
                $0.setNeedsStatus()
            }
        }
        let widths = [2, 4, 8].map { width in
            choice(Words.tabWidth(width), view.paragraphStyle.tabInterval == width) {
                $0.view.paragraphStyle.tabInterval = width
                $0.setNeedsStatus()
            }
        }
        let items = [types(Words.tabs, .insertsTab)] + [2, 4, 8].map { types(Words.spaces($0), .insertsSpaces($0)) }
        window.openMenu(items + [.separator] + widths, for: view, at: location, beside: part)
    }

    /// Opens a menu of text sizes beside a part of the status line.
    func showZooms(beside part: WindowRect, at location: WindowPoint) {
        let items = EditorSettings.sizes.map { size in
            choice(Words.percent(size), program.settings.shown.size == size) { $0.change { $0.size = size } }
        }
        window.openMenu(items, for: view, at: location, beside: part)
    }
}
