import InkstoneBase
import InkstoneEditing
import InkstoneRichText
import InkstoneText
import InkstoneView
import InkstoneX11

/// The view as the source of a drag.
extension TextView {
    /// Starts to drag the selected text, while a button is down in the view: to another position of the view, to
    /// another view or to another program. Until the button is released, the drag receives the window's pointer and
    /// key events: Control copies, Shift moves, Escape cancels.
    ///
    /// - Parameter event: the last event of the pointer, in window pixels.
    /// - Returns: whether a drag has started. False if nothing is selected, if the text is secret, without a
    ///   window, during another drag, and if the selection for drags cannot be claimed.
    @discardableResult
    public func beginDraggingSession(with event: PointerEvent) -> Bool {
        guard let window, let (dragged, copied) = session.beginDragging() else { return false }
        let item = PasteboardItem(copied, in: copiedFormats)
        guard
            let drag = window.beginDragging(
                item, allowsMove: isEditable, event: event, source: self, picture: DragPicture(copied, of: self))
        else {
            session.endDragging(dragged, deleting: false)
            return false
        }
        draggedText = dragged
        drag.onDelete = { [weak self] in self?.endDragging(deleting: true) }
        window.whenDragEnds { [weak self] in
            self?.endDragging(deleting: false)
            // End the gesture that selects: the drag has consumed the release of the button, which would have ended it.
            self?.interaction.cancel()
        }
        return true
    }

    private func endDragging(deleting: Bool) {
        guard let dragged = draggedText else { return }
        draggedText = nil
        session.endDragging(dragged, deleting: deleting)
    }
}

/// The view as the target of drags.
extension TextView: DropDestination {
    /// The types of a drag that hold text, the best first. Unless the program handles dropped files, a list of
    /// files is used only if a drag has none of these types.
    private static let textTypes: Set<String> = [
        StyledFragment.type, "UTF8_STRING", "text/plain;charset=utf-8", "COMPOUND_TEXT", "TEXT", "STRING", "text/plain",
    ]
    static let listType = "text/uri-list"

    private var textTypes: Set<String> {
        state.options.takesStyles ? Self.textTypes.union(RichTextFormat.types) : Self.textTypes
    }

    /// Shows the position of a drop, and returns the drag's action. Nil refuses the drop: if the text cannot be
    /// edited; if text is dragged onto itself; and if the data is neither text nor a list of files, nor an image
    /// for a view with styles.
    public func judgeDrag(_ drag: IncomingDrag) -> DragAction? {
        let point = drag.location.converted(to: ViewSpace.self, originAt: frame.origin)
        let isText = drag.types.contains {
            textTypes.contains($0) || $0 == Self.listType
                || options.takesStyles && ImagePasting.types.contains($0)
        }
        let isOwn = drag.session?.source === self
        guard isText, isEditable,
            showDrop(at: point, of: isOwn ? draggedText : nil, moving: drag.action == .move)
        else {
            dragDidLeave()
            return nil
        }
        scrollWhileDragged(at: point)
        return drag.action
    }

    /// Removes the drop caret, and stops the scrolling for the drop.
    public func dragDidLeave() {
        showDrop(at: nil)
        stopScrollingForDrop()
    }

    /// Requests the focus, and then moves text within the view, inserts the data that was dropped, or passes
    /// dropped files to the program.
    public func takeDrop(_ drag: IncomingDrag) {
        let point = drag.location.converted(to: ViewSpace.self, originAt: frame.origin)
        dragDidLeave()
        focus()
        if drag.action == .move, drag.session?.source === self, let draggedText {
            let isMoved = moveDragged(draggedText, to: point)
            return drag.finish(isMoved ? .move : nil, isDeleted: true)
        }
        guard let contents = drag.contents else { return drag.finish(nil) }
        let action = drag.action
        if let copied = contents.localItem?.local as? CopiedText {
            return drag.finish(action.answering(session.take(copied, for: deferDrop(at: point))))
        }
        let place = deferDrop(at: point)
        let placesFiles = onPlaceFiles != nil && options.takesStyles
        guard placesFiles || onDropFiles != nil, drag.types.contains(Self.listType) else {
            return takeDroppedText(drag, contents, for: place)
        }
        contents.request(format: Self.listType, timestamp: drag.time) { [weak self] result in
            guard let self else { return drag.finish(nil) }
            let list = (try? result.get()).map { URIList($0) }
            let files = list?.localPaths ?? []
            // Insert the text of a list without local files, such as a dragged link, because a handler of files cannot
            // use it.
            if list != nil, files.isEmpty { return takeDroppedText(drag, contents, for: place) }
            let placed = placesFile.map { files.filter($0) } ?? files
            if placesFiles, !placed.isEmpty, placeFiles(placed, for: place) {
                let others = placesFile.map { isPlaced in files.filter { !isPlaced($0) } } ?? []
                if !others.isEmpty { _ = onDropFiles?(others) }
                return drag.finish(.copy)
            }
            session.cancelPaste(place)
            // Report a copy: the files stay where they are, because the program gets only their paths.
            drag.finish(!files.isEmpty && onDropFiles?(files) == true ? .copy : nil)
            onPasteEnd?()
        }
    }

    /// Passes dropped files to ``onPlaceFiles``, which may insert a text for them at the place of the drop. Returns
    /// whether the program accepts the files.
    private func placeFiles(_ files: [FilePath], for place: DeferredEdit.ID) -> Bool {
        onPlaceFiles?(files) { [weak self] text in
            guard let self else { return }
            if let text {
                _ = session.take(CopiedText(text), for: place)
            } else {
                session.cancelPaste(place)
            }
            onPasteEnd?()
        } ?? false
    }

    /// Requests the text of a drop, in the best type that the drag offers, and inserts it at the place of the drop.
    private func takeDroppedText(_ drag: IncomingDrag, _ contents: Clipboard, for place: DeferredEdit.ID) {
        let action = drag.action
        func finish(_ copied: CopiedText?) {
            if copied == nil { session.cancelPaste(place) }
            drag.finish(copied.flatMap { action.answering(session.take($0, for: place)) })
            // Report the end of a drop as the end of a paste, for programs that wait until no text is pending.
            onPasteEnd?()
        }
        let isText = drag.types.contains(where: textTypes.contains)
        if !isText, options.takesStyles, drag.types.contains(where: ImagePasting.types.contains) {
            return contents.request(formats: ImagePasting.types, timestamp: drag.time) { result in
                finish((try? result.get()).flatMap { CopiedText(image: $0) })
            }
        }
        guard isText else {
            return contents.request(format: Self.listType, timestamp: drag.time) { result in
                finish((try? result.get()).map { CopiedText(URIList($0).text) })
            }
        }
        guard drag.types.contains(StyledFragment.type) else {
            let time = drag.time
            let formats = state.options.takesStyles ? Set(drag.types) : []
            let reader = styledTextReader
            return contents.request(
                firstOf: RichTextFormat.types, offered: formats, timestamp: time,
                as: { CopiedText(read: reader.read($1, type: $0)) }
            ) { [reportReplacement] copied in
                if let copied = copied ?? CopiedText(read: reader.rest) { return finish(copied) }
                contents.request(timestamp: time, onReplacement: reportReplacement, as: { CopiedText($0) }) {
                    finish(try? $0.get())
                }
            }
        }
        contents.request(
            preferring: StyledFragment.type, timestamp: drag.time,
            onReplacement: reportReplacement, as: { CopiedText($0) }
        ) { finish((try? $0.get()) ?? nil) }
    }

    // MARK: Scrolling

    /// Starts a timer that scrolls while a drag is held at an edge: no events arrive from the source while the
    /// pointer is still.
    private func scrollWhileDragged(at point: ViewPoint) {
        dropPoint = point
        guard dropTimer == nil, scrollStep(at: point) != 0 else { return }
        scheduleDropScrolling()
    }

    private func scheduleDropScrolling() {
        let began = MonotonicClock.milliseconds
        dropTimer = window?.display.schedule(afterMilliseconds: 50) { [weak self] in
            guard let self else { return }
            dropTimer = nil
            guard let point = dropPoint else { return }
            let step = scrollStep(at: point)
            guard step != 0 else { return }
            showDrop(at: nil)
            // Scroll in proportion to the time since the last step. The speed then does not depend on the timer's
            // delays.
            scroll(by: step * presenter.lineStep * Double(min(200, MonotonicClock.milliseconds - began)) / 1000)
            let isOwn = window?.display.draggingSession?.source === self
            showDrop(at: point, of: isOwn ? draggedText : nil)
            scheduleDropScrolling()
        }
    }

    /// Returns the scrolling speed, in lines per second, of a drag held at a point; negative for up. The speed
    /// grows from 4 at the inner border of the zone along an edge to 24 at the edge.
    private func scrollStep(at point: ViewPoint) -> Double {
        let zone = min(2 * presenter.lineStep, bounds.height / 4)
        let beyond = point.y < zone ? point.y - zone : max(0, point.y - (bounds.height - zone))
        return beyond == 0 ? 0 : (4 + 20 * min(1, abs(beyond) / zone)) * (beyond < 0 ? -1 : 1)
    }

    private func stopScrollingForDrop() {
        dropPoint = nil
        window?.display.cancel(dropTimer)
        dropTimer = nil
    }
}

extension DragAction {
    /// Returns the action to report to the source of a drop; nil if nothing was accepted. A move that was accepted
    /// only in part is reported as a copy. The source then keeps the text.
    fileprivate func answering(_ result: DropResult) -> DragAction? {
        switch result {
        case .nothing: nil
        case .part: .copy
        case .everything: self
        }
    }
}
