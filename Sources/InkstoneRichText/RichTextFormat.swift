public import InkstoneText

/// A format of styled text for exchange with other programs, by clipboard, drag and drop, and files.
public enum RichTextFormat: CaseIterable, Sendable {
    /// HTML, as a complete page or a fragment.
    case html
    /// Rich Text Format 1.
    case rtf

    /// The attributes that reading keeps.
    public enum Scope: Sendable {
        /// All attributes of styled text.
        case all
        /// Structure and emphasis: headings, lists, quotations, code blocks and tables, as far as the format has them;
        /// bold, italic, underline and strikethrough, superscript, links, alignment, direction and indents. Fonts,
        /// colours and spacing are omitted.
        case structure
    }

    /// The types of all formats, in the order in which a paste requests them.
    public static let types = allCases.flatMap(\.types)

    /// The names of the format as MIME types and as targets of X selections, the most common first.
    public var types: [String] {
        switch self {
        case .html: ["text/html"]
        case .rtf: ["text/rtf", "text/richtext", "application/rtf"]
        }
    }

    /// Creates the format that has a name among its ``types``; nil if no format has it.
    public init?(type: String) {
        guard let format = Self.allCases.first(where: { $0.types.contains(type) }) else { return nil }
        self = format
    }

    /// Reads a document of another program. The document may be damaged or hostile: nothing that it refers to is
    /// loaded, opened or run. Returns nil if there is no text, if `rtf` is to read bytes that are not RTF, or if the
    /// document exceeds the limits: 64 MB; in HTML a million tags, about 500 attributes in a tag, and a nesting or a
    /// number of attributes that would take too long to parse; in RTF a million groups. Also nil for HTML if libxml2 is
    /// not installed. May be called on any thread. O(n).
    ///
    /// - Parameters:
    ///   - scope: the attributes to keep.
    ///   - baseSize: the size of the text into which the result is inserted, in pixels at scale 1. With the scope
    ///     ``Scope/structure``, headings in table cells of RTF get larger sizes than that; otherwise it has no effect.
    public func read(_ bytes: [UInt8], keeping scope: Scope = .all, baseSize: Double = 16) -> StyledText? {
        guard bytes.count <= Self.sizeLimit else { return nil }
        let text: StyledText? =
            switch self {
            case .html: HTMLReader.read(bytes, scope)
            case .rtf: RTFReader.read(bytes, scope, baseSize: baseSize)
            }
        return text?.rope.isEmpty == false ? text : nil
    }

    /// Writes a text as the content of a clipboard: in HTML as a fragment. Attributes that the format does not have
    /// are omitted. O(n).
    public func write(_ text: StyledText) -> [UInt8] {
        switch self {
        case .html: HTMLWriter.write(text)
        case .rtf: RTFWriter.write(text)
        }
    }

    /// Writes a text as the content of a file: in HTML as a page, whose title is the text of the first heading or, if
    /// there is none, the given one. Attributes that the format does not have are omitted. O(n).
    package func writeFile(_ text: StyledText, title: String) -> [UInt8] {
        switch self {
        case .html: HTMLWriter.writePage(text, title: title)
        case .rtf: RTFWriter.write(text)
        }
    }

    /// The maximum size, in bytes, of a document that is read. A larger document is rejected.
    static let sizeLimit = 64 << 20
}
