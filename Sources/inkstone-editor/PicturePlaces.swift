import Inkstone
import InkstoneMarkdown

/// The pictures of a styled Markdown document that are files in its folder, and what is to become of the others.
struct PicturePlaces: Sendable {
    /// The folder; nil for a text without a file. Pictures of another folder have no files in it.
    var folder: PictureFolder? {
        didSet {
            if folder?.document.directory != oldValue?.document.directory { (placed, known) = ([], [:]) }
            if folder?.document != oldValue?.document { (isAgreedTo, leftOut) = (false, []) }
        }
    }

    /// Whether the user has agreed to save pictures as files beside this document.
    private(set) var isAgreedTo = false
    /// The pictures that the user saves this document without.
    private(set) var leftOut: Set<PlacedPicture> = []
    /// The pictures that are or were files in the folder. A picture that another program has changed since is still represented by its
    /// address: its former contents, which undo may bring back, are not written to a new file.
    private var placed: Set<PlacedPicture> = []
    /// The pictures that are files, by address, as they were last read or written.
    private(set) var known: [String: TextAttachment] = [:]

    /// Returns the places for a document, with the answer of the user if it is about that.
    func moved(to folder: PictureFolder, _ answer: PictureAnswer?) -> PicturePlaces {
        var places = self
        places.folder = folder
        guard let answer, answer.document == folder.document else { return places }
        if let pictures = answer.leftOut { places.leftOut.formUnion(pictures) } else { places.isAgreedTo = true }
        return places
    }

    /// Withdraws the agreement, since pictures cannot be saved: the user may prefer the text without them.
    mutating func withdrawAgreement() { isAgreedTo = false }

    /// Records pictures as files in the folder.
    mutating func note(_ pictures: [PlacedPicture]) {
        guard folder != nil else { return }
        placed.formUnion(pictures)
        for picture in pictures { picture.address.map { known[$0] = picture.contents } }
    }

    /// Returns the pictures of a text that are no files in the folder, and that the user has not left out. O(n) in the runs of the text.
    func unplaced(in text: StyledText) -> [PlacedPicture] {
        Self.pictures(of: text).filter { !placed.contains($0) && !leftOut.contains($0) }
    }

    /// Returns a document with the pictures that are files in the folder, read anew. Blocks.
    func shown(in document: MarkdownDocument) -> MarkdownDocument {
        guard let folder else { return document }
        let found = folder.pictures(of: document.pictureAddresses)
        return found.isEmpty && known.isEmpty ? document : document.showing { found[$0] ?? known[$0] }
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

    /// Returns a text in which pictures without an address have an empty one, so that Markdown says that they are there; except those that
    /// are left out.
    static func withAddresses(_ text: StyledText, except leftOut: Set<PlacedPicture> = []) -> StyledText {
        var restyling = Restyling()
        forEachPicture(of: text) { picture, attributes, range in
            guard picture.address == nil, attributes[MarkdownImageAttribute.self] == nil, !leftOut.contains(picture)
            else { return }
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

    static func forEachPicture(
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

/// The answer to the question about the pictures of a document that are no files beside it.
struct PictureAnswer: Equatable, Sendable {
    /// The absolute path of the document that was asked about.
    let document: FilePath
    /// The pictures that it is saved without; nil if they become files beside it.
    var leftOut: Set<PlacedPicture>?
}

extension RichDocument {
    /// The pictures and their addresses before a save to another file, which may be given up.
    struct FormerPlaces {
        /// The absolute path of the other file.
        let document: FilePath?
        fileprivate let pictures: PicturePlaces
        fileprivate let accepted: Loss
        fileprivate let text: StyledText
        /// The former address of each picture that got another one; empty for none.
        fileprivate var addresses: [PlacedPicture: String] = [:]
    }

    /// Adopts the places of the document that is being saved, and gives pictures the addresses that they were saved to. Until
    /// ``keepPlaces(of:)`` this can be taken back if the document is another one than before.
    func prepare(_ places: PicturePlaces, _ pictures: [PlacedPicture] = [], as saved: [PlacedPicture] = []) {
        if former == nil, places.folder?.document != self.pictures.folder?.document {
            former = FormerPlaces(
                document: places.folder?.document, pictures: self.pictures, accepted: accepted, text: view.styledText)
        }
        for (old, new) in zip(pictures, saved) { written[old] = new }
        self.pictures = places
        if !places.leftOut.isEmpty { accept(Loss(attributes: [AttachmentAttribute.name])) }
        for (old, new) in zip(pictures, saved) where former?.addresses[new] == nil {
            former?.addresses[new] = old.address ?? ""
        }
        place(pictures, as: saved)
    }

    /// Records that a document was saved: its places stay.
    func keepPlaces(of document: FilePath) { if former?.document == document { (former, written) = (nil, [:]) } }

    /// Takes back the places and addresses of another file whose save was given up.
    func takeBackPlaces() {
        guard let former else { return }
        (self.former, pictures) = (nil, former.pictures)
        setAccepted(former.accepted)
        let text = view.styledText
        var restyling = Restyling()
        func set(_ address: String, _ attributes: TextAttributes, _ range: Range<UTF16Offset>) {
            let title = attributes[MarkdownImageAttribute.self]?.title ?? ""
            restyling.set(.init(source: address, title: title), of: MarkdownImageAttribute.self, in: range)
        }
        if text.rope == former.text.rope {
            // Two pictures may have got one address.
            PicturePlaces.forEachPicture(of: former.text) { picture, attributes, range in
                guard let new = text.attributes(at: range.lowerBound)[AttachmentAttribute.self],
                    PlacedPicture(new).contents == picture.contents
                else { return }
                set(picture.address ?? "", attributes, range)
            }
        } else {
            PicturePlaces.forEachPicture(of: text) { picture, attributes, range in
                if let address = former.addresses[picture] { set(address, attributes, range) }
            }
        }
        guard !restyling.isEmpty else { return }
        view.apply(
            Transaction(
                on: view, TextChangeSet(none: view.text), origin: .program, undo: .notRecorded, restyling: restyling))
    }

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
