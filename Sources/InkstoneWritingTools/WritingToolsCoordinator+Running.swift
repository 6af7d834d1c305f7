/// Engines that are asked and answered in tasks.
extension WritingToolsCoordinator {
    /// Has an engine work on a context, and handles its events as they come, on the actor of the caller. Cancelling the task gives it up.
    ///
    /// - Returns: the run, whose marks and results stay until the session is accepted or rejected.
    /// - Throws: a ``WritingToolsRefusal`` if it cannot begin. A failure of the engine is the run's end, see ``end(of:)``.
    @discardableResult
    public func run(
        _ engine: some WritingToolsEngine, _ tool: WritingTool, on context: WritingToolsContext,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Run {
        let request = WritingToolsRequest(tool, on: context, resultOptions: preferredResultOptions)
        let run = try begin(request)
        do {
            for try await event in engine.process(request) {
                receive(event, of: run)
                if end(of: run) != nil { break }
            }
            end(run, Task.isCancelled ? .cancelled : .finished(nil))
        } catch is CancellationError {
            end(run, .cancelled)
        } catch {
            end(run, .failed("\(error)"))
        }
        return run
    }
}
