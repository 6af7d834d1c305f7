import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneTesting
import Testing

/// Long lines of each difficult kind: nothing traps, caret positions round-trip, and only the queried part is laid
/// out.
@Suite(.timeLimit(.minutes(5))) struct StressTests {
    private static let lines: [(name: String, text: String)] = [
        ("marks", "a" + String(repeating: "\u{301}", count: 10_000) + " b"),
        ("arabic", String(repeating: "السلام عليكم ورحمة الله ", count: 4000)),
        ("japanese", String(repeating: "日本語の文章を折り返す", count: 6000)),
        ("mixed", String(repeating: "abc עברית 123 (نص) 😀 ", count: 3000)),
        ("emoji", String(repeating: "👩‍👩‍👧‍👦🇩🇪", count: 3000)),
        ("joined", "👩" + String(repeating: "\u{200d}👩", count: 30_000)),
        ("virama", String(repeating: "क\u{94d}", count: 40_000)),
        ("tones", "a" + String(repeating: "🏽", count: 40_000)),
        ("nospace", String(repeating: "x", count: 60_000)),
        ("thai", String(repeating: "ภาษาไทยไม่มีช่องว่าง", count: 3000)),
        ("tabs", String(repeating: "\t", count: 20_000)),
        ("controls", String(repeating: "\u{202e}a\u{2067}", count: 8000)),
    ]

    @Test(arguments: lines.map(\.name), [true, false])
    func longLinesOfEveryKindHold(_ name: String, _ wraps: Bool) throws {
        let text = try #require(Self.lines.first { $0.name == name }).text
        let layout = makeLayout("first\n" + text + "\nlast", width: 300, wraps: wraps)
        var random = SeededGenerator(seed: 3)
        for step in 0..<24 {
            let length = layout.length.value
            let at = UTF16Offset(Int.random(in: 0...length, using: &random))
            let caret = layout.geometry.caretRect(at: at)
            let hit = layout.geometry.location(closestTo: DocumentPoint(x: caret.minX, y: caret.minY + 1))
            let back = layout.geometry.caretRect(at: hit.offset, affinity: hit.affinity)
            // Text and unwrapped layout split a cluster of 60,000 units at different offsets.
            if name != "joined" || wraps {
                #expect(abs(back.minX - caret.minX) <= 1 && back.minY == caret.minY, "\(step): \(at) → \(hit)")
            }
            _ = layout.textLayoutFragments(
                in: DocumentRect(x: caret.minX, y: max(0, caret.minY - 100), width: 300, height: 400)
            ).map { $0.textLineFragments.map(\.glyphs.count) }
            _ = layout.geometry.moveVisually(CaretPlace(at), toRight: step % 2 == 0)
            _ = layout.geometry.moveVertically(CaretPlace(at), lines: 3)
            let start = layout.store.text.roundedDown(toGrapheme: at)
            let end = step % 3 == 0 ? layout.store.text.graphemeBoundary(after: start) : start
            layout.apply(layout.store.replace(start..<end, with: ["q", " ", "字", "\u{5d0}"][step % 4]))
        }
        #expect(layout.store.text.metrics.utf16 == layout.length.value)
        // A container narrower than any cluster: each line has one cluster, or a part of one that is too long.
        let narrow = makeLayout(String(text.unicodeScalars.prefix(12_000)), width: 1, wraps: wraps)
        _ = narrow.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 1, height: 60))
        #expect(narrow.geometry.caretRect(at: 0).minY == 0)
        if name != "marks", name != "tabs" { #expect(!layout.isExact || !wraps) }
    }
}
