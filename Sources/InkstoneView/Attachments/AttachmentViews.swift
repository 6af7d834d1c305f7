import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The views that a text view displays in place of attachments.
///
/// They belong to the text view, not to the text: two views of one text have separate attachment views.
public final class AttachmentViews {
    /// The text view that displays the attachment views.
    weak var textView: EditorView? {
        didSet {
            textView?.layout.attachmentRoom = { [weak self] in self?.room(for: $0, at: $1, lineWidth: $2) }
        }
    }
    /// Called for a new view before it is displayed.
    package var onLoad: ((TextAttachmentViewProvider) -> Void)?
    /// Called when the focus should return from an attachment's view to the text.
    package var onLeave: ((TextAttachmentViewProvider) -> Void)?

    private var kinds: [String: TextAttachmentViewProvider.Type] = [:]
    /// The providers in text order. A provider whose character was deleted keeps the position of the deletion.
    private var all: [TextAttachmentViewProvider] = []
    /// The providers whose views are visible.
    private var inSight: [TextAttachmentViewProvider] = []
    private var paintings = 0

    /// The largest number of hidden views that are kept, not counting views in use. If there are more, only the
    /// half of this number that was visible last is kept, and the views near the visible part.
    static let mostHidden = 100
    /// The largest number of deleted characters whose views are kept for undo. Beyond it, the first views in text
    /// order are discarded.
    static let mostDeleted = 1000
    /// The margin around a view, in pixels at scale 1. The selection's colour is visible in it.
    static let margin = 2.0

    init() {}

    // MARK: Registering and finding providers

    /// Registers a provider class for the attachments of one ``TextAttachment/type``.
    public func register(_ provider: TextAttachmentViewProvider.Type, forType type: String) {
        kinds[type] = provider
        guard let textView else { return }
        textView.layout.invalidateLayout()
        textView.presenter.viewportLayout.restoreAnchor()
        textView.setNeedsDisplay()
    }

    /// The providers in text order. A provider is created when its character comes near the visible part. Providers
    /// of deleted characters are not included.
    public var providers: [TextAttachmentViewProvider] { all.filter { $0.deletion == nil } }

    /// Returns the provider of the view at a point, which is in window pixels; nil for none.
    public func provider(at point: WindowPoint) -> TextAttachmentViewProvider? {
        inSight.last { $0.shown.map { $0.frame.intersection($0.area).contains(point) } == true }
    }

    /// Whether a view is displayed in place of an attachment: a provider class is registered for its type.
    public func showsView(for attachment: TextAttachment) -> Bool { !kinds.isEmpty && kinds[attachment.type] != nil }

    /// Returns the provider whose character is selected alone, if its view accepts the focus; nil otherwise.
    package func focusable(in selection: Selection?) -> TextAttachmentViewProvider? {
        guard !all.isEmpty, let selection, selection.count == 1, selection.range.count == 1,
            let provider = all.first(where: { $0.deletion == nil && $0.offset == selection.range.lowerBound }),
            (provider.view as? any Responder)?.canBecomeFirstResponder == true
        else { return nil }
        return provider
    }

    // MARK: Bounds of attachments, and changes of the text

    private func room(for attachment: TextAttachment, at offset: UTF16Offset, lineWidth: Double) -> AttachmentBounds? {
        guard let kind = kinds[attachment.type], let layout = textView?.layout else { return nil }
        let scale = layout.attributeScale
        let known = all.isEmpty ? nil : provider(at: offset, of: attachment)
        var bounds =
            known?.attachmentBounds(lineWidth: lineWidth, scale: scale)
            ?? kind.room(for: attachment, lineWidth: lineWidth, scale: scale)
        let margin = (Self.margin * scale).rounded()
        bounds.size.width = max(1, bounds.size.width.rounded(.up)) + 2 * margin
        bounds.size.height = max(1, bounds.size.height.rounded(.up)) + 2 * margin
        return bounds
    }

    private func provider(at offset: UTF16Offset, of attachment: TextAttachment) -> TextAttachmentViewProvider? {
        all[index(of: offset)...].prefix { $0.offset == offset }
            .first { $0.deletion == nil && $0.textAttachment == attachment }
    }

    /// Returns the index of the first provider whose offset is at least `offset`. O(log n).
    private func index(of offset: UTF16Offset) -> Int {
        all.partitioningIndex { $0.offset >= offset }
    }

    /// Moves the providers through a transaction, before the layout follows it. Providers of deleted characters are
    /// kept for undo, and characters that are inserted again get their providers back. O(n + k) for n providers and
    /// k sections; more if characters of providers are deleted: see `takeBack(from:)`.
    func follow(_ applied: AppliedTransaction) {
        guard !all.isEmpty else { return }
        let map = applied.changes.changeMap
        if !map.isEmpty { move(through: map, of: applied) }
        forgetDeleted()
    }

    private func move(through map: TextChangeMap, of applied: AppliedTransaction) {
        var sections = map.makeIterator()
        var section = sections.next()
        var delta = 0
        var isMissing = false
        for provider in all {
            let offset = provider.offset.value
            while let passed = section, passed.oldEnd.utf16 <= offset {
                delta = passed.newEnd.utf16 - passed.oldEnd.utf16
                section = sections.next()
            }
            if let section, section.oldStart.utf16 <= offset {
                provider.offset = UTF16Offset(section.newStart.utf16)
                if provider.deletion == nil { remove(provider, by: applied) }
            } else {
                provider.offset = UTF16Offset(offset + delta)
            }
            isMissing = isMissing || provider.deletion != nil
        }
        all.removeAll { $0.views == nil }
        if isMissing { takeBack(from: applied) }
    }

    /// Gives inserted characters the providers of deleted characters with equal attachments. A provider whose
    /// character was deleted at the same position is preferred; otherwise the last one in text order is used. O((n
    /// + k) log n) for n providers and k inserted characters.
    private func takeBack(from applied: AppliedTransaction) {
        // The indices of the providers of deleted characters by attachment, in text order.
        var missing: [TextAttachment: [Int]] = [:]
        for index in all.indices where all[index].deletion != nil {
            missing[all[index].textAttachment, default: []].append(index)
        }
        let text = applied.styledText
        for section in applied.changes.changeMap where !missing.isEmpty && section.inserted.utf16 > 0 {
            let places = UTF16Offset(section.newStart.utf16)...UTF16Offset(section.newEnd.utf16)
            for run in text.attributes(in: section.newRange) {
                guard let attachment = run.attributes[AttachmentAttribute.self],
                    var equal = missing.removeValue(forKey: attachment), showsView(for: attachment)
                else { continue }
                // Use the providers at the inserted range first, then the last ones in text order.
                let first = equal.partitioningIndex { all[$0].offset >= places.lowerBound }
                let end = equal.partitioningIndex { all[$0].offset > places.upperBound }
                let here = first..<min(end, first + run.range.count)
                var taken = equal[here]
                equal.removeSubrange(here)
                let others = equal.suffix(run.range.count - taken.count)
                taken += others.reversed()
                equal.removeLast(others.count)
                for (index, offset) in zip(taken, run.range.lowerBound.value...) {
                    all[index].offset = UTF16Offset(offset)
                    all[index].deletion = nil
                }
                if !equal.isEmpty { missing[attachment] = equal }
            }
        }
        sort()
    }

    private func sort() {
        let order = all.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
        all = order.map(\.element)
    }

    /// Hides the view of a provider whose character was deleted, or now has another attachment, and marks the
    /// provider as one of a deleted character. Discards the provider if undo cannot bring the character back.
    private func remove(_ provider: TextAttachmentViewProvider, by applied: AppliedTransaction?) {
        hide(provider)
        if let applied, let textView, applied.transaction.undo != .notRecorded {
            provider.deletion =
                applied.origin == .undo ? .redoable : .undoable(textView.store.undoReach.recorded)
        } else {
            provider.deletion = .redoable
            provider.views = nil
        }
        onLeave?(provider)
    }

    /// Discards the providers whose characters undo and redo can no longer bring back. If more than ``mostDeleted``
    /// characters are deleted, also discards the first of their providers in text order.
    private func forgetDeleted() {
        guard let reach = textView?.store.undoReach else { return }
        var count = all.count { $0.deletion != nil }
        guard count > 0 else { return }
        all.removeAll { provider in
            let isGone =
                switch provider.deletion {
                case .undoable(let step): step <= reach.forgotten
                case .redoable: reach.redoable == 0
                case nil: false
                }
            guard isGone || provider.deletion != nil && count > Self.mostDeleted else { return false }
            count -= 1
            provider.views = nil
            return true
        }
    }

    // MARK: Display

    /// Creates the views near the visible part, shows the visible ones and hides the others. Called before each
    /// painting.
    func place() {
        guard !kinds.isEmpty, let textView else { return }
        paintings += 1
        forgetDeleted()
        textView.presenter.viewportLayout.layOutSurroundings()
        var near = attachmentsNear(textView)
        // A new view may need another size than was reserved for it. Repeat until the layout no longer changes, at
        // most three times.
        for _ in 0..<3 {
            let generation = textView.layout.generation
            makeProviders(of: near)
            guard textView.layout.generation != generation else { break }
            textView.presenter.viewportLayout.layOutSurroundings()
            near = attachmentsNear(textView)
        }
        show(near, in: textView)
        dropViewsOutOfSight()
    }

    /// Returns the attachments of registered types that are visible, or within a few lines of the visible part, in
    /// text order.
    private func attachmentsNear(_ textView: EditorView) -> [PlacedAttachment] {
        let scene = textView.presenter.scene
        var area = scene.viewport.visibleDocumentRect
        area.origin.y -= scene.inkLimit
        area.size.height += 2 * scene.inkLimit
        return textView.layout.textLayoutFragments(in: area).lazy.filter(\.hasAttachments)
            .flatMap(\.textLineFragments).flatMap(\.attachments)
            .filter { self.kinds[$0.attachment.type] != nil }.sorted { $0.offset < $1.offset }
    }

    private func makeProviders(of near: [PlacedAttachment]) {
        for placed in near {
            let index = index(of: placed.offset)
            let here = all[index...].first { $0.offset != placed.offset || $0.deletion == nil }
            if let here, here.offset == placed.offset, here.deletion == nil {
                if here.textAttachment == placed.attachment {
                    load(here)
                    continue
                }
                // The character has another attachment now, so it needs another provider.
                remove(here, by: nil)
                all.removeAll { $0 === here }
            }
            guard let kind = kinds[placed.attachment.type] else { continue }
            let made = kind.init(textAttachment: placed.attachment)
            made.offset = placed.offset
            made.views = self
            all.insert(made, at: index)
            load(made)
        }
    }

    private func load(_ provider: TextAttachmentViewProvider) {
        guard provider.view == nil else { return }
        provider.loadView()
        provider.lastShown = paintings
        if provider.view != nil { onLoad?(provider) }
    }

    private func show(_ near: [PlacedAttachment], in textView: EditorView) {
        let viewport = textView.viewport
        let area = viewport.windowRect(viewport.textArea)
        let margin = (Self.margin * textView.layout.attributeScale).rounded()
        let before = inSight
        inSight = []
        for placed in near {
            let frame = viewport.windowRect(placed.frame).insetBy(margin)
            guard frame.intersects(area), let provider = provider(at: placed.offset, of: placed.attachment),
                let view = provider.view
            else { continue }
            inSight.append(provider)
            provider.lastShown = paintings
            if let shown = provider.shown, shown == (frame, area) { continue }
            provider.shown = (frame, area)
            view.show(in: frame, clippedTo: area)
        }
        for provider in before where provider.lastShown != paintings { hide(provider) }
    }

    private func hide(_ provider: TextAttachmentViewProvider) {
        inSight.removeAll { $0 === provider }
        guard provider.shown != nil else { return }
        provider.shown = nil
        provider.view?.hide()
    }

    /// Hides all views when the text view leaves its window.
    package func hideAll() { for provider in inSight { hide(provider) } }

    /// Calls a function with each loaded view, including those of deleted characters.
    package func forEachView(_ body: (any AttachmentView) -> Void) { for provider in all { provider.view.map(body) } }

    private func dropViewsOutOfSight() {
        let hidden = all.filter { $0.view != nil && $0.shown == nil && $0.view?.isInUse == false }
        guard hidden.count > Self.mostHidden else { return }
        for provider in hidden.sorted(by: { $0.lastShown < $1.lastShown }).dropLast(Self.mostHidden / 2) {
            // Do not release a view that this painting has used: it is near the visible part, so the next painting
            // would have to create it again.
            if provider.lastShown < paintings { provider.view = nil }
        }
    }

    /// Lays out the line of a provider's character again.
    func layOutAgain(_ provider: TextAttachmentViewProvider) {
        guard provider.deletion == nil, let textView else { return }
        textView.layout.invalidateLayout(for: provider.offset..<(provider.offset + 1))
        textView.presenter.viewportLayout.restoreAnchor()
        textView.setNeedsDisplay()
    }

    // MARK: Painting

    /// Paints the visible parts of the views within a rectangle of the window.
    func paint(on canvas: any Canvas, within part: WindowRect) {
        guard !inSight.isEmpty else { return }
        let limit = canvas.limit
        for provider in inSight {
            guard let frame = provider.shown?.frame else { continue }
            let visible = frame.intersection(part)
            guard !visible.isEmpty else { continue }
            canvas.setClip(nil)
            canvas.setLimit(limit?.intersection(visible) ?? visible)
            provider.view?.paint(on: canvas, damage: visible)
        }
        canvas.setLimit(limit)
    }
}
