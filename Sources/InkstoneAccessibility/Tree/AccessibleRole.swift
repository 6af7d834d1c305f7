/// The role of an object, with its number in AT-SPI (`AtspiRole`).
package enum AccessibleRole: UInt32, Sendable {
    case alert = 2
    case frame = 23
    case image = 27
    case label = 29
    case list = 31
    case listItem = 32
    case menuItem = 35
    case panel = 39
    case passwordText = 40
    case popupMenu = 41
    case button = 43
    case scrollBar = 48
    case separator = 50
    case statusBar = 54
    case text = 61
    case toggleButton = 62
    case checkMenuItem = 8
    case application = 75
    case entry = 79
    case link = 88

    /// The role's name in AT-SPI.
    package var name: String {
        switch self {
        case .alert: "alert"
        case .frame: "frame"
        case .image: "image"
        case .label: "label"
        case .list: "list"
        case .listItem: "list item"
        case .menuItem: "menu item"
        case .panel: "panel"
        case .passwordText: "password text"
        case .popupMenu: "popup menu"
        case .button: "push button"
        case .scrollBar: "scroll bar"
        case .separator: "separator"
        case .statusBar: "status bar"
        case .text: "text"
        case .toggleButton: "toggle button"
        case .checkMenuItem: "check menu item"
        case .application: "application"
        case .entry: "text"
        case .link: "link"
        }
    }
}

/// States of an object: bit n is AT-SPI's number n (`AtspiStateType`).
package struct AccessibleStates: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    private init(bit: UInt64) { rawValue = 1 << bit }

    package static let active = AccessibleStates(bit: 1)
    package static let checked = AccessibleStates(bit: 4)
    package static let editable = AccessibleStates(bit: 7)
    package static let enabled = AccessibleStates(bit: 8)
    package static let focusable = AccessibleStates(bit: 11)
    package static let focused = AccessibleStates(bit: 12)
    package static let horizontal = AccessibleStates(bit: 14)
    package static let modal = AccessibleStates(bit: 16)
    package static let multiLine = AccessibleStates(bit: 17)
    package static let pressed = AccessibleStates(bit: 20)
    package static let resizable = AccessibleStates(bit: 21)
    package static let selectable = AccessibleStates(bit: 22)
    package static let selected = AccessibleStates(bit: 23)
    package static let sensitive = AccessibleStates(bit: 24)
    package static let showing = AccessibleStates(bit: 25)
    package static let singleLine = AccessibleStates(bit: 26)
    package static let vertical = AccessibleStates(bit: 29)
    package static let visible = AccessibleStates(bit: 30)
    package static let selectableText = AccessibleStates(bit: 38)
    package static let checkable = AccessibleStates(bit: 41)
    package static let readOnly = AccessibleStates(bit: 43)

    /// The states whose changes are reported, with the names that AT-SPI has for them.
    static let names: [(state: AccessibleStates, name: String)] = [
        (.checked, "checked"), (.editable, "editable"), (.enabled, "enabled"), (.focusable, "focusable"),
        (.focused, "focused"), (.modal, "modal"), (.multiLine, "multi-line"), (.pressed, "pressed"),
        (.resizable, "resizable"), (.selectable, "selectable"), (.selected, "selected"), (.sensitive, "sensitive"),
        (.showing, "showing"), (.singleLine, "single-line"), (.visible, "visible"),
        (.horizontal, "horizontal"), (.vertical, "vertical"),
        (.selectableText, "selectable-text"), (.checkable, "checkable"), (.readOnly, "read-only"), (.active, "active"),
    ]

    /// The states of a control that the user can operate.
    package static let usable: AccessibleStates = [.enabled, .sensitive]
}
