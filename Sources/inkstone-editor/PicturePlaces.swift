import Inkstone
import InkstoneMarkdown

/// The pictures of a styled Markdown document: which of them are files in its folder, and the user's decision about
/// the others.
struct PicturePlaces: Sendable {
    /// The folder of the document; nil for a document without a file. Setting another folder forgets the files in the
    /// previous one, and setting another document also forgets the user's decision.
    var folder: PictureFolder? {
        didSet {
            if folder?.document.directory != oldValue?.document.directory { (placed, known) = ([], [:]) }
            if folder?.document != oldValue?.document { (isAgreedTo, leftOut) = (false, []) }
        }
    }

    /// Whether the user has agreed that pictures are saved as files beside this document.
    private(set) var isAgreedTo = false
    /// The pictures that the user has agreed to leave out of the saved document.
    private(set) var leftOut: Set<PlacedPicture> = []
    /// The pictures that are or were files in the folder. A picture whose file another program has changed since stays
    /// in the set: undo may restore the former picture, which must not be written to a new file.
    private var placed: Set<PlacedPicture> = []
    /// The pictures that are files in the folder, by address, as they were last read or written.
    private(set) var known: [ScalarText: TextAttachment] = [:]

    /// Returns a copy for the document of another folder of pictures. Applies the user's answer if it is about that
    /// document.
    func moved(to folder: PictureFolder, _ answer: PictureAnswer?) -> PicturePlaces {
        var places = self
        places.folder = folder
        guard let answer, answer.document == folder.document else { return places }
        if let pictures = answer.leftOut { places.leftOut.formUnion(pictures) } else { places.isAgreedTo = true }
        return places
    }

    /// Withdraws the agreement to save pictures as files, because writing them has failed: the user may prefer to
    /// leave them out.
    mutating func withdrawAgreement() { isAgreedTo = false }

    /// Withdraws the decision to leave pictures out of the saved document, so that the next save asks again.
    mutating func reconsider() { leftOut = [] }

    /// Whether a document has pictures that the user has left out of its file. O(n) for n attribute runs of the text,
    /// unless nothing was left out.
    func leavesOut(of text: StyledText) -> Bool {
        !leftOut.isEmpty && Self.pictures(of: text).contains { leftOut.contains($0) && !placed.contains($0) }
    }

    /// Records that pictures are files in the folder.
    mutating func note(_ pictures: [PlacedPicture]) {
        guard folder != nil else { return }
        placed.formUnion(pictures)
        for picture in pictures { picture.address.map { known[$0] = picture.contents } }
    }

    /// Returns the pictures of a document that are not files in the folder, and that the user has not left out.
    /// O(n) for n attribute runs of the text.
    func unplaced(in text: StyledText) -> [PlacedPicture] {
        Self.pictures(of: text).filter { !placed.contains($0) && !leftOut.contains($0) }
    }

    /// Returns a Markdown document with the pictures that are files in the folder, read again from there. A picture
    /// that cannot be read now is shown as it was last read or written. Blocks.
    func shown(in document: MarkdownDocument) -> MarkdownDocument {
        guard let folder else { return document }
        let found = folder.pictures(of: document.pictureAddresses)
        return found.isEmpty && known.isEmpty ? document : document.showing { found[$0] ?? known[$0] }
    }

    // MARK: Pictures in texts

    /// Returns the different pictures of a text. O(n) for n attribute runs of the text.
    static func pictures(of text: StyledText) -> [PlacedPicture] {
        var known: Set<PlacedPicture> = []
        var result: [PlacedPicture] = []
        forEachPicture(of: text) { picture, _, _ in
            if known.insert(picture).inserted { result.append(picture) }
        }
        return result
    }

    /// Returns a text in which pictures without an address get an empty one, except those that are left out. The
    /// Markdown source then still shows where the picture is.
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

    /// Returns the attribute changes of a text that set the addresses of its pictures; nil if there is nothing to
    /// change.
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

/// The user's answer to the question whether to save the pictures of a document as files.
struct PictureAnswer: Equatable, Sendable {
    /// The absolute path of the document whose pictures the answer is about.
    let document: FilePath
    /// The pictures that are left out of the saved document; nil if pictures are saved as files beside the
    /// document.
    var leftOut: Set<PlacedPicture>?
}

extension RichDocument {
    /// The pictures and addresses of a document before a save to another file, to be restored if that save does not
    /// take place.
    struct FormerPlaces {
        /// The absolute path of the file to which the document is being saved; nil if it has none.
        let document: FilePath?
        fileprivate let pictures: PicturePlaces
        fileprivate let accepted: Loss
        fileprivate let text: StyledText
        /// The former address of each picture that got another one; an empty string for a picture without an
        /// address.
        fileprivate var addresses: [PlacedPicture: String] = [:]
    }

    /// Adopts the picture folder of a document that is being saved, and sets the addresses of pictures that were
    /// written to it. If this save gives the document another file, ``takeBackPlaces()`` can revert this until
    /// ``keepPlaces(of:)`` is called.
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

    /// Called when a document was saved: the addresses set by ``prepare(_:_:as:)`` stay.
    func keepPlaces(of document: FilePath) { if former?.document == document { (former, written) = (nil, [:]) } }

    /// Reverts ``prepare(_:_:as:)`` after a save to another file that did not take place.
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
            // If the text is unchanged, restore the addresses by position: two pictures may have got the same
            // address.
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

    /// Sets the addresses of pictures that were written to files. Undo does not revert that, because the files
    /// stay.
    func place(_ pictures: [PlacedPicture], as saved: [PlacedPicture]) {
        self.pictures.note(saved)
        let addresses = Dictionary(zip(pictures, saved.map { $0.address ?? "" })) { first, _ in first }
        guard let restyling = PicturePlaces.addressing(addresses, in: view.styledText) else { return }
        view.apply(
            Transaction(
                on: view, TextChangeSet(none: view.text), origin: .program, undo: .notRecorded, restyling: restyling))
    }
}
