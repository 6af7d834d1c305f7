import InkstoneView

extension FindSession {
    /// Creates an inactive session for a text view. Results are delivered by the loop of the view's display.
    public convenience init(in view: TextView) {
        let post = view.poster
        self.init(in: view) { post?($0) }
    }
}
