import FoundationEssentials
import InkstoneBase
import InkstoneText

/// `AttributedString` at the API's edge: a stretch of text with its attributes, whatever keys they have.
extension AttributeRuns where Value == AttributeContainer {
    /// The attributes of an attributed string. O(n).
    public init(_ string: AttributedString) {
        self.init(length: 0, value: AttributeContainer())
        for run in string.runs {
            let length = string.utf16[run.range].count
            append(AttributeRuns(length: length, value: run.attributes))
        }
    }

    /// The text of a range with its attributes; parts of the text that are not valid become U+FFFD. O(log n + m).
    public func attributedString(of text: Rope, in range: Range<UTF16Offset>) -> AttributedString {
        var result = AttributedString()
        forEachRun(in: range) { run, _ in
            result += AttributedString(text.string(in: run.range), attributes: run.value)
        }
        return result
    }
}

extension Rope {
    /// The text of an attributed string. O(n).
    public init(_ string: AttributedString) {
        self.init(String(string.characters))
    }
}
