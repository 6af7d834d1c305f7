import Inkstone
import InkstoneFiles
import InkstoneMarkdown

/// A file format for exporting styled text.
enum StyledExport: CaseIterable {
    case html, rtf, markdown

    /// Creates the format for a file name's suffix; nil if no format has that suffix.
    init?(_ path: FilePath) {
        let name = path.description.lowercased()
        guard let format = Self.allCases.first(where: { $0.suffixes.contains { name.hasSuffix($0) } }) else {
            return nil
        }
        self = format
    }

    /// The suffixes of file names for the format, the usual one first.
    var suffixes: [String] {
        switch self {
        case .html: [".html", ".htm"]
        case .rtf: [".rtf"]
        case .markdown: [".md", ".markdown"]
        }
    }

    /// The name of the format, as shown to the user.
    var name: String {
        switch self {
        case .html: "HTML"
        case .rtf: "RTF"
        case .markdown: "Markdown"
        }
    }

    /// The content of an exported file, and the styles that the format does not express.
    struct Page: Sendable {
        var content: Rope
        var loss: RichDocument.Loss
        /// The styled text, if it has pictures that are to be written to files beside the exported file; nil
        /// otherwise.
        fileprivate var pictured: StyledText?
        /// The names of the files from which pictures were inserted.
        var pictureNames: [TextAttachment: FilePath] = [:]

        /// Writes the page to a file, and its pictures to files beside it. If replacing the present file would lose
        /// its hard links or attributes, overwrites that file in place. Blocks.
        func write(to path: FilePath, expecting identity: FileIdentity?) throws(TextFileError) {
            let content = try content(beside: path).get()
            do throws(TextFileError) {
                _ = try TextFile.write(content, to: path, expecting: identity)
            } catch .wouldLose {
                _ = try TextFile.write(content, to: path, expecting: identity, method: .inPlace)
            }
        }

        /// Writes the pictures to files beside the exported file, and returns the content with their addresses.
        /// Blocks.
        func content(beside path: FilePath) -> Result<Rope, TextFileError> {
            guard var text = pictured else { return .success(content) }
            let pictures = PicturePlaces.pictures(of: text)
            let folder = PictureFolder(document: path.fromWorkingFolder)
            return folder.write(pictures, names: pictureNames).map { saved in
                let addresses = Dictionary(zip(pictures, saved.map { $0.address ?? "" })) { first, _ in first }
                if let restyling = PicturePlaces.addressing(addresses, in: text) {
                    text.apply(TextChangeSet(none: text.rope), restyling: restyling)
                }
                return Rope(MarkdownDocument.write(text).source)
            }
        }
    }

    /// Converts a styled text to the format. O(n) for n bytes of text.
    ///
    /// - Parameter title: the title of a page of HTML whose text has no heading.
    func page(of text: StyledText, title: String = "") -> Page {
        let format: RichTextFormat
        switch self {
        case .html: format = .html
        case .rtf: format = .rtf
        case .markdown:
            let written = MarkdownDocument.write(PicturePlaces.withAddresses(text))
            return Page(
                content: Rope(written.source),
                loss: RichDocument.Loss(of: written, in: text),
                pictured: PicturePlaces.pictures(of: text).isEmpty ? nil : text)
        }
        // Write the address of a picture if only that is known; a format without pictures loses such a picture like
        // any other.
        let pictured =
            MarkdownDocument.showing(in: text) { TextAttachment(contents: Array($0.utf8), type: "text/uri-list") }
            ?? text
        // Do not count the Markdown spelling of a link or picture as a lost style.
        var lost = Set(format.lostAttributes(of: pictured))
            .subtracting([MarkdownDestinationAttribute.name, MarkdownImageAttribute.name])
        // HTML and RTF express every part of a paragraph style except the tab stops.
        if lost.remove(ParagraphStyleAttribute.name) != nil { lost.insert(RichDocument.Loss.name(.tabStops)) }
        return Page(
            content: Rope(bytes: format.writeFile(pictured, title: title)), loss: RichDocument.Loss(attributes: lost))
    }
}

extension RichDocument.Loss {
    /// Whether nothing is lost: no style, and no text that would be read differently.
    var isNothing: Bool { self == Self() }
}

/// The export of styled text to other formats.
extension EditorWindow {
    /// Asks for a file whose suffix gives the format, and exports the document to it. The window keeps its own
    /// file. Does nothing for plain text, while a file is being read, or during a question; shows a message during
    /// another export.
    func askWhereToExport(_ text: String? = nil, problem: String? = nil) {
        guard rich?.isReady == true, !file.isReading, !isAsking else { return }
        if let path = life.exporting { return notify(Words.saving(path.label)) }
        let start = file.absolutePath ?? EditedFile.workingFolder.appending("text")
        let base = (StyledExport.markdown.suffixes + [".txt"]).reduce(start) { $0.dropping(suffix: $1) }
        let request = PathPrompt.Request(
            label: Words.exportPrompt, action: Words.exportButton, hint: Words.exportHint, isPath: true)
        openPrompt(request, text: text ?? base.appending(suffix: ".html").description, problem: problem) {
            window, answer in
            let request = window.life.input
            window.checkPath(answer) { window, path, found in
                if let other = found.window {
                    return window.askWhereToExport(answer, problem: Words.openInEditor(other.file.displayName))
                }
                guard let format = StyledExport(path) else {
                    return window.askWhereToExport(answer, problem: Words.exportSuffixes)
                }
                // A paste that was requested before is exported as well.
                window.performAfterEdits { $0.export(format, to: path, since: request) }
            } again: {
                $0.askWhereToExport($1, problem: $2)
            }
        }
    }

    /// Converts the document in the background and writes the file. Asks first if styles would be lost or a file
    /// would be replaced.
    private func export(_ format: StyledExport, to path: FilePath, since request: InputMark) {
        let (text, name) = (view.store.styledText, file.displayName)
        life.exporting = path
        notifyThatItExports(path)
        perform(inBackground: { (format.page(of: text, title: name), FileIdentity(path: path)) }, holdingKeys: true) {
            window, made in
            var (page, identity) = made
            page.pictureNames = window.rich?.pictureNames ?? [:]
            guard !page.loss.isNothing else {
                return window.write(page, to: path, over: identity, since: request)
            }
            window.life.exporting = nil
            let question =
                page.loss.attributes.isEmpty
                ? Words.formatIsInexact(format.name, name) : Words.formatHasNo(format.name, page.loss.words, name)
            window.ask(
                Question(
                    text: question,
                    answers: [
                        .init(label: Words.exportAnyway) { [weak window] in
                            guard let window else { return }
                            window.write(page, to: path, over: identity, since: window.life.input)
                        },
                        .init(label: Words.cancel) {},
                    ]), since: request)
        } orElse: {
            $0.exportDidEnd(isWritten: false)
        }
    }

    /// Shows a message if an export takes longer than half a second, unless another message is shown then.
    private func notifyThatItExports(_ path: FilePath) {
        display.schedule(afterMilliseconds: 500) { [weak self] in
            guard let self, !isClosed, life.exporting == path, message == nil else { return }
            notify(Words.saving(path.label))
        }
    }

    /// Ends an export. If the window waits for the end of the export in order to close, it closes now, or stays
    /// open if nothing was written.
    private func exportDidEnd(isWritten: Bool) {
        life.exporting = nil
        handle(isWritten ? .saved : .saveFailed)
    }

    private func write(
        _ page: StyledExport.Page, to path: FilePath, over identity: FileIdentity?, since request: InputMark
    ) {
        guard identity != nil else { return write(page, to: path, expecting: nil) }
        life.exporting = nil
        ask(
            Question(
                text: Words.alreadyExists(path.label),
                answers: [
                    .init(label: Words.cancel) {},
                    .init(label: Words.overwrite) { [weak self] in
                        self?.write(page, to: path, expecting: identity)
                    },
                ]), since: request)
    }

    private func write(_ page: StyledExport.Page, to path: FilePath, expecting identity: FileIdentity?) {
        life.exporting = path
        notifyThatItExports(path)
        perform(
            inBackground: {
                Result { () throws(TextFileError) in
                    try page.write(to: path, expecting: identity)
                }
            }
        ) { window, result in
            switch result {
            case .success:
                window.notify(Words.exported(path.label))
                window.exportDidEnd(isWritten: true)
            case .failure(let error):
                window.notify(error.description, isProblem: true)
                window.exportDidEnd(isWritten: false)
            }
        } orElse: {
            $0.exportDidEnd(isWritten: false)
        }
    }
}
