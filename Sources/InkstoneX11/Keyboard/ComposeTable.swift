import CX11
import Glibc
import InkstoneBase
import Synchronization

/// The user's compose files, and the limit of the time that keys wait for them. Shared by all windows of a program.
package final class ComposeFiles: Sendable {
    package static let shared = ComposeFiles()

    /// Returns whether the user has a personal compose file, which libxkbcommon uses instead of the locale's. May block.
    fileprivate let hasOwnFile: @Sendable () -> Bool
    /// The longest time, in milliseconds, that a key waits until a table is read. Reading takes some milliseconds.
    fileprivate let maximumWait: Int
    /// The number of tables whose reading has exceeded ``maximumWait`` and has not ended.
    fileprivate let overdue = Atomic(0)

    /// Creates the value. Tests replace the search for the user's file.
    package init(maximumWait: Int = 1000, hasOwnFile: (@Sendable () -> Bool)? = nil) {
        self.maximumWait = maximumWait
        self.hasOwnFile = hasOwnFile ?? { Self.existsOwnFile }
    }

    private static var existsOwnFile: Bool {
        if getenv("XCOMPOSEFILE") != nil { return true }
        let files = [
            UserDirectory.configuration.path?.appending("XCompose"), UserDirectory.home?.appending(".XCompose"),
        ]
        return files.compactMap(\.self).contains { access($0.cString, R_OK) == 0 }
    }
}

/// The compose table of a locale. It is read on a thread of its own, because the user's home directory may hang, and a
/// compose file may be a pipe.
final class ComposeTable: Sendable {
    private struct State {
        /// The table of libxkbcommon, owned by this state; nil before it was read, and if it could not be read.
        var table: OpaquePointer?
        /// Whether reading has ended.
        var isRead = false
        /// Whether the thread is running.
        var isReading = false
        /// Whether the thread has been running for longer than keys wait.
        var isOverdue = false
        /// Whether the user has no compose file: only a dead key or the compose key needs the table.
        var isForDeadKeys = false
    }

    private let localeName: String
    private let files: ComposeFiles
    private let state = Monitor(State())

    init(locale: String, files: ComposeFiles) { (localeName, self.files) = (locale, files) }

    deinit { xkb_compose_table_unref(state.withLock { $0.table }) }

    /// Returns the table for a key; nil if the key does not need it, or if it is not available. The first key that may
    /// need the table waits until it is read, but only for a limited time. The table is available to later keys once it
    /// is read.
    ///
    /// - Parameter isDead: whether the key is a dead key or the compose key. Any other key needs the table only if the
    ///   user has a compose file.
    func table(forDeadKey isDead: Bool) -> OpaquePointer? {
        let (table, mustStart) = state.withLock { state -> (OpaquePointer?, Bool) in
            // While a table of another window is overdue, a further thread would hang as well.
            let mustStart =
                !state.isRead && !state.isReading && (isDead || !state.isForDeadKeys)
                && files.overdue.load(ordering: .relaxed) == 0
            if mustStart { state.isReading = true }
            return (state.table, mustStart)
        }
        guard mustStart else { return table }
        guard let thread = try? BackgroundThread.start({ self.read(forDeadKey: isDead) }) else {
            state.withLock { $0.isReading = false }
            return nil
        }
        pthread_detach(thread)
        _ = state.wait(atMost: files.maximumWait) { !$0.isReading }
        return state.withLock { state in
            if state.isReading {
                state.isOverdue = true
                files.overdue.add(1, ordering: .relaxed)
            }
            return state.table
        }
    }

    private func read(forDeadKey isDead: Bool) {
        let isNeeded = isDead || files.hasOwnFile()
        let table = isNeeded ? Self.table(localeName) : nil
        state.withLock(waking: true) { state in
            (state.table, state.isRead, state.isForDeadKeys, state.isReading) = (table, isNeeded, !isNeeded, false)
            if state.isOverdue { files.overdue.subtract(1, ordering: .relaxed) }
            state.isOverdue = false
        }
    }

    private static func table(_ locale: String) -> OpaquePointer? {
        guard let context = xkb_context_new(XKB_CONTEXT_NO_FLAGS) else { return nil }
        defer { xkb_context_unref(context) }
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        return xkb_compose_table_new_from_locale(context, locale, XKB_COMPOSE_COMPILE_NO_FLAGS)
            ?? xkb_compose_table_new_from_locale(context, "en_US.UTF-8", XKB_COMPOSE_COMPILE_NO_FLAGS)
    }
}
