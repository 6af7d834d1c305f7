import Inkstone

/// The saves of a window's text: the one that is under way, and which file the user wants to be written in place.
final class FileSaves {
    /// A save that is under way.
    private struct Current {
        let saver: TextFileSaver
        /// The path that it writes to.
        let path: FilePath
        let end: (TextFileSaver.Outcome) -> Void
    }

    private var current: Current?
    /// The file that is to be written in place, for as long as it is the same one.
    private var inPlace: (path: FilePath, device: UInt64, inode: UInt64)?

    /// The path that is being written to; nil without a save.
    var path: FilePath? { current?.path }

    /// Begins a save. Not while there is one.
    ///
    /// - Parameters:
    ///   - promptness: milliseconds that are waited for what stands against it, which ends it at once then; 0 for not at all.
    ///   - start: makes the saver, which gives its outcome to the function that is passed in.
    ///   - end: called once with the outcome, when there is no save any more.
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

    /// Waits until there is no save, but no longer than that many milliseconds for each.
    func wait(atMost milliseconds: Int) {
        // One that waited for it may begin then.
        while let outcome = current?.saver.wait(atMost: milliseconds) { finish(outcome) }
    }

    /// Notes that the user has had a file written in place.
    func noteInPlace(_ path: FilePath, _ identity: FileIdentity) { inPlace = (path, identity.device, identity.inode) }

    /// Whether the user has said that the file at a path is to be written in place: this file, by its name and by what it is.
    func isWrittenInPlace(_ path: FilePath, _ identity: FileIdentity?) -> Bool {
        guard let inPlace, let identity, path == inPlace.path else { return false }
        return identity.device == inPlace.device && identity.inode == inPlace.inode
    }
}
