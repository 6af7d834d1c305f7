import Inkstone

/// Where the parts of the find bar lie, for a width: a value, from the extents of what is in it. All lengths are pixels; the bar's upper left
/// corner is the origin.
///
/// Wide enough, all that belongs to the search stands in one row: title, field, message, buttons. Else message and buttons have a
/// row of their own below the field. A message that has no room beside either is wrapped at the end. What does not fit even so is left
/// out in a fixed order: all of it has keys.
struct FindBarLayout {
    /// What a button does.
    enum Action: CaseIterable {
        case ignoreCase, wholeWords, expression, previous, next, close, replace, replaceAll, replaceInSelection

        /// Those beside the field of what to look for, and those beside its replacement, from the left.
        static let finding: [Action] = [.ignoreCase, .wholeWords, .expression, .previous, .next, .close]
        static let replacing: [Action] = [.replace, .replaceAll, .replaceInSelection]
        /// In which order they are left out.
        fileprivate static let dispensable: [Action] = [
            .replaceInSelection, .wholeWords, .expression, .ignoreCase, .previous, .next, .close, .replace, .replaceAll,
        ]
    }

    /// The extents of what is in the bar.
    struct Extents {
        /// Around everything.
        var padding: Double
        /// Of a line of a label.
        var lineHeight: Double
        /// Of the longer title.
        var titleWidth: Double
        /// Of the labels on the buttons.
        var labelWidths: [Action: Double]
        /// Of a message that is usual, for which room is kept.
        var usualMessage: Double
        /// A field is hardly made shorter.
        var leastFieldWidth: Double

        var rowHeight: Double { lineHeight + 2 * padding }

        func buttonWidth(_ action: Action) -> Double { max(labelWidths[action] ?? 0, lineHeight) + 2 * padding }

        /// Between two buttons: those with a border stand as far from each other as answers do.
        func gap(after action: Action) -> Double {
            Action.replacing.contains(action) ? padding : (padding / 2).rounded()
        }

        /// How wide buttons are side by side.
        func width(of actions: [Action]) -> Double {
            actions.reduce(0) { $0 + buttonWidth($1) } + actions.dropLast().reduce(0) { $0 + gap(after: $1) }
        }
    }

    /// The height of all of it.
    private(set) var height = 0.0
    /// Whether the fields have titles.
    private(set) var hasTitles = true
    /// The field of what to look for.
    private(set) var findField = WindowRect.zero
    /// The field of what takes its place; nil if there is none, or no room for it.
    private(set) var replaceField: WindowRect?
    /// The buttons that have room.
    private(set) var buttons: [Action: WindowRect] = [:]
    /// Where the message stands, and whether it is wrapped there; nil if there is no room for it.
    private(set) var message: (frame: WindowRect, isWrapped: Bool)?

    /// - Parameters:
    ///   - limit: the height that there is.
    ///   - message: the width of the message on one line; 0 for none.
    ///   - wrappedHeight: its height if it is wrapped at a width.
    init(
        _ extents: Extents, width: Double, limit: Double, replaces: Bool, message: Double,
        wrappedHeight: (Double) -> Double
    ) {
        let (padding, row) = (extents.padding, extents.rowHeight)
        let (inner, right) = (padding, width - padding)
        let least = extents.leastFieldWidth
        hasTitles = right - inner - extents.titleWidth - padding >= least / 2
        let left = hasTitles ? inner + extents.titleWidth + padding : inner
        var y = padding
        func fits(_ more: Double) -> Bool { y + more + padding <= limit }

        let room = right - extents.width(of: Action.finding) - padding - left
        let isWide = room >= least + extents.usualMessage + 3 * padding
        var fieldWidth = max(1, right - left)
        if isWide {
            let spare = room - extents.usualMessage - 3 * padding
            fieldWidth = max(least, spare.rounded(.down))
        }
        findField = WindowRect(x: left, y: y, width: fieldWidth, height: row)
        var messageRoom = 0.0..<0.0
        var messageY = y
        if isWide {
            place(Action.finding, from: left + fieldWidth, to: right, y, extents)
            messageRoom = left + fieldWidth + 2 * padding..<left + room
        }
        y += row + padding
        // With little height what is typed comes before what tells of it.
        let second = replaces ? row + padding : 0
        if !isWide, fits(row + second) {
            place(Action.finding, from: inner, to: right, y, extents)
            let end = buttons.values.map(\.minX).min() ?? right
            messageRoom = inner..<max(inner, end - 2 * padding)
            messageY = y
            y += row + padding
        }
        if replaces, fits(row) {
            place(Action.replacing, from: left + least / 2 + padding, to: right, y, extents)
            let end = Action.replacing.compactMap { buttons[$0]?.minX }.min().map { $0 - 2 * padding } ?? right
            replaceField = WindowRect(
                x: left, y: y, width: isWide ? fieldWidth : max(1, end - left), height: row)
            y += row + padding
        }
        if message > messageRoom.upperBound - messageRoom.lowerBound {
            let frame = WindowRect(
                x: inner, y: y, width: max(1, right - inner), height: wrappedHeight(max(1, right - inner)))
            if fits(frame.height) {
                self.message = (frame, true)
                y += frame.height + padding
            }
        }
        if self.message == nil, !messageRoom.isEmpty {
            let width = messageRoom.upperBound - messageRoom.lowerBound
            self.message = (
                WindowRect(x: messageRoom.lowerBound, y: messageY + padding, width: width, height: extents.lineHeight),
                false
            )
        }
        height = y
    }

    /// Places buttons from the right, as many as have room.
    private mutating func place(
        _ actions: [Action], from left: Double, to right: Double, _ y: Double, _ extents: Extents
    ) {
        var shown = actions
        for action in Action.dispensable where extents.width(of: shown) > right - left {
            shown.removeAll { $0 == action }
        }
        var x = right - extents.width(of: shown)
        for action in shown {
            let width = extents.buttonWidth(action)
            buttons[action] = WindowRect(x: x, y: y, width: width, height: extents.rowHeight)
            x += width + extents.gap(after: action)
        }
    }
}
