import Dispatch
import Glibc
import Inkstone

/// The access of keyboards of other programs, while enabled: the service, its questions, and the list of permissions, which is reloaded when
/// `inkstone proxy` changes it.
final class KeyboardAccess {
    /// The list of permissions: see `ProxyPermissions`.
    static let file = SmallFile(.configuration, "keyboards")
    /// The queue that reads and stores the list in order.
    private static let queue = DispatchQueue(label: "keyboards")

    private unowned let program: EditorProgram
    private let service: TextProxyService
    /// An inotify descriptor, readable when files of the configuration directory change; -1 for none.
    private let changes = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    /// The programs that the user is asked about, with the timer that refuses each.
    private var asked: [ProxyProgram: TimerID] = [:]
    /// A lasting answer that is not stored yet, or could not be stored.
    private struct Unkept {
        var isAllowed: Bool
        /// Whether it could not be stored.
        var hasFailed = false
        /// The list's word of the program then.
        var said: ProxyPermissions.Word?
    }

    private var unkept: [ProxyProgram: Unkept] = [:]
    /// The timer that reads the list again; nil if it is followed.
    private var timer: TimerID?

    /// Starts reading the list, and accepts requests of keyboards when it has been read.
    init(_ program: EditorProgram) {
        self.program = program
        service = TextProxyService(on: program.display)
        service.onQuestion = { [weak self] in self?.ask($0) }
        service.onQuestionEnd = { [weak self] in self?.withdraw($0) }
        followList()
        readList { access in
            guard let problem = access.service.start() else { return }
            access.program.windows.first?.tell(Words.keyboardsCannotAsk("\(problem)"), isProblem: true)
        }
    }

    deinit {
        for subject in Array(asked.keys) { withdraw(subject) }
        if changes >= 0 {
            program.display.removeDescriptor(changes)
            let changes = changes
            // Close after the work that uses the descriptor.
            SmallFile.later(on: Self.queue) { _ = close(changes) }
        }
        program.display.cancel(timer)
        service.end()
    }

    /// Watches the list, to read it again when it changes: the configuration directory, and the one that holds it, because programs that put files
    /// back replace the whole directory.
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

    /// Watches the directories that are at the paths now, unless they are watched already. Returns whether changes will be heard of. Blocks.
    private static func watch(_ changes: Int32, _ path: FilePath) -> Bool {
        guard changes >= 0 else { return false }
        let mask = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_ONLYDIR)
        _ = inotify_add_watch(changes, path.directory.directory.cString, mask)
        return inotify_add_watch(changes, path.directory.cString, mask) >= 0
    }

    /// Reads the list again after a while, where the system tells of no changes: it has no more watches.
    private func readLater() {
        guard timer == nil else { return }
        timer = program.display.schedule(afterMilliseconds: 5_000) { [weak self] in
            self?.timer = nil
            self?.readList { _ in }
        }
    }

    private func readList(then work: @escaping (KeyboardAccess) -> Void) {
        let poster = program.display.poster
        // Used on the display's thread alone, where the poster runs its closures.
        nonisolated(unsafe) weak let access = self
        nonisolated(unsafe) let work = work
        let changes = changes
        SmallFile.later(on: Self.queue) {
            // Before the list is read, so that a later change is heard of.
            let isWatched = Self.file.path.map { Self.watch(changes, $0) } ?? true
            // A list that cannot be read permits no program.
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

    /// Puts the answers that are not stored over a list that was read, which may be older than they are. One that could not be stored gives way to
    /// what has been said of its program since.
    private func overlay(_ list: inout ProxyPermissions) {
        for (subject, answer) in unkept {
            if answer.hasFailed, list.says(of: subject.path) != answer.said {
                unkept[subject] = nil
            } else {
                list.set(answer.isAllowed, for: subject)
            }
        }
    }

    /// Stores a lasting answer in the present list, which `inkstone proxy` and other editors change too.
    private func keep(_ subject: ProxyProgram, isAllowed: Bool) {
        unkept[subject] = Unkept(isAllowed: isAllowed)
        let poster = program.display.poster
        // Used on the display's thread alone, where the poster runs its closures.
        nonisolated(unsafe) weak let access = self
        SmallFile.later(on: Self.queue) {
            let isKept = Self.change { list in
                list.set(isAllowed, for: subject)
                return true
            }
            let list = isKept ? [] : (try? Self.file.read()) ?? []
            let said = ProxyPermissions(text: String(decoding: list, as: UTF8.self)).says(of: subject.path)
            poster.post {
                guard let access else { return }
                if isKept {
                    access.unkept[subject] = nil
                } else {
                    access.unkept[subject] = Unkept(isAllowed: isAllowed, hasFailed: true, said: said)
                    access.program.windows.first?.tell(
                        Words.keyboardAnswerNotKept,
                        isProblem: true)
                }
            }
        }
        // Read the changes that others have made by then.
        readList { _ in }
    }

    /// Changes the stored list, if `work` returns true. Blocks. Returns whether that succeeded.
    static func change(_ work: (inout ProxyPermissions) -> Bool) -> Bool {
        file.change { bytes in
            var list = ProxyPermissions(text: String(decoding: bytes, as: UTF8.self))
            return work(&list) ? Array(list.text.utf8) : nil
        }
    }

    // MARK: Questions

    /// Asks about a program, beside the text of the window that has the focus. Without an answer the program is refused.
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
        question.ripening = 500
        window.offers.show(question)
        // The time of an earlier question about the program would end this one.
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
