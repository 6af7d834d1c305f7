import InkstoneTesting

extension EditorProcess {
    /// Waits for an offer or a question beside the text, which stands in a strip above the status line: they come from other threads.
    package func waitForOffer() throws {
        try waitUntil("an offer", watching: [session.probe.descriptor], instead: { report() }) {
            session.probe.drainEvents()
            guard let picture = session.probe.screenshot(of: currentWindow) else { return false }
            let edges = (0..<picture.height).filter { row in
                (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
            }
            return edges.count == 2
        }
    }
}
