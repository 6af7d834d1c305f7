import InkstoneTesting

extension EditorProcess {
    /// Waits until answers stand in the status line, of a question or below a prompt: their edges have its colour.
    ///
    /// - Parameters:
    ///   - count: how many answers there are; nil for any.
    ///   - window: another window of the editor.
    package func waitForQuestion(answers count: Int? = nil, in window: WindowInfo? = nil) throws {
        try waitUntil("a question", within: 10_000, watching: [session.probe.descriptor], instead: { report() }) {
            hasAnswers(count, in: window) ?? false
        }
    }

    /// Waits until no answers stand in the status line: questions are answered, and prompts closed.
    package func waitForEndOfQuestions() throws {
        try waitUntil("no question", within: 10_000, watching: [session.probe.descriptor], instead: { report() }) {
            hasAnswers(nil) == false
        }
    }

    /// Whether so many answers, or any, stand in the status line; nil if it cannot be seen.
    private func hasAnswers(_ count: Int?, in window: WindowInfo? = nil) -> Bool? {
        session.probe.drainEvents()
        guard let strip = session.probe.screenshot(of: window ?? currentWindow)?.textAndStrip?.strip else { return nil }
        return (1..<strip.height).contains { row in
            let edges = (0..<strip.width).split { strip[$0, row] != EditorColor.stripEdge }.count { $0.count > 20 }
            return count.map { $0 == edges } ?? (edges > 0)
        }
    }

    /// Waits for an offer or a question beside the text, which stands in a strip above the status line: they come from other threads.
    ///
    /// - Parameters:
    ///   - former: the pixels of another one, which may stand there yet.
    ///   - window: another window of the editor.
    ///   - belowFormatBar: whether the window has a format bar, which is another strip.
    /// - Returns: its pixels.
    @discardableResult
    package func waitForOffer(
        after former: [UInt32]? = nil, in window: WindowInfo? = nil, belowFormatBar: Bool = false
    ) throws -> [UInt32] {
        try waitFor("an offer", watching: [session.probe.descriptor], instead: { report() }) {
            session.probe.drainEvents()
            guard let picture = session.probe.screenshot(of: window ?? currentWindow) else { return nil }
            let edges = (0..<picture.height).filter { row in
                (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
            }
            guard edges.count == (belowFormatBar ? 3 : 2) else { return nil }
            let pixels = (edges[edges.count - 2]..<edges[edges.count - 1]).flatMap { row in
                (0..<picture.width).map { picture[$0, row] }
            }
            return pixels == former ? nil : pixels
        }
    }
}
