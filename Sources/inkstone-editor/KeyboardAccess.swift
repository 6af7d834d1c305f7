import Dispatch
import Glibc
import Inkstone

/// Keyboards of other programs, while they are on: the service, its questions, and the list of who may type, which is followed when
/// `inkstone proxy` changes it.
final class KeyboardAccess {
    /// The list: see `ProxyPermissions`.
    static let file = SmallFile(.configuration, "keyboards")
    /// The order in which the list is read and kept.
    private static let queue = DispatchQueue(label: "keyboards")

    private unowned let program: EditorProgram
    private let service: TextProxyService
    /// Readable when files of the configuration directory change; -1 for none.
    private let changes = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    /// The programs that are asked about, and when each is refused.
    private var asked: [ProxyProgram: TimerID] = [:]
    /// The lasting answers that are not on the kept list yet, or could not be put there.
    private var unkept: [ProxyProgram: Bool] = [:]

    /// Begins to read the list, and lets keyboards ask when it has come.
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
            // Behind the work that uses it.
            SmallFile.later(on: Self.queue) { _ = close(changes) }
        }
        service.end()
    }

    /// Reads the list when it changes.
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
        // Used on the display's thread alone, where the poster runs what it is given.
        nonisolated(unsafe) weak let access = self
        nonisolated(unsafe) let work = work
        SmallFile.later(on: Self.queue) {
            // A list that cannot be read allows nobody.
            let text = String(decoding: (try? Self.file.read()) ?? [], as: UTF8.self)
            poster.post {
                guard let access else { return }
                var permissions = ProxyPermissions(text: text)
                // It may have been read before the answer.
                for (subject, isAllowed) in access.unkept { permissions.set(isAllowed, for: subject) }
                access.service.permissions = permissions
                work(access)
            }
        }
    }

    /// Puts a lasting answer on the kept list, as it is by then: `inkstone proxy` and other editors change it too.
    private func keep(_ subject: ProxyProgram, isAllowed: Bool) {
        unkept[subject] = isAllowed
        let poster = program.display.poster
        // Used on the display's thread alone, where the poster runs what it is given.
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
        // What others have put on it by then.
        readList { _ in }
    }

    /// Changes the kept list, if the work says that there is something to keep. Blocks. Returns whether that went well.
    static func change(_ work: (inout ProxyPermissions) -> Bool) -> Bool {
        file.change { bytes in
            var list = ProxyPermissions(text: String(decoding: bytes, as: UTF8.self))
            return work(&list) ? Array(list.text.utf8) : nil
        }
    }

    // MARK: Questions

    /// Asks about a program, beside the text of the window that the user is in. Without an answer it is refused.
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
