import InkstoneBase
public import InkstoneText

/// The indentation of a file: the text that the Tab key inserts, and the width of a tab.
public struct Indentation: Hashable, Sendable {
    /// The number of blanks in a step of indentation; nil if a step is a tab.
    public var blanks: Int?
    /// The distance between tab stops in columns.
    public var tabWidth: Int

    /// Creates an indentation with a step of `blanks`, or of a tab if nil, and a tab width in columns.
    public init(blanks: Int? = nil, tabWidth: Int = 8) { (self.blanks, self.tabWidth) = (blanks, tabWidth) }

    /// Creates the indentation of a text. Properties that `.editorconfig` does not set are inferred from the text
    /// itself.
    public init(of text: Rope, _ config: EditorConfig = EditorConfig()) {
        self.init(habitOf: text)
        if let width = config.tabWidth ?? config.indentSize { tabWidth = width }
        if config.indentsWithTabs == true {
            blanks = nil
        } else if config.indentsWithTabs == false {
            blanks = config.indentSize ?? config.tabWidth ?? blanks ?? 4
        } else if blanks != nil, let size = config.indentSize {
            blanks = size
        }
    }

    /// The number of bytes at the start of a text from which its indentation is inferred.
    private static let mostRead = 65_536

    /// Creates the indentation that the lines at the start of a text show. A step of indentation is blanks if more
    /// lines begin with two or more blanks than with a tab; otherwise it is a tab. The number of blanks is the most
    /// frequent increase of indentation from one line to the next, from 2 to 8. If no such increase occurs, it is 4.
    init(habitOf text: Rope) {
        self.init()
        var (tabs, blanked) = (0, 0)
        var steps = [Int](repeating: 0, count: 9)
        // The number of blanks of the present line so far, that of the line before, and whether the indentation of the
        // present line has ended.
        var (width, last, isOver) = (0, 0, false)
        text.forEachChunk(in: 0..<ByteOffset(min(Self.mostRead, text.metrics.bytes))) { chunk, _ in
            for byte in chunk {
                if byte == 0x0a || byte == 0x0d {
                    (width, isOver) = (0, false)
                } else if !isOver {
                    switch byte {
                    case 0x20: width += 1
                    case 0x09:
                        if width == 0 { tabs += 1 }
                        isOver = true
                        last = 0
                    default:
                        isOver = true
                        // Do not count a single blank as indentation: it usually begins the second line of a block
                        // comment.
                        if width > 1 { blanked += 1 }
                        let step = width - last
                        if width != 1 {
                            if steps.indices.contains(step) { steps[step] += 1 }
                            last = width
                        }
                    }
                }
            }
        }
        guard blanked > tabs else { return }
        let best = (2...8).max { steps[$0] < steps[$1] } ?? 4
        blanks = steps[best] > 0 ? best : 4
    }
}
