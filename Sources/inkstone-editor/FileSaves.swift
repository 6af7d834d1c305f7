import Inkstone
import InkstoneFiles

/// The saves of a document: the one in progress, and the user's choice to write a file in place.
final class FileSaves {
    /// A save in progress.
    private struct Current {
        let saver: TextFileSaver
        /// The path of the save.
        let path: FilePath
        let end: (TextFileSaver.Outcome) -> Void
    }

    private var current: Current?
    /// The file that the user has chosen to write in place; nil for none. Consists of its path, and its device and
    /// inode, by which another file at the path is recognized.
    private var inPlace: (path: FilePath, device: UInt64, inode: UInt64)?

    /// The path that is being written to; nil if no save is in progress.
    var path: FilePath? { current?.path }

    /// Starts a save. Call this only when none is in progress.
    ///
    /// - Parameters:
    ///   - promptness: the maximum time, in milliseconds, to wait for an obstacle to the save; 0 not to wait. If an
    ///     obstacle is found within this time, the save has ended when this method returns.
    ///   - start: creates the saver, which passes its outcome to the given function.
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

    /// Waits until no save is in progress, but at most `milliseconds` for each save.
    func wait(atMost milliseconds: Int) {
        // When a save ends, another save that waited for it may begin: wait for the other one too.
        while let outcome = current?.saver.wait(atMost: milliseconds) { finish(outcome) }
    }

    /// Records that the user has chosen to write a file in place.
    func noteInPlace(_ path: FilePath, _ identity: FileIdentity) { inPlace = (path, identity.device, identity.inode) }

    /// Whether the user has chosen to write the file at a path in place, and it is still the same file.
    func isWrittenInPlace(_ path: FilePath, _ identity: FileIdentity?) -> Bool {
        guard let inPlace, let identity, path == inPlace.path else { return false }
        return identity.device == inPlace.device && identity.inode == inPlace.inode
    }
}
