import FoundationEssentials
import InkstoneBase
import InkstoneText

// The rules of AttributedString and StyledText differ. A “text key” is one with the invalidation condition
// `textChanged`: a change of its text removes it.
//
//                                           AttributedString         StyledText
//      text typed at the start of a         inherits from the        inherits from the
//      paragraph that is not the last       newline before it        text after it
//      text inserted inside a run of a      leaves the run           removes the key from
//      text key                             unchanged                the whole run
//      an edit in a run of a text key       removes the key from     removes the key from
//                                           other runs as well, and  the range around the
//                                           not from all of this     edit with an equal
//                                           run                      value
//      several keys set at once, of which   depends on the order     all keys that are set
//      one depends on another               of a dictionary          stay
//      setting attributes without           leaves the paragraph     sets the paragraph keys
//      paragraph keys in a part of a        with two values          of all of the paragraph
//      paragraph
//      text typed next to text whose keys   forgets the dependence   keeps the dependence
//      depend on each other                                          for that text as well
//      paragraphs joined by an edit that    keep their values        get the value of the
//      also touches a text key                                       first paragraph
//      indices                              of characters, kept      UTF-16 units, mapped
//                                           or nil                   through changes
extension StyledText {
    /// Creates the text of an attributed string, with its attributes. O(n).
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
    /// Creates an attributed string from a styled text. Bytes that are not valid UTF-8 become U+FFFD. O(n).
    public init(_ text: StyledText, bridging: AttributeBridging = AttributeBridging()) {
        self.init()
        for run in text.attributes(in: text.rope.utf16Range) {
            self += AttributedString(
                text.rope.string(in: run.range), attributes: bridging.container(run.attributes))
        }
    }
}

extension Rope {
    /// Creates the text of an attributed string, without its attributes. O(n).
    public init(_ string: AttributedString) { self.init(String(string.characters)) }
}
