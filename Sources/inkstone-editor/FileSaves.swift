import Inkstone

/// The saves of a window's text: the present one, and the file that the user wants to be written in place.
final class FileSaves {
    /// A save in progress.
    private struct Current {
        let saver: TextFileSaver
        /// The path of the save.
        let path: FilePath
        let end: (TextFileSaver.Outcome) -> Void
    }

    private var current: Current?
    /// The file that the user wants to be written in place, while it is the same file.
    private var inPlace: (path: FilePath, device: UInt64, inode: UInt64)?

    /// The path that is being written to; nil without a save.
    var path: FilePath? { current?.path }

    /// Starts a save. Call only when there is none.
    ///
    /// - Parameters:
    ///   - promptness: the maximum wait for an obstacle in milliseconds, which ends the save at once; 0 for none.
    ///   - start: makes the saver, which passes its outcome to the given function.
    ///   - end: called once with the outcome, after the save has ended.
    func begin(
        to path: FilePath, promptness: Int, start: (@escaping (TextFileSaver.Outcome) -> Void) -> TextFileSaver,
        end: @escaping (TextFileSaver.Outcome) -> Void
    ) {
        let saver = start { [weak self] in self?.finish($0) }
        current = Current(saver: saver, path: path, end: end)
        if promptness > 0, let refusal = saver.refusal(within: promptness) { finish(refusal) }
    }

    private func finish(_ outcome: TextFileSaver.Outcome) {
        let ended = current
        current = nil
        ended?.end(outcome)
    }

    /// Waits until there is no save, but at most `milliseconds` for each.
    func wait(atMost milliseconds: Int) {
        // A save that waited for this one may begin then.
        while let outcome = current?.saver.wait(atMost: milliseconds) { finish(outcome) }
    }

    /// Records that the user has had a file written in place.
    func noteInPlace(_ path: FilePath, _ identity: FileIdentity) { inPlace = (path, identity.device, identity.inode) }

    /// Whether the user wants the file at a path to be written in place: the same path and the same file.
    func isWrittenInPlace(_ path: FilePath, _ identity: FileIdentity?) -> Bool {
        guard let inPlace, let identity, path == inPlace.path else { return false }
        return identity.device == inPlace.device && identity.inode == inPlace.inode
    }
}
