import Foundation
import InkstoneBase
import InkstoneText

/// Measurements of Foundation's text types and the rope: the same operations on the same text, which is small enough
/// for Foundation.
enum Peers {
    static let megabytes = 10

    static func measure() {
        var bytes: [UInt8] = []
        while bytes.count < megabytes * 1_000_000 { bytes += StoreFigures.paragraph }
        let text = String(decoding: bytes, as: UTF8.self)
        let n = bytes.count
        func row(_ name: String, _ values: [Double]) {
            for (peer, value) in zip(["rope", "attributedstring"], values) {
                Figure.show("store.\(megabytes)MB.\(name).\(peer)", value, "ns")
                // Print the value also as a multiple of the rope's value.
                guard peer != "rope" else { continue }
                Figure.show("store.\(megabytes)MB.\(name).\(peer)-per-rope", value / values[0], "x")
            }
        }

        var rope = Rope()
        var attributed = AttributedString()
        row(
            "peers-build",
            [
                Stopwatch.each(1) { _ in rope = Rope(bytes: bytes) },
                Stopwatch.each(1) { _ in attributed = AttributedString(text) },
            ])
        // Use the starts of paragraphs, which are scalar boundaries in the rope and in the attributed string.
        var i = 0
        func place() -> Int {
            i += 7919
            return (i * StoreFigures.paragraph.count) % (n - StoreFigures.paragraph.count)
                / StoreFigures.paragraph.count * StoreFigures.paragraph.count
        }
        row(
            "peers-byte-to-utf16",
            [
                Stopwatch.each(10_000) { _ in blackHole(rope.utf16Offset(at: ByteOffset(place()))) },
                Stopwatch.each(10_000) { _ in
                    let index = attributed.utf8.index(attributed.startIndex, offsetBy: place())
                    blackHole(attributed.utf16.distance(from: attributed.startIndex, to: index))
                },
            ])
        // Insert from the end to the start, so that the remaining positions stay valid.
        let paragraphs = n / StoreFigures.paragraph.count
        func descending(_ k: Int, of count: Int) -> Int {
            (paragraphs - 1 - k * (paragraphs - 1) / count) * StoreFigures.paragraph.count
        }
        row(
            "peers-insert",
            [
                Stopwatch.each(10_000, rounds: 1) { k in
                    let at = ByteOffset(descending(k, of: 10_000))
                    rope.replace(at..<at, with: "x")
                },
                Stopwatch.each(2000, rounds: 1) { k in
                    let at = attributed.utf8.index(attributed.startIndex, offsetBy: descending(k, of: 2000))
                    attributed.characters.insert("x", at: at)
                },
            ])
    }
}
