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
    /// The lasting answers that are not stored yet, or could not be stored.
    private var unkept: [ProxyProgram: Bool] = [:]

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
        service.end()
    }

    /// Watches the list, to read it again when it changes.
    private func followList() {
        guard changes >= 0, let path = Self.file.path else { return }
        let changes = changes
        program.display.addDescriptor(changes) { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(changes, &bytes, bytes.count) > 0 {}
            self?.readList { _ in }
        }
        SmallFile.later(on: Self.queue) {
            SmallFile.makeDirectory(of: path)
            _ = inotify_add_watch(changes, path.directory.cString, UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE))
        }
    }

    private func readList(then work: @escaping (KeyboardAccess) -> Void) {
        let poster = program.display.poster
        // Used on the display's thread alone, where the poster runs its closures.
        nonisolated(unsafe) weak let access = self
        nonisolated(unsafe) let work = work
        SmallFile.later(on: Self.queue) {
            // A list that cannot be read permits no program.
            let text = String(decoding: (try? Self.file.read()) ?? [], as: UTF8.self)
            poster.post {
                guard let access else { return }
                var permissions = ProxyPermissions(text: text)
                // The list may have been read before the answer was stored.
                for (subject, isAllowed) in access.unkept { permissions.set(isAllowed, for: subject) }
                access.service.permissions = permissions
                work(access)
            }
        }
    }

    /// Stores a lasting answer in the present list, which `inkstone proxy` and other editors change too.
    private func keep(_ subject: ProxyProgram, isAllowed: Bool) {
        unkept[subject] = isAllowed
        let poster = program.display.poster
        // Used on the display's thread alone, where the poster runs its closures.
        nonisolated(unsafe) weak let access = self
        SmallFile.later(on: Self.queue) {
            let isKept = Self.change { list in
                list.set(isAllowed, for: subject)
                return true
            }
            poster.post {
                guard let access else { return }
                if isKept {
                    access.unkept[subject] = nil
                } else {
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
