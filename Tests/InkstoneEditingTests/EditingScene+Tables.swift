import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Texts with tables.
extension EditingScene {
    private static let list = TextList(.disc)

    /// Creates a text from paragraphs, which `/` separates. Their first characters are signs: those with `:` are rows of
    /// a table and those with `;` rows of another one, the first of each a header; those with `-` are list items, with
    /// `#` headings and with `~` lines of code. `¦` separates cells.
    convenience init(tables notation: String) {
        let paragraphs = notation.split(separator: "/", omittingEmptySubsequences: false)
        self.init(
            paragraphs.map { $0.drop { ":;-#~".contains($0) } }.joined(separator: "\n").map {
                $0 == "¦" ? "\t" : String($0)
            }.joined())
        options.acceptsStyles = true
        options.makesLists = true
        options.makesBlocks = true
        options.insertsLineSeparators = true
        var rows: [Character: Int] = [:]
        var tables: [Character: PresentationIntent] = [:]
        store.restyle {
            for (index, paragraph) in paragraphs.enumerated() {
                let range = store.text.utf16Range(of: ParagraphIndex(index))
                guard let sign = paragraph.first else { continue }
                switch sign {
                case ":", ";":
                    let columns = paragraph.count { $0 == "¦" } + 1
                    let table =
                        tables[sign]
                        ?? PresentationIntent(
                            .table(columns: (0..<columns).map { .init(alignment: $0 == 1 ? .center : .natural) }),
                            identity: sign == ":" ? 7 : 8)
                    let row = rows[sign, default: 0]
                    (tables[sign], rows[sign]) = (table, row + 1)
                    $0.set(
                        PresentationIntent(
                            row == 0 ? .tableHeaderRow : .tableRow(rowIndex: row),
                            identity: (sign == ":" ? 11 : 1011) + row, parent: table),
                        of: PresentationIntentAttribute.self, in: range)
                case "-": $0.set(ListItem([Self.list]), of: ListAttribute.self, in: range)
                case "#":
                    $0.set(
                        PresentationIntent(.header(level: 1), identity: 2000 + index),
                        of: PresentationIntentAttribute.self, in: range)
                case "~":
                    $0.set(
                        PresentationIntent(.codeBlock(languageHint: nil), identity: 9),
                        of: PresentationIntentAttribute.self, in: range)
                default: break
                }
            }
        }
    }

    /// The text in the same notation, with `!` before header rows and `:` before the other rows of all tables.
    var tableNotation: String {
        notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, paragraph in
            let range = store.text.utf16Range(of: ParagraphIndex(index))
            let line = paragraph.map { $0 == "\t" ? "¦" : $0 == "\u{2028}" ? "⏎" : String($0) }.joined()
            guard !range.isEmpty else { return line }
            let attributes = store.styledText.attributes(at: range.lowerBound)
            let item = attributes[ListAttribute.self] == nil ? "" : "-"
            switch attributes[PresentationIntentAttribute.self]?.components.first?.kind {
            case .tableHeaderRow?: return item + "!" + line
            case .tableRow?: return item + ":" + line
            case .header?: return item + "#" + line
            case .codeBlock?: return item + "~" + line
            default: return item + line
            }
        }.joined(separator: "/")
    }
}
