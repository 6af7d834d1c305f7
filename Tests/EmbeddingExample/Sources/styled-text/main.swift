import FoundationEssentials
import Inkstone
import InkstoneAttributedText

/// A key that this program's attributed strings have.
enum Author: CodableAttributedStringKey {
    typealias Value = String
    static let name = "org.example.author"
}

let bridging = AttributeBridging(Author.self)
var letter = AttributedString("日本語もどうぞ。")
letter[Author.self] = "Aoi"
// A text with its attributes in, to be shown by a TextView(in: window, store: store).
let store = TextStore(StyledText(letter, bridging: bridging))
store.replace(UTF16Offset(0)..<UTF16Offset(3), with: "中文")
// And out: what was typed in place of a run has its attributes.
for run in AttributedString(store.styledText, bridging: bridging).runs {
    print(run[Author.self] ?? "nobody")
}
