import InkstoneText
import Testing

@testable import InkstoneMarkdown

@Suite("Columns of Markdown tables", .timeLimit(.minutes(5)))
struct MarkdownColumnTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var name: String
        var old: String
        var new: String
        /// Changes the columns and rows of the table.
        var edit: @Sendable (inout Table) -> Void

        var testDescription: String { name }
    }

    /// The parts of a block that is a table.
    struct Table: Sendable {
        var alignments: [PresentationIntent.TableColumn.Alignment] = []
        var rows: [[[MarkdownInline]]] = []

        mutating func insertColumn(_ column: Int, _ texts: [String] = []) {
            alignments.insert(.natural, at: column)
            for row in rows.indices {
                rows[row].insert(texts.indices.contains(row) ? [MarkdownInline(texts[row])] : [], at: column)
            }
        }

        mutating func deleteColumn(_ column: Int) {
            alignments.remove(at: column)
            for row in rows.indices { rows[row].remove(at: column) }
        }
    }

    private static let examples = [
        Example(
            name: "empty column in a padded table",
            old: "| Name  |  When |\n|-------|:-----:|\n| Rose  |  May  |\n| Tulip | April |\n",
            new: "| Name  |   |  When |\n|-------|---|:-----:|\n| Rose  |   |  May  |\n| Tulip |   | April |\n"
        ) { $0.insertColumn(1) },
        Example(
            name: "column with text in a padded table",
            old: "| Name  |  When |\n|-------|:-----:|\n| Rose  |  May  |\n| Tulip | April |\n",
            new:
                "| Name  |  When | Where |\n|-------|:-----:|-------|\n| Rose  |  May  | here  |\n| Tulip | April |       |\n"
        ) { $0.insertColumn(2, ["Where", "here", ""]) },
        Example(
            name: "first column of a ragged table deleted",
            old: "|a|  b |*c*|\n|-|:-:|---|\n|d|__e__  |   f|\n", new: "|  b |*c*|\n|:-:|---|\n|__e__  |   f|\n"
        ) { $0.deleteColumn(0) },
        Example(
            name: "cell edited and row inserted beside tags and code with bars",
            old: "| a | b |\n|---|---|\n| <i title=\"x|y\">c</i> `d|e` | f |\n",
            new: "| a | b |\n|---|---|\n| <i title=\"x|y\">c</i> `d|e` | g |\n| n | m |\n"
        ) {
            $0.rows[1][1] = [MarkdownInline("g")]
            $0.rows.append([[MarkdownInline("n")], [MarkdownInline("m")]])
        },
        Example(
            name: "row beside tags and code with bars",
            old: "| a | b |\n|---|---|\n| <i title=\"x\\|y\">c</i> `d\\|e` | f |\n",
            new:
                "| a | b |\n|---|---|\n| <i title=\"x\\|y\">c</i> `d\\|e` | f |\n| <i title=\"x\\|y\">c</i> `d\\|e` |  |\n"
        ) { $0.rows.append([$0.rows[1][0], []]) },
        Example(
            name: "column in a compact table",
            old: "|a|__b__|\n|-|-|\n|c|d|\n", new: "|a|x|__b__|\n|-|---|-|\n|c| |d|\n"
        ) { $0.insertColumn(1, ["x"]) },
        Example(
            name: "last column of a table without outer bars deleted",
            old: "a | __b__ | c\n--|---|--\nd |  e | f\n", new: "a | __b__\n--|---\nd |  e\n"
        ) { $0.deleteColumn(2) },
        Example(
            name: "first column of a table without outer bars deleted",
            old: "a | __b__ | c\n--|---|--\nd |  e | f\n", new: "__b__ | c\n---|--\ne | f\n"
        ) { $0.deleteColumn(0) },
        Example(
            name: "all but one column of a table without outer bars deleted",
            old: "a | __b__\n--|---\nd |  e\n", new: "| __b__ |\n|---|\n| e |\n"
        ) { $0.deleteColumn(0) },
        Example(
            name: "column before the first of a table without outer bars",
            old: "a | __b__\n--|---\nd |  e\n", new: "| | a | __b__\n---|--|---\n| | d |  e\n"
        ) { $0.insertColumn(0) },
        Example(
            name: "column in a table with short and long rows",
            old: "| a | b | c |\n|---|---|---|\n| d |\n| e | f | g | not shown |\n",
            new: "| a |  | b | c |\n|---|---|---|---|\n| d |\n| e |  | f | g | not shown |\n"
        ) { $0.insertColumn(1) },
        Example(
            name: "column deleted, cell edited and row inserted",
            old: "| a | b |  c  |\n|---|---|---|\n| d | e | `f`|\n| g | h |i |\n| j | k | l |\n",
            new: "| a |  c  |\n|---|---|\n| d | `f`|\n| x | y |\n| G |i |\n| j | l |\n"
        ) {
            $0.deleteColumn(1)
            $0.rows[2][0] = [MarkdownInline("G")]
            $0.rows.insert([[MarkdownInline("x")], [MarkdownInline("y")]], at: 2)
        },
        Example(
            name: "rows inserted and deleted far from each other",
            old: "| a | b |\n|---|---|\n|c |  d |\n|e |  f |\n|g |  h |\n|i |  j |\n",
            new: "| a | b |\n|---|---|\n| x |  |\n|c |  d |\n|g |  h |\n|i2 |  j |\n| y |  |\n"
        ) {
            $0.rows[4][0] = [MarkdownInline("i2")]
            $0.rows.append([[MarkdownInline("y")], []])
            $0.rows.remove(at: 2)
            $0.rows.insert([[MarkdownInline("x")], []], at: 1)
        },
        Example(
            name: "cells without a blank between bars, which md4c skips, in an edited row and a kept one",
            old: "| a | b |\n|---|---|\n| 1 || 2 |\n|| 3 || 4 | not shown |\n",
            new: "| a | b |\n|---|---|\n| 1 | 5 |\n|| 3 || 4 | not shown |\n| x | y |\n"
        ) {
            $0.rows[1][1] = [MarkdownInline("5")]
            $0.rows.append([[MarkdownInline("x")], [MarkdownInline("y")]])
        },
        Example(
            name: "cells beyond the columns in an edited row with a skipped cell",
            old: "| a | b |\n|---|---|\n| 3 || 4 | not shown |\n| e | f |\n",
            new: "| a |\n|---|\n| 3 | not shown |\n| e |\n"
        ) { $0.deleteColumn(1) },
        Example(
            name: "alignment", old: "| a |  b |\n|---|----|\n|c |  d |\n", new: "| a |  b |\n|---|:--:|\n|c |  d |\n"
        ) { $0.alignments[1] = .center },
    ]

    @Test("Cells and rules of other columns keep their bytes", arguments: examples)
    func columns(_ example: Example) throws {
        for newline in ["\n", "\r\n"] {
            func lines(_ text: String) -> String { "Before\n\n\(text)\nBehind\n".replacing("\n", with: newline) }
            let document = try MarkdownDocument(lines(example.old))
            var blocks = try #require(MarkdownReader.read(lines(example.old).utf8)).map(\.block)
            guard case .table(let alignments, let rows) = blocks[1] else {
                Issue.record("no table")
                return
            }
            var table = Table(alignments: alignments, rows: rows)
            example.edit(&table)
            blocks[1] = .table(table.alignments, table.rows)
            let written = document.write(MarkdownTextMaker.text(blocks))
            #expect(written.source == lines(example.new) && written.isExact)
        }
    }

    @Test("After random edits of rows and columns, other cells keep their source")
    func randomEdits() throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = RandomMarkdown(seed: seed)
            let (width, height) = (random.number(1...5), random.number(1...6))
            let (outer, isSpaced) = (random.number(0...2) > 0, random.number(0...1) > 0)
            func row(_ cells: [String]) -> String {
                let line = cells.joined(separator: isSpaced ? " | " : "|")
                return outer || width == 1 ? "|\(line)|\n" : line + "\n"
            }
            var names = 0
            func cells() -> [String] {
                (0..<width).map { _ in
                    names += 1
                    return "__n\(names)__"
                }
            }
            var source = row(cells()) + row((0..<width).map { _ in "---" })
            for _ in 1..<max(2, height) { source += row(cells()) }
            var blocks = try #require(MarkdownReader.read(source.utf8)).map(\.block)
            guard case .table(let alignments, let rows) = blocks.first else {
                Issue.record("seed \(seed): no table")
                continue
            }
            var table = Table(alignments: alignments, rows: rows)
            for _ in 0...random.number(0...2) {
                switch random.number(0...4) {
                case 0 where table.alignments.count > 1:
                    table.deleteColumn(random.number(0...table.alignments.count - 1))
                case 1 where table.rows.count > 1: table.rows.remove(at: random.number(1...table.rows.count - 1))
                case 2:
                    let empty = table.alignments.map { _ in [MarkdownInline]() }
                    table.rows.insert(empty, at: random.number(1...table.rows.count))
                default: table.insertColumn(random.number(0...table.alignments.count), ["new"])
                }
            }
            blocks[0] = .table(table.alignments, table.rows)
            let written = try MarkdownDocument(source).write(MarkdownTextMaker.text(blocks))
            #expect(written.isExact, "seed \(seed): \(source) \(written.source)")
            let kept = table.rows.joined().compactMap { $0.first?.text }.filter { $0 != "new" }
            for name in kept { #expect(written.source.contains("__\(name)__"), "seed \(seed): \(written.source)") }
            #expect(!written.source.contains("**"), "seed \(seed)")
        }
    }
}
