import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The display of the bracket beside a view's caret together with its matching bracket, as long as this object
/// exists. Brackets are not shown in a secure view, during a composition, or unless the selection is a single
/// caret.
///
/// Both brackets are decorated in the layer ``DecorationLayerID/brackets``. A view without such an object has no
/// cost.
public final class MatchingBrackets {
    private unowned let view: EditorView
    private var observation: TextObservation?

    /// Creates the display of a view's brackets and starts it. The view must outlive this object.
    public init(for view: EditorView) {
        self.view = view
        observation = view.observe { [weak self] in self?.viewDidUpdate($0) }
        update()
    }

    /// Removes the decorations, and shows no brackets any more. Call before releasing this object; otherwise the
    /// last decorations stay.
    public func end() {
        observation = nil
        remove()
    }

    private func viewDidUpdate(_ update: ViewUpdate) {
        if !update.changes.isDisjoint(with: [.text, .selection, .geometry]) { self.update() }
    }

    private func update() {
        let caret = view.selection.flatMap { $0.count == 1 && $0.isCaret ? $0.head : nil }
        let isHidden = view.options.isSecureTextEntry || view.markedText != nil
        let pair = caret.flatMap { isHidden ? nil : BracketPair(beside: $0, in: view.store.text) }
        let wanted = pair.map { [$0.opening, $0.closing] } ?? []
        let appearance = RenderingAttributes(
            background: view.theme.inactiveSelection, underline: .single, underlineColor: view.theme.caret)
        let shown = view.decorations(in: .brackets)
        guard
            !wanted.elementsEqual((0..<shown.count).map { shown.range($0) })
                || shown.runs(in: view.textRange).contains(where: { $0.attributes != appearance })
        else { return }
        remove()
        view.addDecorations(wanted, attributes: appearance, in: .brackets)
    }

    private func remove() {
        let shown = view.decorations(in: .brackets)
        for ordinal in 0..<shown.count {
            view.updateDecorations(of: shown.range(ordinal), in: .brackets) { _ in nil }
        }
    }
}
