public import InkstoneBase
import InkstoneInput
import InkstoneWords

/// A line of a menu.
public struct MenuItem {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        /// Something to choose.
        case action
        /// One of some states, of which this one may be in force.
        case choice(isOn: Bool)
        /// A word to the user, who cannot choose it.
        case note
        /// A line between groups.
        case separator
        /// Leads to other lines, ``MenuItem/items``, which are shown in place of these.
        case submenu
        /// Leads back to the lines that a submenu has replaced.
        case back
    }

    /// What the user reads.
    public var title: String
    /// What it is.
    public var kind: Kind
    /// The key that does the same, for the user to read; empty for none.
    public var shortcut: String
    /// Whether it can be chosen now.
    public var isEnabled: Bool
    /// What choosing it does. Called once, when the menu is gone.
    public var action: () -> Void
    /// The lines of a submenu.
    public var items: [MenuItem] = []

    /// A line by its parts.
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

    /// A line between groups.
    public static var separator: MenuItem { MenuItem("", kind: .separator) }

    /// A line that leads to others.
    public static func submenu(_ title: String, _ items: [MenuItem]) -> MenuItem {
        var item = MenuItem(title, kind: .submenu)
        item.items = items
        return item
    }

    /// The lines that a submenu shows: its own, below one that leads back.
    public var submenuLines: [MenuItem] { [MenuItem(title, kind: .back), .separator] + items }

    /// Whether it can be gone to.
    public var isChoosable: Bool {
        switch kind {
        case .action, .choice, .submenu, .back: isEnabled
        case .note, .separator: false
        }
    }
}

/// Which line of a menu is gone to, and what keys and the pointer do to that. A plain value.
public struct MenuState {
    /// What came of a key.
    public enum Effect: Hashable, Sendable {
        /// Another line may be gone to.
        case moved
        /// The line was chosen.
        case chosen(Int)
        /// The menu is given up.
        case cancelled
    }

    /// Its lines. Separators stand between others only.
    public let items: [MenuItem]
    /// The line that is gone to; nil for none.
    public private(set) var current: Int?
    private let isRightToLeft: Bool

    /// A menu in which no line is gone to.
    public init(_ items: [MenuItem]) { self.init(items, isRightToLeft: LibraryWords.language.isRightToLeft) }

    /// - Parameter isRightToLeft: whether submenus lie to the left.
    init(_ items: [MenuItem], isRightToLeft: Bool) {
        self.isRightToLeft = isRightToLeft
        var kept: [MenuItem] = []
        for item in items where item.kind != .separator || kept.last.map({ $0.kind != .separator }) == true {
            kept.append(item)
        }
        if kept.last?.kind == .separator { kept.removeLast() }
        self.items = kept
    }

    /// Goes to the line under the pointer, if it can be chosen; to none for nil.
    public mutating func point(at index: Int?) {
        current = index.flatMap { items.indices.contains($0) && items[$0].isChoosable ? $0 : nil }
    }

    /// Goes to the first line that can be chosen and does not lead back.
    public mutating func goToFirst() {
        current = items.indices.first { items[$0].isChoosable && items[$0].kind != .back }
    }

    /// Takes a key that went down: arrows, of which Right leads into a submenu and Left back, the other way round if the language of
    /// `LibraryWords` runs from right to left, Home and End, a letter that a title begins with, Return, space and Escape. All others do nothing.
    public mutating func press(_ key: KeyEvent) -> Effect {
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

    /// A letter that one title alone begins with chooses that; of several it goes to the next.
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
