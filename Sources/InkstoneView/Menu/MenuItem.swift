import InkstoneBase
import InkstoneInput
import InkstoneWords

/// A line of a menu.
public struct MenuItem {
    /// The kind of a line.
    public enum Kind: Hashable, Sendable {
        /// A command that performs ``MenuItem/action``.
        case action
        /// An alternative among several. `isOn` is whether it is the present one.
        case choice(isOn: Bool)
        /// A text for the user, which cannot be chosen.
        case note
        /// A separator between groups.
        case separator
        /// A submenu. When it is opened, its lines, ``MenuItem/items``, replace the present ones.
        case submenu
        /// A line that returns from a submenu to the lines before.
        case back
    }

    /// The title, as shown in the menu.
    public var title: String
    /// The kind of the line.
    public var kind: Kind
    /// The equivalent keyboard shortcut, as text; empty for none.
    public var shortcut: String
    /// Whether the line can be chosen now.
    public var isEnabled: Bool
    /// The action of the line, called once after the menu has closed.
    public var action: () -> Void
    /// The lines of a submenu.
    public var items: [MenuItem] = []

    /// Creates a line of a menu.
    public init(
        _ title: String, kind: Kind = .action, shortcut: String = "", isEnabled: Bool = true,
        action: @escaping () -> Void = {}
    ) {
        self.title = title
        self.kind = kind
        self.shortcut = shortcut
        self.isEnabled = isEnabled
        self.action = action
    }

    /// A separator between groups.
    public static var separator: MenuItem { MenuItem("", kind: .separator) }

    /// Returns a line that opens a submenu.
    public static func submenu(_ title: String, _ items: [MenuItem]) -> MenuItem {
        var item = MenuItem(title, kind: .submenu)
        item.items = items
        return item
    }

    /// The lines shown while the submenu is open: a line that leads back, a separator, and the submenu's own lines.
    package var submenuLines: [MenuItem] { [MenuItem(title, kind: .back), .separator] + items }

    /// Whether the line can become current, and be chosen.
    package var isChoosable: Bool {
        switch kind {
        case .action, .choice, .submenu, .back: isEnabled
        case .note, .separator: false
        }
    }
}

/// The state of a menu: its lines and the current line, and how keys and the pointer change it. A plain value.
package struct MenuState {
    /// The effect of a key press.
    package enum Effect: Hashable, Sendable {
        /// The current line may have changed.
        case moved
        /// The line at the index was chosen.
        case chosen(Int)
        /// The menu was cancelled.
        case cancelled
    }

    /// The lines, without separators at the ends, and without consecutive separators.
    package let items: [MenuItem]
    /// The index of the current line; nil for none.
    package private(set) var current: Int?
    private let isRightToLeft: Bool

    /// Creates a menu without a current line.
    package init(_ items: [MenuItem]) { self.init(items, isRightToLeft: LibraryWords.language.isRightToLeft) }

    /// Creates a menu without a current line.
    ///
    /// - Parameter isRightToLeft: whether submenus open to the left.
    init(_ items: [MenuItem], isRightToLeft: Bool) {
        self.isRightToLeft = isRightToLeft
        var kept: [MenuItem] = []
        for item in items where item.kind != .separator || kept.last.map({ $0.kind != .separator }) == true {
            kept.append(item)
        }
        if kept.last?.kind == .separator { kept.removeLast() }
        self.items = kept
    }

    /// Makes the line under the pointer current if it can be chosen; otherwise, or for nil, no line is current.
    package mutating func point(at index: Int?) {
        current = index.flatMap { items.indices.contains($0) && items[$0].isChoosable ? $0 : nil }
    }

    /// Makes the first line current that can be chosen and does not lead back.
    package mutating func goToFirst() {
        current = items.indices.first { items[$0].isChoosable && items[$0].kind != .back }
    }

    /// Handles a key press: the arrow keys; Home and PageUp, which go to the first line, and End and PageDown,
    /// which go to the last; the first letter of a title; Return, space, Escape and the Menu key. The right arrow
    /// opens a submenu and the left one leads back, or vice versa if the language of `LibraryWords` runs from right
    /// to left. Other keys are ignored.
    package mutating func press(_ key: KeyEvent) -> Effect {
        let (inward, outward): (Keysym, Keysym) = isRightToLeft ? (.left, .right) : (.right, .left)
        switch key.keysym {
        case .escape, .menu: return .cancelled
        case .return, Keysym(rawValue: 0xff8d), Keysym(rawValue: 0x20):
            return current.map { .chosen($0) } ?? .moved
        case .down, Keysym(rawValue: 0xff99): step(1)
        case .up, Keysym(rawValue: 0xff97): step(-1)
        case inward: if let current, items[current].kind == .submenu { return .chosen(current) }
        case outward: if let back = items.firstIndex(where: { $0.kind == .back }) { return .chosen(back) }
        case .home, .pageUp: goToFirst()
        case .end, .pageDown: current = items.indices.last { items[$0].isChoosable }
        default: return letter(key)
        }
        return .moved
    }

    private mutating func step(_ direction: Int) {
        let all = items.indices.filter { items[$0].isChoosable }
        guard let first = all.first, let last = all.last else { return }
        guard let current, let at = all.firstIndex(of: current) else {
            self.current = direction > 0 ? first : last
            return
        }
        self.current = all[(at + direction + all.count) % all.count]
    }

    /// Handles a typed letter. If a single title begins with this letter, chooses its line; if several do, makes
    /// the next of their lines current.
    private mutating func letter(_ key: KeyEvent) -> Effect {
        guard key.modifiers.intersection(.commanding).isEmpty, let typed = key.characters.first?.lowercased() else {
            return .moved
        }
        let all = items.indices.filter {
            items[$0].isChoosable && items[$0].kind != .back && items[$0].title.first?.lowercased() == typed
        }
        guard let next = all.first(where: { $0 > current ?? -1 }) ?? all.first else { return .moved }
        current = next
        return all.count == 1 ? .chosen(next) : .moved
    }
}
