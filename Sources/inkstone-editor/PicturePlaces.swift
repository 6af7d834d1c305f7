import Inkstone
import InkstoneMarkdown

/// The pictures of a styled Markdown document that are files in its folder, and what is to become of the others.
struct PicturePlaces: Sendable {
    /// The folder; nil for a text without a file. Pictures of another folder have no files in it.
    var folder: PictureFolder? {
        didSet { if folder?.document.directory != oldValue?.document.directory { placed = [] } }
    }

    /// Whether the user has agreed to save pictures as files beside the document.
    var isAgreedTo = false
    /// Whether the user saves the text without the pictures that are no files.
    var isLeftOut = false
    /// The pictures that are files in the folder.
    private var placed: Set<PlacedPicture> = []

    /// The pictures that are files, by address.
    var known: [String: TextAttachment] {
        Dictionary(placed.map { ($0.address ?? "", $0.contents) }) { first, _ in first }
    }

    /// Records pictures as files in the folder.
    mutating func note(_ pictures: [PlacedPicture]) { if folder != nil { placed.formUnion(pictures) } }

    /// Returns the pictures of a text that are no files in the folder. O(n) in the runs of the text.
    func unplaced(in text: StyledText) -> [PlacedPicture] {
        Self.pictures(of: text).filter { !placed.contains($0) }
    }

    /// Returns a document with the pictures that are files in the folder. Blocks.
    func shown(in document: MarkdownDocument) -> MarkdownDocument {
        guard let folder else { return document }
        let found = folder.pictures(of: document.pictureAddresses.filter { known[$0] == nil })
        return found.isEmpty ? document : document.showing { found[$0] }
    }

    // MARK: Texts

    /// Returns the pictures of a text, each once. O(n) in the runs of the text.
    static func pictures(of text: StyledText) -> [PlacedPicture] {
        var known: Set<PlacedPicture> = []
        var result: [PlacedPicture] = []
        forEachPicture(of: text) { picture, _, _ in
            if known.insert(picture).inserted { result.append(picture) }
        }
        return result
    }

    /// Returns a text in which pictures without an address have an empty one, so that Markdown says that they are there.
    static func withAddresses(_ text: StyledText) -> StyledText {
        var restyling = Restyling()
        forEachPicture(of: text) { picture, attributes, range in
            guard picture.address == nil, attributes[MarkdownImageAttribute.self] == nil else { return }
            restyling.set(.init(source: ""), of: MarkdownImageAttribute.self, in: range)
        }
        guard !restyling.isEmpty else { return text }
        var result = text
        result.apply(TextChangeSet(none: text.rope), restyling: restyling)
        return result
    }

    /// Returns the change of a text that gives pictures their addresses; nil if there is nothing to change.
    static func addressing(_ addresses: [PlacedPicture: String], in text: StyledText) -> Restyling? {
        var restyling = Restyling()
        forEachPicture(of: text) { picture, attributes, range in
            guard let address = addresses[picture], address != picture.address else { return }
            let title = attributes[MarkdownImageAttribute.self]?.title ?? ""
            restyling.set(.init(source: address, title: title), of: MarkdownImageAttribute.self, in: range)
        }
        return restyling.isEmpty ? nil : restyling
    }

    private static func forEachPicture(
        of text: StyledText, _ body: (PlacedPicture, TextAttributes, Range<UTF16Offset>) -> Void
    ) {
        text.runs?.forEachRun(in: text.rope.utf16Range) { run, _ in
            guard let attachment = run.attributes[AttachmentAttribute.self], attachment.imageHeader != nil else {
                return
            }
            let address = run.attributes[MarkdownImageAttribute.self]?.source
            body(PlacedPicture(attachment, address: address), run.attributes, run.range)
        }
    }
}

extension RichDocument {
    /// Gives pictures the addresses that they were saved to. Undo does not take that back: the files stay.
    func place(_ pictures: [PlacedPicture], as saved: [PlacedPicture]) {
        self.pictures.note(saved)
        let addresses = Dictionary(zip(pictures, saved.map { $0.address ?? "" })) { first, _ in first }
        guard let restyling = PicturePlaces.addressing(addresses, in: view.styledText) else { return }
        view.apply(
            Transaction(
                on: view, TextChangeSet(none: view.text), origin: .program, undo: .notRecorded, restyling: restyling))
    }
}
