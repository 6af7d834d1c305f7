import InkstoneBase
import InkstoneInput
package import InkstoneText

/// The form of texts that are inserted into rows of tables by other ways than pastes: typed text, texts of input methods
/// and of other programs, results of writing tools, and replacements of matches. In a row, a line end would begin another
/// row and a tab another cell, so line breaks and spaces are inserted instead. Such edits replace the texts of cells,
/// never their borders.
extension EditorState {
    /// Returns whether a text in place of a range would be in a row of a table. O(log n).
    private func isInRow(replacing range: Range<UTF16Offset>) -> Bool {
        guard styledText.runs != nil, !options.isSingleLine else { return false }
        let place = replacedParts(of: range, inserting: true).place
        return isRow(text.paragraphIndex(at: place.lowerBound).value)
    }

    /// Returns a text in the form in which it is inserted in place of a range: as a part of a cell, if it would be in a
    /// row of a table. O(n) for n units of the text.
    package func fittingCell(_ new: String, replacing range: Range<UTF16Offset>) -> String {
        guard new.dividesCells, isInRow(replacing: range) else { return new }
        var result = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in new.unicodeScalars {
            switch scalar {
            case "\n": if last != "\r" { result.append("\u{2028}") }
            case "\r": result.append("\u{2028}")
            case "\t": result.append(" ")
            default: result.append(scalar)
            }
            last = scalar
        }
        return String(result)
    }

    /// Returns a text in the form in which it is inserted in place of a range. Bytes that are not valid UTF-8 are kept,
    /// unless the text is divided by line ends or tabs.
    func fittingCell(_ new: Rope, replacing range: Range<UTF16Offset>) -> Rope {
        guard styledText.runs != nil, new.metrics.newlines > 0 || new.utf16(in: new.utf16Range).contains(0x09),
            isInRow(replacing: range)
        else { return new }
        return Rope(fittingCell(new.string(in: new.utf16Range), replacing: range))
    }

    /// Returns a text of an input method or of another program in the form in which it is inserted in place of a range:
    /// with its line ends converted to ``newline`` or, in a row of a table, as a part of a cell.
    package func admitted(_ new: String, replacing range: Range<UTF16Offset>) -> AdmittedText {
        guard new.dividesCells, isInRow(replacing: range) else {
            return AdmittedText(new, replacing: range, of: text, newline: newline)
        }
        return AdmittedText(new.replacing("\t", with: " "), replacing: range, of: text, newline: "\u{2028}")
    }

    /// Returns the replacements, in order, that put a text in place of a range. Table cells keep their borders: see
    /// ``StyledText/replacedParts(of:inserting:)``. A replacement may end behind the range, with the line end of a row
    /// that is deleted as a whole. Outside of tables, returns one replacement, of the range by the text.
    package func replacementsKeepingCells(
        _ range: Range<UTF16Offset>, by new: Rope
    ) -> [(range: Range<UTF16Offset>, text: Rope)] {
        guard styledText.runs != nil, !options.isSingleLine else { return [(range, new)] }
        let parts = replacedParts(of: range, inserting: !new.isEmpty)
        let fitted = fittingCell(new, replacing: range)
        if parts.emptied.isEmpty, parts.place == range { return [(range, fitted)] }
        var result = parts.emptied.map { ($0, Rope(text.keepingLineEndsApart("", replacing: $0))) }
        if !parts.place.isEmpty || !fitted.isEmpty {
            let index = parts.emptied.count { $0.lowerBound < parts.place.lowerBound }
            result.insert((parts.place, text.keepingLineEndsApart(fitted, replacing: parts.place)), at: index)
        }
        return result
    }

    /// Returns changes of the text that replace matches of a search or parts by a tool, changed so that table cells keep
    /// their borders: see ``replacementsKeepingCells(_:by:)``. The given changes have no attributes. O(k log n) for k
    /// sections.
    package func keepingCells(_ changes: TextChangeSet) -> TextChangeSet {
        guard styledText.runs != nil, !options.isSingleLine else { return changes }
        let sections = Array(changes.changeMap)
        var builder = TextChangeSet.Builder(over: text)
        builder.reserve(sections.count)
        var isChanged = false
        var end = UTF16Offset(0)
        for (index, section) in sections.enumerated() {
            let new = changes.insertedText(index)
            let next = index + 1 < sections.count ? sections[index + 1].oldRange.lowerBound : textRange.upperBound
            let pieces = replacementsKeepingCells(section.oldRange, by: new)
            isChanged = isChanged || pieces.count != 1 || pieces[0].range != section.oldRange || pieces[0].text != new
            for piece in pieces {
                let low = max(end, piece.range.lowerBound)
                end = max(low, min(next, piece.range.upperBound))
                builder.replace(low..<end, with: piece.text)
            }
        }
        return isChanged ? builder.finish() : changes
    }
}

extension String {
    /// Whether the text has a line end or a tab, which in a row of a table are the borders of rows and cells.
    fileprivate var dividesCells: Bool { utf8.contains { $0 == 0x09 || $0 == 0x0a || $0 == 0x0d } }
}
