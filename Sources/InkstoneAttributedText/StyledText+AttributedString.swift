import FoundationEssentials
import InkstoneBase
import InkstoneText

// Where the rules of the two differ:
//
//                                        AttributedString        StyledText
//   text typed at the start of a         takes after the         takes after what
//   paragraph that is not the last       newline before it       follows it
//   text inserted inside a run of a      leaves the run          takes the key from
//   key that goes with changed text                              the whole run
//   an edit in such a run                takes the key from       takes it away as far as
//                                        other runs as well, and  its value reaches without
//                                        not from all of this     a break
//   several keys set at once, of which   depends on the order    all that are set stay
//   one depends on another               of a dictionary
//   setting attributes of a part of a    leaves the paragraph    sets the paragraph keys
//   paragraph to some without            with two values         of all of the paragraph
//   paragraph keys
//   text typed next to text whose keys   forgets that they       they depend on each
//   depend on each other                 do                      other there too
//   paragraphs joined by an edit that    keep their values       take that of the first
//   also touches a key that goes with                            one
//   changed text
//   indices                              of characters, kept     UTF-16 units, mapped
//                                        or nil                  through changes
extension StyledText {
    /// The text of an attributed string with its attributes. O(n).
    public init(_ string: AttributedString, bridging: AttributeBridging = AttributeBridging()) {
        var runs = AttributeRuns()
        var isStyled = false
        for run in string.runs {
            let attributes = bridging.textAttributes(run.attributes)
            isStyled = isStyled || !attributes.isEmpty
            runs.append(AttributeRuns(length: string.utf16[run.range].count, attributes))
        }
        self.init(Rope(String(string.characters)), runs: isStyled ? runs : nil)
    }
}

extension AttributedString {
    /// A styled text as an attributed string; bytes that are no text become U+FFFD. O(n).
    public init(_ text: StyledText, bridging: AttributeBridging = AttributeBridging()) {
        self.init()
        for run in text.attributes(in: text.rope.utf16Range) {
            self += AttributedString(
                text.rope.string(in: run.range), attributes: bridging.container(run.attributes))
        }
    }
}

extension Rope {
    /// The text of an attributed string. O(n).
    public init(_ string: AttributedString) { self.init(String(string.characters)) }
}
