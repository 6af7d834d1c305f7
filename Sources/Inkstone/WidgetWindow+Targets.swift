import InkstoneBase
import InkstoneInput

/// The parts of a window that receive the events of pointer and fingers.
struct PointerTargets {
    /// The part that receives the pointer's events while a button is down; nil for none.
    var content: (any WindowContent)?
    /// The part that the last motion of the pointer was over; nil for none.
    weak var hovered: (any WindowContent)?
    /// The part that receives the events of each finger that is down, by the finger's ID.
    var touches: [UInt32: any WindowContent] = [:]
    /// Decides whether a part accepts presses: see ``WidgetWindow/takesPress``.
    var isTaken: ((any WindowContent) -> Bool)?
    /// Decides whether an edit is to be sent again: see ``WidgetWindow/keepsEdit``.
    var keepsEdit: (() -> Bool)?
}

/// The find bar of the window.
extension WidgetWindow {
    /// The find bar that gets the find commands: the one whose view or field has the focus, or else the first one. Nil
    /// if there is none, or if the program itself passes commands to the bar.
    var findBar: FindBar? {
        let bars = contents.compactMap { $0 as? FindBar }.filter(\.servesWindow)
        return bars.first(where: \.isInUse) ?? bars.first
    }

    /// Returns the action of a key that the input method has not used: the program's, or that of a find bar.
    func action(ofUnused key: KeyEvent) -> (() -> Void)? { unusedKeyAction?(key) ?? findBar?.action(for: key) }
}

/// Finding the part of the window at a point.
extension WidgetWindow {
    /// Decides whether an on-screen keyboard in another process is to repeat an edit later that the focused view does
    /// not accept now because of ``takesPress``. If nil, such edits are refused. Called at each attempt to send the
    /// edit.
    package var keepsEdit: (() -> Bool)? {
        get { pressed.keepsEdit }
        set { pressed.keepsEdit = newValue }
    }

    /// Returns the part that accepts a press at a point; nil if there is none. If `isAsked` is false, returns the
    /// part at the point without asking ``takesPress``.
    func pressTarget(at point: WindowPoint, isAsked: Bool = true) -> (any WindowContent)? {
        guard let target = contents.last(where: { $0.frame.contains(point) }) else { return nil }
        return !isAsked || takes(target) ? target.child(at: point) ?? target : nil
    }

    /// Returns the topmost part at a point; nil if there is none.
    func content(at point: WindowPoint) -> (any WindowContent)? {
        let content = contents.last { $0.frame.contains(point) }
        return content?.child(at: point) ?? content
    }

    /// Follows a press or release of Control while the pointer rests over a text: in text that can be edited, a
    /// click opens a link only with Control.
    func followControl(_ key: KeyEvent) {
        // XK_Control_L and XK_Control_R.
        guard key.keysym == 0xffe3 || key.keysym == 0xffe4, let text = pressed.hovered as? TextView,
            let point = text.interaction.controlDidChange(to: key.phase != .up)
        else { return }
        window.setCursor(text.cursor(at: point.converted(from: text.frame.origin)))
    }

    func takes(_ part: any WindowContent) -> Bool { takesPress?(part) ?? true }
}
