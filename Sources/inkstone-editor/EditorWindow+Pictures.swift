import Inkstone
import InkstoneFiles
import InkstoneMarkdown

/// Insertion of picture files into styled text.
extension EditorWindow {
    /// Reads picture files that were dropped or pasted, and calls `place` with the text to insert, or with nil if one
    /// of them cannot be shown or reading takes too long. Does not call it if the user cancels the insertion. Returns
    /// false, and does nothing, if the files are not all pictures by their names, or if no styled text can be edited
    /// now.
    func placePictures(_ paths: [FilePath], then place: @escaping (StyledText?) -> Void) -> Bool {
        guard let rich, rich.isReady, !isClosed, view.isEditable, !paths.isEmpty,
            paths.allSatisfy(PictureFolder.isPicture)
        else { return false }
        let folder = rich.pictures.folder
        // Give the pictures up if the disk hangs, because a save or a close may be waiting for them.
        var isOver = false
        display.schedule(afterMilliseconds: Self.maximumPictureWait) { [weak self] in
            guard let self, !isClosed, !isOver, view.session.awaitsText else { return }
            isOver = true
            handle(.saveFailed)
            notify(Words.pictureDidNotCome, isProblem: true)
            place(nil)
        }
        perform(
            inBackground: {
                zip(paths, PictureFolder.pictures(at: paths)).map { path, picture in
                    picture.map { PlacedPicture($0, address: folder?.address(of: path)) }
                }
            }, holdingKeys: true
        ) { window, found in
            // Do nothing if the user has cancelled the insertion, and so released the reserved position.
            guard !isOver, window.view.session.awaitsText else { return }
            isOver = true
            let pictures = found.compactMap(\.self)
            guard pictures.count == found.count, let rich = window.rich else {
                let missing = found.firstIndex { $0 == nil }.map { paths[$0].label } ?? ""
                window.handle(.saveFailed)
                window.notify(Words.notAPicture(missing), isProblem: true)
                return place(nil)
            }
            for (picture, path) in zip(pictures, paths) { rich.pictureNames[picture.contents] = path.lastComponent }
            // Record pictures that are in the document's folder already, so that a save does not copy them.
            if rich.pictures.folder?.document == folder?.document {
                rich.pictures.note(pictures.filter { $0.address != nil })
            }
            place(Self.text(of: pictures))
        } orElse: { window in
            isOver = true
            window.handle(.saveFailed)
            place(nil)
        }
        return true
    }

    /// Returns a text that consists of pictures, separated by spaces.
    private static func text(of pictures: [PlacedPicture]) -> StyledText {
        var text = StyledText()
        for picture in pictures {
            if !text.rope.isEmpty { text.append(StyledText(Rope(" "))) }
            var attributes = TextAttributes(AttachmentAttribute.self, picture.contents)
            if let address = picture.address { attributes[MarkdownImageAttribute.self] = .init(source: address) }
            text.append(StyledText(Rope(String(TextAttachment.character)), attributes))
        }
        return text
    }

    /// Asks for a picture file, and inserts the picture at the caret. Reserves the position when the user answers,
    /// because reading the file may take long.
    func askForPicture(_ text: String? = nil, problem: String? = nil) {
        let start = text ?? (file.absolutePath?.directoryPrefix ?? EditedFile.workingFolder).description
        let request = PathPrompt.Request(
            label: Words.picturePrompt, action: Words.insertButton, hint: Words.openHint, isPath: true,
            choices: FileChoices(openedWith: start, recent: []))
        openPrompt(request, text: start, problem: problem) { window, answer in
            let place = window.view.session.deferPaste()
            window.display.schedule(afterMilliseconds: Self.maximumPictureWait) { [weak window] in
                guard let window, !window.isClosed, window.isReserved(place) else { return }
                window.notify(Words.pictureDidNotCome, isProblem: true)
                window.insert(nil, at: place)
            }
            window.checkPath(answer) { window, path, _ in
                guard window.isReserved(place) else { return }
                let isTaken = window.placePictures([path]) { [weak window] in window?.insert($0, at: place) }
                guard !isTaken else { return }
                window.insert(nil, at: place)
                window.askForPicture(answer, problem: Words.notAPicture(path.label))
            } again: { window, text, problem in
                guard window.isReserved(place) else { return }
                window.insert(nil, at: place)
                window.askForPicture(text, problem: problem)
            }
        }
    }

    /// Inserts a picture at its reserved position, or releases the position if `picture` is nil. In that case a window
    /// that is about to close stays open, as after a failed paste.
    private func insert(_ picture: StyledText?, at place: DeferredEdit.ID) {
        guard isReserved(place) else { return }
        if let picture {
            view.session.paste(CopiedText(picture), for: place)
        } else {
            view.session.cancelPaste(place)
            handle(.saveFailed)
        }
        editDidCome()
    }

    // MARK: Descriptions

    /// Returns the menu item for the description of the picture at a position in window pixels or, if nil, of the
    /// picture that is selected alone. Empty if there is no such picture, or if the text cannot be edited.
    func pictureItems(at location: WindowPoint? = nil) -> [MenuItem] {
        guard rich != nil, !isAsking, view.isEditable, let offset = picture(at: location) else { return [] }
        let place = view.store.position(at: offset)
        return [
            MenuItem(Words.pictureDescription) { [weak self] in
                self?.performUnlessAsking { $0.askForDescription(of: $0.view.store.offset(of: place)) }
            }
        ]
    }

    private func picture(at location: WindowPoint?) -> UTF16Offset? {
        let range =
            if let location {
                view.object(at: ViewPoint(x: location.x - view.frame.minX, y: location.y - view.frame.minY))
            } else {
                view.selection?.primary.range
            }
        guard let range, range.length() == 1, attachment(at: range.lowerBound) != nil else { return nil }
        return range.lowerBound
    }

    private func attachment(at offset: UTF16Offset) -> TextAttachment? {
        guard offset < view.store.text.utf16Range.upperBound else { return nil }
        return view.store.styledText.attributes(at: offset)[AttachmentAttribute.self]
    }

    /// Asks for the description of a picture, for readers who do not see the picture.
    private func askForDescription(of offset: UTF16Offset) {
        guard let picture = attachment(at: offset) else { return }
        let place = view.store.position(at: offset)
        let request = PathPrompt.Request(
            label: Words.descriptionPrompt, action: Words.setDescription, hint: Words.descriptionHint)
        openPrompt(request, text: picture.alternateDescription) { window, words in
            let store = window.view.store
            let offset = store.offset(of: place)
            // The picture may have been deleted while the prompt was open.
            guard window.view.isEditable, var picture = window.attachment(at: offset),
                picture.alternateDescription != words
            else { return }
            picture.alternateDescription = words
            var restyling = Restyling()
            restyling.set(picture, of: AttachmentAttribute.self, in: offset..<offset + 1)
            window.view.session.dispatch(
                Transaction(
                    on: store, TextChangeSet(none: store.text), origin: .styling, view: window.view.session.id,
                    restyling: restyling))
        }
    }

    /// Whether the position is still reserved: false once the picture was inserted, the wait has timed out, or the user
    /// has cancelled.
    private func isReserved(_ place: DeferredEdit.ID) -> Bool { view.state.deferredEdit(place) != nil }
}
