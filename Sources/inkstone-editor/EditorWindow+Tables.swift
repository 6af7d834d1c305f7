import Inkstone

/// The menus for tables of styled text: inserting a table, changing its rows and columns, and aligning columns.
extension EditorWindow {
    /// The numbers of columns of the tables in the menu.
    private static let columnCounts = 2...6

    /// The menu item that inserts a table, with a submenu of the numbers of columns.
    var tableInsertionItem: MenuItem {
        let state = view.session.state
        var item = MenuItem.submenu(
            Words.insertTable,
            Self.columnCounts.map { count in
                MenuItem(Words.columns(count)) { [weak self] in
                    self?.performUnlessAsking { $0.style { $0.insertingTable(columns: count) } }
                }
            })
        item.isEnabled = !isAsking && view.isEditable && state.insertingTable() != nil
        return item
    }

    /// The submenu for the table at the selection or, with a location in window pixels, at the pointer. Empty outside
    /// of tables.
    func tableItems(at location: WindowPoint? = nil) -> [MenuItem] {
        guard rich != nil, !isAsking, view.isEditable else { return [] }
        let point = location.map { ViewPoint(x: $0.x - view.frame.minX, y: $0.y - view.frame.minY) }
        let offset = point.map(view.offset(at:))
        let place = offset.map { view.store.position(at: $0) }
        guard view.session.state.changingTable(.insertRowBelow, at: offset) != nil else { return [] }
        func item(_ title: String, _ change: TableChange, _ command: EditCommand? = nil) -> MenuItem {
            MenuItem(title, shortcut: command.map { view.keyBindings.shortcutText(of: $0) } ?? "") { [weak self] in
                self?.performUnlessAsking { window in
                    // Compute the offset now: the text may have changed while the menu was open.
                    let offset = place.map { window.view.store.offset(of: $0) }
                    window.style { $0.changingTable(change, at: offset) }
                }
            }
        }
        let alignments: KeyValuePairs<EditCommand, TableChange> = [
            .alignLeft: .alignLeft, .alignCenter: .alignCenter, .alignRight: .alignRight,
        ]
        return [
            .submenu(
                Words.table,
                [
                    item(Words.insertRowAbove, .insertRowAbove), item(Words.insertRowBelow, .insertRowBelow),
                    item(Words.insertColumnBefore, .insertColumnBefore),
                    item(Words.insertColumnAfter, .insertColumnAfter),
                    .separator,
                    item(Words.deleteRow, .deleteRow), item(Words.deleteColumn, .deleteColumn),
                    .separator,
                ] + alignments.map { item(Words.menuTitle($0), $1, $0) })
        ]
    }

    /// The lines above the commands in the context menu of the text: for a link, for a picture, for a misspelled word,
    /// and for a table.
    func leadingItems(at location: WindowPoint?) -> [MenuItem] {
        let words = linkItems(at: location) + pictureItems(at: location) + spellingItems(at: location)
        let tables = tableItems(at: location)
        return words + (words.isEmpty || tables.isEmpty ? [] : [.separator]) + tables
    }
}
