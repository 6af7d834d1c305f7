import Inkstone
import InkstoneFiles
import InkstoneMarkdown

/// A Markdown file shown as styled text, with the option `--rich`. The view contains the styled text, and the store of
/// the file contains the Markdown source.
extension EditorWindow {
    /// Prepares the view for styled text, and observes its edits in order to write them to the source.
    func startRichText() {
        guard rich != nil else { return }
        view.options.acceptsStyles = true
        view.options.insertsLineSeparators = true
        view.options.makesLists = true
        view.options.makesBlocks = true
        view.options.makesLinks = true
        view.paragraphStyle.spacingAfter = PrintCommandLine.spacingAfter(view.font)
        view.onPlaceFiles = { [weak self] in self?.placePictures($0, then: $1) ?? false }
        view.placesFile = PictureFolder.isPicture
        richBlocks.attach(to: view.layout)
        richBlocks.columns.onChange = { [weak self] in self?.view.setNeedsDisplay() }
        followLinks()
        view.copiedFormats = [CopiedFormat("text/markdown") { Array(MarkdownDocument.write($0).source.utf8) }]
        startFormatBar()
        richObservation = view.store.observeTransactions { [weak self] applied in
            self?.richBlocks.columns.follow(applied)
            self?.writeRichTextSoon()
        }
    }

    /// Toggles between source and styled text by reading the file again in another window. Unsaved text is saved
    /// first, and the user is asked about styles that Markdown cannot express. Selection and undo history are
    /// carried over.
    func toggleStyles() {
        performInOrder(.close) { $0.toggleStyles(losing: RichDocument.Loss(), since: $0.life.input) }
    }

    /// Toggles between source and styled text, with the losses of styles that the user has agreed to. Each step runs
    /// after all pending edits and checks for unsaved changes again, because the user may have edited meanwhile.
    private func toggleStyles(losing agreed: RichDocument.Loss, since request: InputMark) {
        performInOrder(.close) { window in
            guard !window.isAsking else { return }
            guard window.isAwaitingEdits else { return window.switchStyles(losing: agreed, since: request) }
            window.performAfterEdits { $0.toggleStyles(losing: agreed, since: request) }
        }
    }

    private func switchStyles(losing agreed: RichDocument.Loss, since request: InputMark) {
        if file.isReading {
            return whenRead.append { [weak self] in self?.toggleStyles(losing: agreed, since: request) }
        }
        if isSaving { return toggleStylesAfterSave(losing: agreed, since: request) }
        guard file.isUsable else { return }
        guard printing == nil else { return notify(Words.alreadyPrinting) }
        if let path = life.exporting { return notify(Words.saving(path.label)) }
        let name = file.displayName
        if rich == nil, let obstacle = RichDocument.obstacle(size: file.store.text.metrics.bytes) {
            return notify(obstacle, isProblem: true)
        }
        if let loss = rich?.loss, !loss.isNothing, loss != agreed {
            return ask(
                Question(
                    text: loss.attributes.isEmpty
                        ? Words.formatIsInexact(StyledExport.markdown.name, name)
                        : Words.markdownLosesStyles(loss.words, name),
                    answers: [
                        .init(label: Words.showAnyway) { [weak self] in
                            guard let self else { return }
                            toggleStyles(losing: loss, since: life.input)
                        },
                        .init(label: Words.cancel) {},
                    ]), since: request)
        }
        guard isUnsaved else {
            let version = view.store.version
            // Keys typed from now on are for the other window: hold them, but at most two seconds in case the disk
            // is slow.
            let wait = holdKeys(forMilliseconds: 2000)
            return prepareStyleSwitch {
                $0.openOtherwise(losing: agreed, of: version, carrying: $1, wait, since: request)
            }
        }
        ask(
            Question(
                text: Words.saveBeforeSwitching(name),
                answers: [
                    .init(label: Words.saveAnswer) { [weak self] in
                        guard let self else { return }
                        let request = life.input
                        performAfterEdits { window in
                            window.rich?.accept(agreed)
                            window.save(since: request)
                            // If the save has begun or is promised, toggle the styles after it. Otherwise the save asks
                            // a question first, and the user has to give the command again.
                            if window.isSaving || window.saves.isPromised {
                                window.toggleStylesAfterSave(losing: agreed, since: request)
                            }
                        }
                    },
                    .init(label: Words.cancel) {},
                ]), since: request)
    }

    /// Opens a window that reads the file again, if the file still has this document's text. If another program has
    /// changed or removed the file, this document may be the only copy of its text: the window stays, and offers
    /// the answers to the change.
    ///
    /// - Parameters:
    ///   - version: the version of the document that `carried` was made for.
    ///   - wait: the wait that holds the keys for the other window.
    private func openOtherwise(
        losing agreed: RichDocument.Loss, of version: TextVersion, carrying carried: StyleSwitch?,
        _ wait: KeyWaits.Wait, since request: InputMark
    ) {
        let poster = display.poster
        file.confirmChange(post: { poster.post($0) }) { [weak self] change in
            guard let self, !isClosed else { return }
            guard !isAsking else { return letKeysCome(wait) }
            if let change {
                change.to == change.from ? notify(Words.noResources, isProblem: true) : offerReload(change)
                return letKeysCome(wait)
            }
            // Keys that an input method is still handling belong to this document: wait for them.
            performInOrder(beforeWaitingKeys: true) { window in
                defer { window.letKeysCome(wait) }
                guard !window.isAsking else { return }
                // Start again if the document was edited meanwhile, to save these edits first.
                guard window.view.store.version == version, !window.isUnsaved, !window.isAwaitingEdits,
                    !window.file.isReading, !window.isSaving
                else { return window.toggleStyles(losing: agreed, since: request) }
                window.program.openOtherwise(window, carrying: carried)
            }
        }
    }

    private func toggleStylesAfterSave(losing agreed: RichDocument.Loss, since request: InputMark) {
        saves.observers.append { [weak self] isSaved in
            // Do nothing after a failed save, which has been reported already or asks a question.
            if isSaved { self?.toggleStyles(losing: agreed, since: request) }
        }
    }

    /// Sets the newline that the Return key inserts: the file's; in styled text LF, because the file's line ends
    /// are only in the source. Also sets the decoding of the file's bytes, which decides whether pasted text keeps its
    /// invalid bytes.
    func adoptLineEnds() {
        view.session.newline = rich == nil ? file.newline.rawValue : Newline.lf.rawValue
        if view.session.decoding != file.decoding { view.session.decoding = file.decoding }
    }

    /// Schedules writing the styled text to the Markdown source.
    private func writeRichTextSoon() {
        let isDue = rich?.becomesDue() ?? false
        watchWritingDelay()
        guard isDue else { return }
        display.schedule(afterMilliseconds: 100) { [weak self] in self?.writeRichText(isAwaited: false) }
    }

    /// Writes the styled text to the Markdown source in the background. If `isAwaited` is true, keys are held until
    /// that is done, but only for a limited time. If no thread can be started, writes it at once.
    func writeRichText(isAwaited: Bool) {
        guard !isClosed, let writing = rich?.writing(newline: file.newline) else { return }
        perform(inBackground: { writing.run() }, holdingKeys: isAwaited) { window, written in
            window.take(written)
            if window.rich?.isPending == true {
                if window.life.whenEdited.isEmpty {
                    window.writeRichTextSoon()
                } else {
                    window.writeRichText(isAwaited: true)
                }
            } else {
                window.editDidCome()
            }
        } orElse: { window in
            window.writeRichTextNow()
            window.editDidCome()
        }
    }

    /// Writes the styled text to the Markdown source synchronously, before the source is used.
    func writeRichTextNow() {
        guard let writing = rich?.writing(newline: file.newline) else { return }
        take(writing.run())
    }

    private func take(_ written: RichDocument.Written) {
        rich?.take(written)
        endDraftIfWritten()
        clearMessageOfWriting()
        file.noteReturn()
        setNeedsStatus()
    }

    /// Replaces the styled text by one read from the present Markdown source. Does nothing for plain text, or while
    /// a file is being read.
    func showRichText() {
        guard let rich, !file.isReading else { return }
        rich.takeBackPlaces()
        rich.pictures.folder = file.absolutePath.map(PictureFolder.init)
        show(rich.readingSource())
        showMorePictures()
    }

    /// Reads the pictures of the document again in the background, and shows those that are new or have changed. Does
    /// not show them if the text was edited meanwhile.
    private func showMorePictures() {
        guard let rich, let document = rich.document, let folder = rich.pictures.folder else { return }
        let addresses = document.pictureAddresses
        guard !addresses.isEmpty else { return }
        let version = view.store.version
        perform(inBackground: { folder.pictures(of: addresses) }) { window, found in
            if window.view.store.version == version { window.rich?.show(found) }
        }
    }

    /// Reads the Markdown source of a loaded file in the background, and calls `work` when the view shows the styled
    /// text; at once if the window shows plain text. If the source cannot be shown, opens the file as plain text in
    /// another window, and does not call `work`.
    func showRichText(then work: @escaping (EditorWindow) -> Void) {
        guard let rich else { return work(self) }
        let version = file.store.version
        rich.pictures.folder = file.absolutePath.map(PictureFolder.init)
        perform(inBackground: rich.reading, holdingKeys: true) { window, result in
            // Do nothing if the window is reading another file by now.
            guard !window.file.isReading else { return }
            guard window.file.store.version == version else { return window.showRichText(then: work) }
            window.show(result)
            // A source that cannot be shown as styled text must not be edited.
            guard rich.isReady else {
                window.styledTextDidNotCome()
                return window.showWindow()
            }
            window.setEditable(true)
            if rich.lacksPictures { window.showMorePictures() }
            work(window)
        } orElse: {
            $0.styledTextDidNotCome()
            $0.showWindow()
        }
    }

    private func show(_ result: Result<MarkdownDocument, MarkdownError>) {
        let wasReady = rich?.isReady != false
        if let error = rich?.show(result) {
            setEditable(false)
            notify(Words.cannotBeShown(file.displayName, error.description), isProblem: true)
        } else if !wasReady {
            setEditable(file.isUsable)
        }
    }
}
