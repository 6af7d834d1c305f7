import Dispatch
import Glibc
import Inkstone
import InkstoneFiles

/// The access of other programs' keyboards, such as on-screen keyboards, to the editor's text: the service, the
/// questions to the user, and the list of permissions. The list is read again when `inkstone proxy` or another
/// editor changes it.
final class KeyboardAccess {
    /// The file with the list of permissions: see `ProxyPermissions`.
    static let file = SmallFile(.configuration, "keyboards")
    /// The serial queue that reads and stores the list of permissions.
    private static let queue = DispatchQueue(label: "keyboards")

    private unowned let program: EditorProgram
    private let service: TextProxyService
    /// An inotify descriptor, readable when files of the configuration folder change; -1 if the system has none
    /// left.
    private let changes = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    /// The programs about which the user is being asked. After the timer, the program is refused.
    private var asked: [ProxyProgram: TimerID] = [:]
    /// A permanent permission or refusal by the user that is not in the stored list yet, or could not be stored.
    private struct Unkept {
        var isAllowed: Bool
        /// Whether storing the user's answer in the list has failed.
        var hasFailed = false
        /// The decision in the stored list when storing failed; nil if the list had none.
        var decision: ProxyPermissions.Word?
    }

    private var unkept: [ProxyProgram: Unkept] = [:]
    /// The timer that reads the list again; nil while changes of the list are reported by inotify.
    private var timer: TimerID?

    /// Creates the access: reads the list of permissions, and then accepts requests of keyboards.
    init(_ program: EditorProgram) {
        self.program = program
        service = TextProxyService(on: program.display)
        service.onQuestion = { [weak self] in self?.ask($0) }
        service.onQuestionEnd = { [weak self] in self?.withdraw($0) }
        followList()
        readList { access in
            guard let problem = access.service.start() else { return }
            access.program.windows.first?.notify(Words.keyboardsCannotAsk("\(problem)"), isProblem: true)
        }
    }

    deinit {
        for subject in Array(asked.keys) { withdraw(subject) }
        if changes >= 0 {
            program.display.removeDescriptor(changes)
            let changes = changes
            // Close the descriptor on the queue, after the work that uses it.
            SmallFile.later(on: Self.queue) { _ = close(changes) }
        }
        program.display.cancel(timer)
        service.end()
    }

    /// Reads the list again whenever it changes. Both the configuration folder and its parent are watched, because
    /// programs that restore settings replace the whole folder.
    private func followList() {
        guard let path = Self.file.path else { return }
        let changes = changes
        if changes >= 0 {
            program.display.addDescriptor(changes) { [weak self] in
                var bytes = [UInt8](repeating: 0, count: 16_384)
                var concerns = false
                while case let count = read(changes, &bytes, bytes.count), count > 0 {
                    concerns =
                        concerns
                        || [path, path.directory].contains { FileWatch.concern($0.lastComponent, bytes[..<count]) }
                }
                if concerns { self?.readList { _ in } }
            }
        }
        SmallFile.later(on: Self.queue) { SmallFile.makeDirectory(of: path) }
    }

    /// Watches the folder of the file at a path, and the folder that contains it, unless they are watched already.
    /// Returns whether changes in the file's folder will be reported. Blocks.
    private static func watch(_ changes: Int32, _ path: FilePath) -> Bool {
        guard changes >= 0 else { return false }
        let mask = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_ONLYDIR)
        _ = inotify_add_watch(changes, path.directory.directory.cString, mask)
        return inotify_add_watch(changes, path.directory.cString, mask) >= 0
    }

    /// Schedules reading the list again after 5 seconds, for a system that does not report changes because it has
    /// no watches left.
    private func readLater() {
        guard timer == nil else { return }
        timer = program.display.schedule(afterMilliseconds: 5_000) { [weak self] in
            self?.timer = nil
            self?.readList { _ in }
        }
    }

    private func readList(then work: @escaping (KeyboardAccess) -> Void) {
        let poster = program.display.poster
        // `access` and `work` are used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let access = self
        nonisolated(unsafe) let work = work
        let changes = changes
        SmallFile.later(on: Self.queue) {
            // Watch before the list is read, so that no change between the two is missed.
            let isWatched = Self.file.path.map { Self.watch(changes, $0) } ?? true
            // A list that cannot be read gives no permissions.
            let text = String(decoding: (try? Self.file.read()) ?? [], as: UTF8.self)
            poster.post {
                guard let access else { return }
                var permissions = ProxyPermissions(text: text)
                access.overlay(&permissions)
                access.service.permissions = permissions
                if !isWatched { access.readLater() }
                work(access)
            }
        }
    }

    /// Adds the answers that are not stored yet to a list that was read. An answer that could not be stored is
    /// dropped if the list's entry about its program has changed since.
    private func overlay(_ list: inout ProxyPermissions) {
        for (subject, answer) in unkept {
            if answer.hasFailed, list.decision(of: subject.path) != answer.decision {
                unkept[subject] = nil
            } else {
                list.set(answer.isAllowed, for: subject)
            }
        }
    }

    /// Stores a permanent permission or refusal by the user in the list, which `inkstone proxy` and other editors may
    /// change at the same time.
    private func keep(_ subject: ProxyProgram, isAllowed: Bool) {
        unkept[subject] = Unkept(isAllowed: isAllowed)
        let poster = program.display.poster
        // `access` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let access = self
        SmallFile.later(on: Self.queue) {
            let isKept = Self.change { list in
                list.set(isAllowed, for: subject)
                return true
            }
            let list = isKept ? [] : (try? Self.file.read()) ?? []
            let decision = ProxyPermissions(text: String(decoding: list, as: UTF8.self)).decision(of: subject.path)
            poster.post {
                guard let access else { return }
                if isKept {
                    access.unkept[subject] = nil
                } else {
                    access.unkept[subject] = Unkept(isAllowed: isAllowed, hasFailed: true, decision: decision)
                    access.program.windows.first?.notify(
                        Words.keyboardAnswerNotKept,
                        isProblem: true)
                }
            }
        }
        // Read the list again, with the changes that others have made meanwhile.
        readList { _ in }
    }

    /// Passes the stored list to `work`, and stores the changed list if `work` returns true. Returns false if the
    /// list cannot be read or written. Blocks.
    static func change(_ work: (inout ProxyPermissions) -> Bool) -> Bool {
        file.change { bytes in
            var list = ProxyPermissions(text: String(decoding: bytes, as: UTF8.self))
            return work(&list) ? Array(list.text.utf8) : nil
        }
    }

    // MARK: Questions

    /// Asks whether a program may type, in the offer bar of the window that has the focus, else of the last window.
    /// Without an answer within a minute the program is refused.
    private func ask(_ subject: ProxyProgram) {
        let window = program.windows.first { $0.window.focusSystem.isWindowFocused } ?? program.windows.last
        guard let window, !window.isClosed else { return answer(subject, isAllowed: false, lasts: false) }
        func item(_ label: String, isAllowed: Bool, lasts: Bool) -> Question.Answer {
            Question.Answer(label: label) { [weak self] in
                self?.answer(subject, isAllowed: isAllowed, lasts: lasts)
            }
        }
        let path = FilePath.label(subject.visiblePath, limit: 200)
        var question = Question(
            text: Words.asksToType(path, "\(subject.process)"),
            answers: [
                item(Words.notNowKeyboard, isAllowed: false, lasts: false),
                item(Words.allowOnce, isAllowed: true, lasts: false),
            ],
            topic: .keyboard(subject))
        if subject.isLasting {
            question.answers += [
                item(Words.allowAlways, isAllowed: true, lasts: true),
                item(Words.neverAllow, isAllowed: false, lasts: true),
            ]
        }
        window.offers.show(question)
        // Cancel the timer of an earlier question about the program: it would end the new question.
        program.display.cancel(asked[subject])
        asked[subject] = program.display.schedule(afterMilliseconds: 60_000) { [weak self] in
            self?.asked[subject] = nil
            self?.answer(subject, isAllowed: false, lasts: false)
        }
    }

    private func answer(_ subject: ProxyProgram, isAllowed: Bool, lasts: Bool) {
        withdraw(subject)
        service.answer(subject, isAllowed: isAllowed, lasts: lasts)
        if lasts && subject.isLasting { keep(subject, isAllowed: isAllowed) }
    }

    private func withdraw(_ subject: ProxyProgram) {
        if let timer = asked.removeValue(forKey: subject) { program.display.cancel(timer) }
        for window in program.windows where !window.isClosed { window.offers.withdraw(.keyboard(subject)) }
    }
}
