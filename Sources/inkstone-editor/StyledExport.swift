import Inkstone
import InkstoneMarkdown

/// A format of files that styled text is exported in.
enum StyledExport: CaseIterable {
    case html, rtf, markdown

    /// The format that a file's name says by its end; nil for any other.
    init?(_ path: FilePath) {
        let name = path.description.lowercased()
        guard let format = Self.allCases.first(where: { $0.suffixes.contains { name.hasSuffix($0) } }) else {
            return nil
        }
        self = format
    }

    /// Ends of the names of such files, the usual one first.
    var suffixes: [String] {
        switch self {
        case .html: [".html", ".htm"]
        case .rtf: [".rtf"]
        case .markdown: [".md", ".markdown"]
        }
    }

    /// Its name, for the user.
    var name: String {
        switch self {
        case .html: "HTML"
        case .rtf: "RTF"
        case .markdown: "Markdown"
        }
    }

    /// The content of a file, and what of the text it does not have.
    struct Page: Sendable {
        var content: Rope
        var loss: RichDocument.Loss
    }

    /// A text as a file of the format. O(n).
    func page(of text: StyledText) -> Page {
        let format: RichTextFormat
        switch self {
        case .html: format = .html
        case .rtf: format = .rtf
        case .markdown:
            let written = MarkdownDocument.write(text)
            return Page(
                content: Rope(written.source),
                loss: RichDocument.Loss(attributes: Set(written.lostAttributes), isInexact: !written.isExact))
        }
        // How a link is spelled in Markdown is no look of it.
        let lost = Set(format.lostAttributes(of: text)).subtracting([MarkdownDestinationAttribute.name])
        return Page(content: Rope(bytes: format.write(text)), loss: RichDocument.Loss(attributes: lost))
    }
}

extension RichDocument.Loss {
    /// Whether nothing is lost.
    var isNothing: Bool { self == Self() }
}

/// Copies of the styled text in other formats.
extension EditorWindow {
    /// Asks for a file whose name says the format, and writes the text as it is now there: the window stays with its own file.
    func askWhereToExport(_ text: String? = nil, problem: String? = nil) {
        guard rich?.isReady == true, !file.isReading, !isAsking else { return }
        let start = file.absolutePath ?? EditedFile.workingFolder.appending("text")
        let base = (StyledExport.markdown.suffixes + [".txt"]).reduce(start) { $0.dropping(suffix: $1) }
        let request = PathPrompt.Request(
            label: Words.exportPrompt, action: Words.exportButton, hint: Words.exportHint, isPath: true)
        openPrompt(request, text: text ?? base.appending(suffix: ".html").description, problem: problem) {
            window, answer in
            window.lookAt(answer) { window, path, found in
                if let other = found.window {
                    return window.askWhereToExport(answer, problem: Words.openInEditor(other.file.displayName))
                }
                guard let format = StyledExport(path) else {
                    return window.askWhereToExport(answer, problem: Words.exportSuffixes)
                }
                window.export(format, to: path)
            } again: {
                $0.askWhereToExport($1, problem: $2)
            }
        }
    }

    /// Makes the file's content in the background, and writes it; asks first if it has less than the text, or takes the place of a file.
    private func export(_ format: StyledExport, to path: FilePath) {
        let (text, name) = (view.store.styledText, file.displayName)
        perform(inBackground: { (format.page(of: text), FileIdentity(path: path)) }, holdingKeys: true) {
            window, made in
            let (page, identity) = made
            guard !page.loss.isNothing else { return window.write(page, to: path, over: identity) }
            let question =
                page.loss.attributes.isEmpty
                ? Words.formatIsInexact(format.name, name) : Words.formatHasNo(format.name, page.loss.words, name)
            window.ask(
                Question(
                    text: question,
                    answers: [
                        .init(label: Words.exportAnyway) { [weak window] in
                            window?.write(page, to: path, over: identity)
                        },
                        .init(label: Words.cancel) {},
                    ]))
        }
    }

    private func write(_ page: StyledExport.Page, to path: FilePath, over identity: FileIdentity?) {
        guard identity != nil else { return write(page, to: path, expecting: nil) }
        ask(
            Question(
                text: Words.alreadyExists(path.label),
                answers: [
                    .init(label: Words.cancel) {},
                    .init(label: Words.replaceFile) { [weak self] in
                        self?.write(page, to: path, expecting: identity)
                    },
                ]))
    }

    private func write(_ page: StyledExport.Page, to path: FilePath, expecting identity: FileIdentity?) {
        perform(
            inBackground: {
                Result { () throws(TextFileError) in
                    try TextFile.write(page.content, to: path, expecting: identity)
                }
            }
        ) { window, result in
            switch result {
            case .success: window.tell(Words.exported(path.label))
            case .failure(let error): window.tell(error.description, isProblem: true)
            }
        }
    }
}
