import Inkstone
import InkstoneMarkdown

/// Styled text of a Markdown file, with `--rich`.
extension EditorWindow {
    /// Prepares the view for styles, and observes its edits.
    func startRichText() {
        guard rich != nil else { return }
        view.options.acceptsStyles = true
        view.options.insertsLineSeparators = true
        view.options.makesLists = true
        view.options.makesLinks = true
        view.paragraphStyle.spacingAfter = (view.font.size * 0.45).rounded()
        view.interaction.delegate = self
        view.copiedFormats = [CopiedFormat("text/markdown") { Array(MarkdownDocument.write($0).source.utf8) }]
        startFormatBar()
        richObservation = view.store.observeTransactions { [weak self] _ in self?.writeRichTextSoon() }
    }

    /// Toggles between source and styles: the file is read again in another window, so unsaved text is
    /// saved first, and styles that Markdown cannot express are asked about. Selection and undo history are carried over.
    func toggleStyles() { toggleStyles(losing: RichDocument.Loss()) }

    /// Runs each step in order after all pending edits, and checks the text again: edits made meanwhile are not saved yet.
    private func toggleStyles(losing agreed: RichDocument.Loss) {
        performInOrder { window in
            guard !window.isAsking else { return }
            guard window.isAwaitingEdits else { return window.switchStyles(losing: agreed) }
            window.performAfterEdits { $0.toggleStyles(losing: agreed) }
        }
    }

    private func switchStyles(losing agreed: RichDocument.Loss) {
        if file.isReading { return whenRead.append { [weak self] in self?.toggleStyles() } }
        if isSaving { return toggleStylesAfterSave(losing: agreed) }
        guard file.isUsable else { return }
        guard printing == nil else { return tell(Words.alreadyPrinting) }
        if let path = life.exporting { return tell(Words.saving(path.label)) }
        let name = file.displayName
        if rich == nil, let obstacle = RichDocument.obstacle(size: file.store.text.metrics.bytes) {
            return tell(obstacle, isProblem: true)
        }
        if let loss = rich?.loss, !loss.isNothing, loss != agreed {
            return ask(
                Question(
                    text: loss.attributes.isEmpty
                        ? Words.formatIsInexact(StyledExport.markdown.name, name)
                        : Words.markdownLosesStyles(loss.words, name),
                    answers: [
                        .init(label: Words.showAnyway) { [weak self] in self?.toggleStyles(losing: loss) },
                        .init(label: Words.cancel) {},
                    ]))
        }
        guard isUnsaved else {
            let version = view.store.version
            // Keys from now on are the other window's, unless the disk is slow: then they are asked about.
            let wait = holdKeys(forMilliseconds: 2000)
            return prepareStyleSwitch { $0.openOtherwise(losing: agreed, of: version, carrying: $1, wait) }
        }
        ask(
            Question(
                text: Words.saveBeforeSwitching(name),
                answers: [
                    .init(label: Words.saveAnswer) { [weak self] in
                        self?.performAfterEdits { window in
                            window.rich?.accept(agreed)
                            window.save()
                            // Do not wait for a save that asks a question first.
                            if window.isSaving || window.saves.isPromised {
                                window.toggleStylesAfterSave(losing: agreed)
                            }
                        }
                    },
                    .init(label: Words.cancel) {},
                ]))
    }

    /// Opens a window that reads the file again, if the file still has this text. If another program has changed or removed it, this
    /// may be the only copy of the text: the window stays, and offers the choices for the change.
    ///
    /// - Parameters:
    ///   - version: the version of the text that `carried` was made for.
    ///   - wait: holds the keys that belong to the other window.
    private func openOtherwise(
        losing agreed: RichDocument.Loss, of version: TextVersion, carrying carried: StyleSwitch?,
        _ wait: KeyWaits.Wait
    ) {
        let poster = display.poster
        file.confirmChange(post: { poster.post($0) }) { [weak self] change in
            guard let self, !isClosed else { return }
            guard !isAsking else { return letKeysCome(wait) }
            if let change {
                change.to == change.from ? tell(Words.noResources, isProblem: true) : offerReload(change)
                return letKeysCome(wait)
            }
            // Keys that an engine is still at work on belong to this text.
            performInOrder(beforeWaitingKeys: true) { window in
                defer { window.letKeysCome(wait) }
                guard !window.isAsking else { return }
                // Edits made meanwhile are not saved.
                guard window.view.store.version == version, !window.isUnsaved, !window.isAwaitingEdits,
                    !window.file.isReading, !window.isSaving
                else { return window.toggleStyles(losing: agreed) }
                window.program.openOtherwise(window, carrying: carried)
            }
        }
    }

    private func toggleStylesAfterSave(losing agreed: RichDocument.Loss) {
        saves.observers.append { [weak self] isSaved in
            // A failed save has been reported or asked about.
            if isSaved { self?.toggleStyles(losing: agreed) }
        }
    }

    /// Sets the newline of the Return key: the file's, or LF in styled text, whose source has the file's.
    func adoptLineEnds() { view.session.newline = rich == nil ? file.newline.rawValue : Newline.lf.rawValue }

    /// Schedules writing the view's text to the source.
    private func writeRichTextSoon() {
        guard let rich, rich.becomesDue() else { return }
        display.schedule(afterMilliseconds: 100) { [weak self] in self?.writeRichText(isAwaited: false) }
    }

    /// Writes the view's text to the source in the background. With `isAwaited` keys are held for a moment.
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

    /// Writes the view's text to the source before the source is used.
    func writeRichTextNow() {
        guard let writing = rich?.writing(newline: file.newline) else { return }
        take(writing.run())
    }

    private func take(_ written: RichDocument.Written) {
        rich?.take(written)
        file.noteReturn()
        setNeedsStatus()
    }

    /// Replaces the view's text by the present source.
    func showRichText() {
        guard let rich, !file.isReading else { return }
        rich.takeBackPlaces()
        rich.pictures.folder = file.absolutePath.map(PictureFolder.init)
        show(rich.readingSource())
        showMorePictures()
    }

    /// Reads the pictures in the background: those that the text did not have before, and those that may have changed.
    private func showMorePictures() {
        guard let rich, let document = rich.document, let folder = rich.pictures.folder else { return }
        let addresses = document.pictureAddresses
        guard !addresses.isEmpty else { return }
        let version = view.store.version
        perform(inBackground: { folder.pictures(of: addresses) }) { window, found in
            if window.view.store.version == version { window.rich?.show(found) }
        }
    }

    /// Reads the source of a loaded file in the background, and calls `work` when the view shows it.
    func showRichText(then work: @escaping (EditorWindow) -> Void) {
        guard let rich else { return work(self) }
        let version = file.store.version
        rich.pictures.folder = file.absolutePath.map(PictureFolder.init)
        perform(inBackground: rich.reading, holdingKeys: true) { window, result in
            // The window may have another file by now.
            guard !window.file.isReading else { return }
            guard window.file.store.version == version else { return window.showRichText(then: work) }
            window.show(result)
            // A source that cannot be shown must not be edited.
            guard rich.isReady else {
                window.styledTextDidNotCome()
                return window.showWindow()
            }
            window.setEditable(true)
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
            tell(Words.cannotBeShown(file.displayName, error.description), isProblem: true)
        } else if !wasReady {
            setEditable(file.isUsable)
        }
    }
}
