public import InkstoneText

/// A format of styled text that other programs know, for their clipboards, drags and files.
public enum RichTextFormat: CaseIterable, Sendable {
    /// HTML, as a page or a piece of one.
    case html
    /// Rich Text Format 1.
    case rtf

    /// The attributes that a reader keeps.
    public enum Scope: Sendable {
        /// Every style that there is a key for.
        case all
        /// Structure and emphasis: bold, italic, lines, raised text, links, alignment, direction, indents and headings. Fonts, colours
        /// and spacing are left out.
        case structure
    }

    /// The types of all formats in the order in which a paste asks for them.
    public static let types = allCases.flatMap(\.types)

    /// The names of the format as MIME types and as targets of X's selections, the best known first.
    public var types: [String] {
        switch self {
        case .html: ["text/html"]
        case .rtf: ["text/rtf", "text/richtext", "application/rtf"]
        }
    }

    /// The format of a type; nil if it is none of these.
    public init?(type: String) {
        guard let format = Self.allCases.first(where: { $0.types.contains(type) }) else { return nil }
        self = format
    }

    /// Reads a document of another program, which may be damaged or hostile: nothing that it names is loaded, opened or run. Returns nil
    /// for bytes without any text and for those beyond the limits: 64 MB, and for HTML a million tags and about 500 attributes in a tag. Also nil
    /// for HTML where libxml2 is not installed. Any thread. O(n).
    ///
    /// - Parameters:
    ///   - scope: the attributes to keep.
    ///   - baseSize: the size of the text that it will stand in, in pixels at scale 1: headings in cells of RTF are larger than that.
    public func read(_ bytes: [UInt8], keeping scope: Scope = .all, baseSize: Double = 16) -> StyledText? {
        guard bytes.count <= Self.sizeLimit else { return nil }
        let text: StyledText? =
            switch self {
            case .html: HTMLReader.read(bytes, scope)
            case .rtf: RTFReader.read(bytes, scope, baseSize: baseSize)
            }
        return text?.rope.isEmpty == false ? text : nil
    }

    /// Writes a text as a document by itself. Attributes without a counterpart in the format are left out. O(n).
    public func write(_ text: StyledText) -> [UInt8] {
        switch self {
        case .html: HTMLWriter.write(text)
        case .rtf: RTFWriter.write(text)
        }
    }

    /// Most bytes of a document that is read.
    static let sizeLimit = 64 << 20
}
