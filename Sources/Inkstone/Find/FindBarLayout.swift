import InkstoneBase

/// The layout of the find bar for a width, computed from the sizes of the bar's parts. All lengths are in pixels; the
/// origin is the bar's upper left corner.
///
/// If the bar is wide enough, all parts for searching are in one row: title, field, message, buttons. Otherwise
/// message and buttons have a row of their own below the field. A message that is too long for that is wrapped at
/// the bottom of the bar. Buttons that still do not fit are omitted in a fixed order; keys have the same actions.
/// If the replacement field would be too narrow beside its buttons, the buttons are below it.
package struct FindBarLayout {
    /// The action of a button.
    package enum Action: CaseIterable {
        case ignoreCase, wholeWords, expression, previous, next, close, replace, replaceAll, replaceInSelection

        /// The buttons of the search field, from the left; ``replacing`` are those of the replacement field.
        package static let finding: [Action] = [.ignoreCase, .wholeWords, .expression, .previous, .next, .close]
        package static let replacing: [Action] = [.replace, .replaceAll, .replaceInSelection]
        /// All buttons, in the order in which they are omitted if there is no room.
        fileprivate static let dispensable: [Action] = [
            .replaceInSelection, .wholeWords, .expression, .ignoreCase, .previous, .next, .close, .replace, .replaceAll,
        ]
    }

    /// The sizes of the bar's parts.
    package struct Extents {
        /// The distance around each part, in pixels.
        package var padding: Double
        /// The height of one line of a label, in pixels, like the lengths that follow.
        package var lineHeight: Double
        /// The width of the longer one of the titles before the two fields.
        package var titleWidth: Double
        /// The widths of the labels of the buttons.
        package var labelWidths: [Action: Double]
        /// The width reserved for the message beside the search field: that of a message of usual length, such as
        /// the number of a match with the note that the search has continued from the top. A longer message is
        /// wrapped below the other parts if there is room.
        package var usualMessage: Double
        /// The minimum width of a field.
        package var leastFieldWidth: Double

        package init(
            padding: Double, lineHeight: Double, titleWidth: Double, labelWidths: [Action: Double],
            usualMessage: Double,
            leastFieldWidth: Double
        ) {
            (self.padding, self.lineHeight, self.titleWidth) = (padding, lineHeight, titleWidth)
            (self.labelWidths, self.usualMessage) = (labelWidths, usualMessage)
            self.leastFieldWidth = leastFieldWidth
        }

        package var rowHeight: Double { lineHeight + 2 * padding }

        package func buttonWidth(_ action: Action) -> Double { max(labelWidths[action] ?? 0, lineHeight) + 2 * padding }

        /// Returns the distance after a button, in pixels: `padding` after a button of the replacement field, which has
        /// a border, and half of that after any other.
        package func gap(after action: Action) -> Double {
            Action.replacing.contains(action) ? padding : (padding / 2).rounded()
        }

        /// Returns the width of a row of buttons.
        package func width(of actions: [Action]) -> Double {
            actions.reduce(0) { $0 + buttonWidth($1) } + actions.dropLast().reduce(0) { $0 + gap(after: $1) }
        }
    }

    /// The height of the whole bar.
    package private(set) var height = 0.0
    /// Whether the titles of the fields are shown.
    package private(set) var hasTitles = true
    /// The frame of the search field.
    package private(set) var findField = WindowRect.zero
    /// The frame of the replacement field; nil if it is not shown, or there is no room for it.
    package private(set) var replaceField: WindowRect?
    /// The frames of the buttons; those without room are missing.
    package private(set) var buttons: [Action: WindowRect] = [:]
    /// The frame of the message, and whether it is wrapped; nil if there is no room for it.
    package private(set) var message: (frame: WindowRect, isWrapped: Bool)?

    /// Creates the layout.
    ///
    /// - Parameters:
    ///   - limit: the available height.
    ///   - message: the width of the message on one line; 0 for none.
    ///   - wrappedHeight: returns the height of the message if it is wrapped at a width.
    package init(
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
        // Give a narrow bar a row with the buttons and the message only if the replacement field, which is more
        // important, still fits below it.
        let second = replaces ? row + padding : 0
        if !isWide, fits(row + second) {
            place(Action.finding, from: inner, to: right, y, extents)
            let end = buttons.values.map(\.minX).min() ?? right
            messageRoom = inner..<max(inner, end - 2 * padding)
            messageY = y
            y += row + padding
        }
        // If the replacement field would be too narrow beside its buttons, put the buttons into a row of their own.
        let beside = right - left - extents.width(of: Action.replacing) - 2 * padding
        if replaces, beside < least, fits(2 * row + padding) {
            replaceField = WindowRect(x: left, y: y, width: max(1, right - left), height: row)
            y += row + padding
            place(Action.replacing, from: inner, to: right, y, extents)
            y += row + padding
        } else if replaces, fits(row) {
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

    /// Lays out the buttons of a row at its right end. If there is not enough room, leaves out dispensable ones.
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
