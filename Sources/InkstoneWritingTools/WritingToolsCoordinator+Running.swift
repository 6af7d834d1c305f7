/// Running engines in Swift tasks.
extension WritingToolsCoordinator {
    /// Runs an engine on a context, and handles its events as they arrive, on the caller's actor. Cancelling the
    /// task cancels the run.
    ///
    /// - Returns: the run. Its marks and results stay until ``accept()`` or ``reject()``.
    /// - Throws: a ``WritingToolsRefusal`` if the run cannot begin. A failure of the engine is not thrown: see
    ///   ``end(of:)``.
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
