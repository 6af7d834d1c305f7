import Glibc
import Inkstone
import InkstoneFiles
import InkstonePrint
import Synchronization

/// A print job that runs on another thread and can be cancelled.
final class PrintJob: Sendable {
    /// The destination of a print job's pages.
    enum Destination: Sendable {
        /// A PDF file.
        case file(FilePath)
        /// The printer with this name; nil for the user's default printer.
        case printer(String?)
    }

    private let isGivenUp = Atomic(false)
    private let percent = Atomic(0)

    /// Whether the job was cancelled.
    var isCancelled: Bool { isGivenUp.load(ordering: .relaxed) }

    /// The part of the text that has been laid out on pages so far, in percent.
    var progress: Int { percent.load(ordering: .relaxed) }

    /// Requests the end of the job, without waiting for it. Callable on any thread.
    func cancel() { isGivenUp.store(true, ordering: .relaxed) }

    /// Makes the pages and sends them to the destination; calls `report` a few times a second. Returns a message
    /// about the result. Blocks.
    func run(
        _ printer: PagePrinter, to destination: Destination, report: () -> Void
    ) -> (text: String, isProblem: Bool) {
        var last = MonotonicClock.milliseconds
        var pages = 0
        func goesOn(_ progress: PrintProgress) -> Bool {
            pages = progress.pages
            percent.store(Int(progress.fraction * 100), ordering: .relaxed)
            let now = MonotonicClock.milliseconds
            if now - last > 300 {
                last = now
                report()
            }
            return !isCancelled
        }
        do throws(PrintError) {
            switch destination {
            case .file(let path):
                try printer.print(to: path, progress: goesOn)
                return (Words.pages(pages, in: path.label), false)
            case .printer(let name):
                let job = try printer.print(toPrinter: name, progress: goesOn)
                return ([Words.pagesSent(pages), job].joined(separator: " "), false)
            }
        } catch .cancelled {
            return (PrintError.cancelled.description, false)
        } catch {
            return (error.description, true)
        }
    }
}

extension EditorWindow {
    /// Asks for the destination, and then prints the whole document or the selection. During another print job, or
    /// while the file is being read, shows a message instead.
    func askWhereToPrint(selectionOnly: Bool = false) {
        guard printing == nil else { return notify(Words.alreadyPrinting) }
        guard file.isUsable, !file.isReading else {
            return notify(Words.printsAfterLoading)
        }
        var answers: [Question.Answer] = [
            .init(label: Words.toFile) { [weak self] in self?.askForPrintFile(selectionOnly) },
            .init(label: Words.toPrinter) { [weak self] in self?.askForPrinter(selectionOnly) },
        ]
        if !selectionOnly, view.selection.map({ !$0.primary.range.isEmpty }) == true {
            answers.append(
                .init(label: Words.selectionOnly) { [weak self] in
                    self?.performUnlessAsking { $0.askWhereToPrint(selectionOnly: true) }
                })
        }
        answers.append(.init(label: Words.cancel) {})
        let name = file.displayName
        let text = selectionOnly ? Words.printSelectionQuestion(name) : Words.printQuestion(name)
        ask(Question(text: text, answers: answers))
    }

    private func askForPrintFile(_ selectionOnly: Bool, _ text: String? = nil, problem: String? = nil) {
        let start = file.absolutePath ?? EditedFile.workingFolder.appending("text")
        let request = PathPrompt.Request(
            label: Words.pdfPrompt, action: Words.printButton, hint: Words.pdfHint, isPath: true)
        let proposal = start.appending(suffix: ".pdf").description
        openPrompt(request, text: text ?? proposal, problem: problem) { window, answer in
            // A paste that was requested before is printed as well.
            window.performAfterEdits { $0.print(selectionOnly, toFile: answer) }
        }
    }

    /// Prints the text and the selection as they are now, into the file that the user has named; asks first if the
    /// file exists.
    private func print(_ selectionOnly: Bool, toFile answer: String) {
        let (request, pages) = (life.input, pages(selectionOnly))
        checkPath(answer) { window, path, found in
            if let other = found.window {
                let problem = Words.openInEditor(other.file.displayName)
                return window.askForPrintFile(selectionOnly, answer, problem: problem)
            }
            // Wait for the disk's answer, however long it takes: an existing file must not be replaced unasked.
            window.perform(
                inBackground: { access(path.cString, F_OK) == 0 }, holdingKeys: true,
                late: Words.waitingForDisk(path.label)
            ) { window, exists in
                guard exists else { return window.print(pages, to: .file(path)) }
                window.ask(
                    Question(
                        text: Words.alreadyExists(path.label),
                        answers: [
                            .init(label: Words.cancel) {},
                            .init(label: Words.overwrite) { [weak window] in
                                window?.print(pages, to: .file(path))
                            },
                        ]), since: request)
            }
        } again: {
            $0.askForPrintFile(selectionOnly, $1, problem: $2)
        }
    }

    private func askForPrinter(_ selectionOnly: Bool) {
        let request = PathPrompt.Request(
            label: Words.printerPrompt, action: Words.printButton, hint: Words.printerHint)
        openPrompt(request, text: "") { window, name in
            window.performAfterEdits { $0.print($0.pages(selectionOnly), to: .printer(name.isEmpty ? nil : name)) }
        }
    }

    /// Returns a printer for the present text, or only for the selection.
    private func pages(_ selectionOnly: Bool) -> PagePrinter {
        var setup = PageSetup()
        setup.paper = .preferred
        (setup.title, setup.header) = (file.displayName, file.displayName)
        setup.numbersLines = ruler != nil
        let text = view.store.styledText
        let font = PrintCommandLine.font(pattern: program.settings.shown.font, isStyled: rich != nil)
        let range = selectionOnly ? view.selection?.primary.range : nil
        var printer =
            range.map { PagePrinter(text, in: $0, font: font, setup: setup) }
            ?? PagePrinter(text, font: font, setup: setup)
        printer.paragraphStyle.tabInterval = view.layout.paragraphStyle.tabInterval
        if rich != nil { PrintCommandLine.showStyles(of: &printer) }
        return printer
    }

    /// Prints pages on a background thread.
    private func print(_ printer: PagePrinter, to destination: PrintJob.Destination) {
        guard printing == nil else { return notify(Words.alreadyPrinting) }
        let job = PrintJob()
        printing = job
        notify(Words.printing(file.displayName))
        let poster = display.poster
        // `window` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let window = self
        SmallFile.later {
            let end = job.run(printer, to: destination) {
                poster.post { window?.notify(progressOf: job) }
            }
            poster.post {
                guard let window, window.printing === job else { return }
                window.printing = nil
                window.notify(end.text, isProblem: end.isProblem)
                // Let a closing window continue: it waits for the end of the print job as for the end of a save.
                window.handle(end.isProblem ? .saveFailed : .saved)
            }
        }
    }

    private func notify(progressOf job: PrintJob) {
        guard printing === job, !job.isCancelled, message?.isProblem != true else { return }
        notify(Words.printing(file.displayName, Words.percent(job.progress)))
    }

    /// Returns the action of Escape during a print job; nil for another key, or without a job. The action cancels
    /// the job without waiting for its end, because a printer or pipe may hang.
    func printingEnd(by key: KeyEvent) -> (() -> Void)? {
        guard printing != nil, key.phase == .down, key.keysym == .escape else { return nil }
        return { [weak self] in
            guard let self, let printing else { return }
            printing.cancel()
            self.printing = nil
            notify(PrintError.cancelled.description)
            handle(.saveFailed)
        }
    }
}
