import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneLayout
import InkstoneTesting
import InkstoneText

/// The random actions of a hostile user, one at a time.
extension HostileUser {
    /// Performs one random action.
    func step() throws {
        steps += 1
        try checkThatItRuns()
        let index = random.below(documents.count)
        guard window(of: index) != nil else { return try type(1, into: 1 - index) }
        switch random.below(100) {
        case 0..<34: try type(1 + random.below(4), into: index, pause: random.once(in: 4) ? 15 : 0)
        case 34..<46: try move(index)
        case 46..<52: try point(index)
        case 52..<58: if badDisk.isEmpty { try edit(index) }
        case 58..<66: try paste(into: index)
        case 66..<72: try save(index)
        case 72..<80: try meddle(with: index)
        case 80..<87: try changeDisk()
        case 87..<90: try bother(index)
        case 90..<95: try signal()
        default: try close(index)
        }
    }

    /// Presses keys that do not change the text.
    private func move(_ index: Int) throws {
        try focus(index)
        note("move in \(documents[index].name)")
        let keys: [TestKey] = [.home, .end, .up, .down, .left, .right, .pageUp, .pageDown]
        for _ in 0..<1 + random.below(12) {
            let held: [TestKey] = random.once(in: 3) ? [.leftShift] : random.once(in: 3) ? [.leftControl] : []
            probe.strike(keys[random.below(keys.count)], holding: held)
        }
        try waitUntilIdle(index)
    }

    private func point(_ index: Int) throws {
        guard let window = window(of: index) else { return }
        note("point in \(documents[index].name)")
        // A point outside of the bars, whose buttons would answer questions.
        func place() -> (x: Int, y: Int) {
            (
                window.x + 20 + random.below(max(1, window.width - 60)),
                window.y + 10 + random.below(max(1, window.height / 2))
            )
        }
        let from = place()
        switch random.below(4) {
        case 0: probe.click(x: from.x, y: from.y, count: 1 + random.below(3))
        case 1:
            probe.movePointer(x: from.x, y: from.y)
            for _ in 0..<5 { probe.click(x: from.x, y: from.y, button: random.once(in: 2) ? 4 : 5) }
        case 2:
            // Select by dragging. Click first, so that the press does not begin a drag of selected text.
            probe.click(x: from.x, y: from.y)
            try pass(600)
            let to = place()
            probe.button(1, down: true)
            probe.movePointer(x: to.x, y: to.y)
            probe.button(1, down: false)
            goToLineEnd()
        default:
            probe.click(x: from.x, y: from.y, button: 3)
            try pass(100)
            probe.strike(.escape)
        }
        try waitUntilIdle(index)
    }

    /// Removes or restores words; the file then shows which words are left.
    private func edit(_ index: Int) throws {
        try save(index)
        try focus(index)
        note("edit \(documents[index].name)")
        documents[index].isUncertain = true
        for _ in 0..<1 + random.below(3) {
            switch random.below(5) {
            case 0: for _ in 0..<7 { probe.strike(.backspace) }
            case 1: for _ in 0..<1 + random.below(5) { probe.control("z") }
            case 2: for _ in 0..<1 + random.below(5) { probe.control("y") }
            case 3:
                probe.strike(.home)
                for _ in 0..<1 + random.below(4) { probe.strike(.up, holding: [.leftShift]) }
                probe.control("x")
            default:
                probe.control("z")
                probe.control("y")
            }
        }
        try waitUntilIdle(index)
        goToLineEnd()
        probe.strike(.enter)
        // Half a word or a duplicate may be left: empty the document.
        try empty(index)
    }

    // MARK: Other programs

    private func paste(into index: Int) throws {
        try focus(index)
        peer?.close()
        peer = nil
        peerAnswers = true
        let filler = Array(String(repeating: "zzz zz\n", count: 1 + random.below(30)).utf8)
        let kind = random.below(6)
        note(
            "paste \(["plain", "styled", "damaged style", "huge", "slow", "dying"][kind]) into \(documents[index].name)"
        )
        let plain: (target: String, type: String, bytes: [UInt8]) = ("UTF8_STRING", "UTF8_STRING", filler)
        var answers = [plain]
        switch kind {
        case 1: answers.append((StyledFragment.type, StyledFragment.type, styled(filler)))
        case 2:
            var bytes = styled(filler)
            // Pastes of the hostile peer must leave the words around them unchanged.
            let end = bytes.count - filler.count
            for _ in 0..<1 + random.below(4) {
                bytes[min(end - 1, 24 + random.below(60))] = UInt8(truncatingIfNeeded: random.next())
            }
            answers.append((StyledFragment.type, StyledFragment.type, bytes))
        case 3: answers = [("UTF8_STRING", "UTF8_STRING", Array(String(repeating: "zz z\n", count: 40_000).utf8))]
        default: break
        }
        let targets = answers
        peer = try RawOwner(session.server.display, "CLIPBOARD", answers: targets)
        if kind == 4 { peerAnswers = false }
        goToLineEnd()
        probe.strike(.enter)
        probe.control("v")
        try waitUntilIdle(index)
        if kind == 5 {
            peer?.close()
            peer = nil
        }
        if kind == 4 {
            try type(1, into: index)
            try pass(300)
            peerAnswers = true
        }
        try pass(kind == 3 ? 1500 : 400)
        goToLineEnd()
        probe.strike(.enter)
        try waitUntilIdle(index)
    }

    private func styled(_ text: [UInt8]) -> [UInt8] {
        var styled = StyledText(Rope(bytes: text))
        let end = styled.rope.utf16Range.upperBound
        let families = [
            "x:charset=zz", "x:size=99999", "-1:matrix=9 9", "\u{1}\u{2}:::::,,,,", "DejaVu Sans,", ":lang=zzzzzz",
        ]
        let family = families[random.below(families.count)]
        let sizes: [Double] = [0.1, 4000, 17, 1e9]
        let size = sizes[random.below(sizes.count)]
        styled.restyle {
            $0.setFont(FontDescriptor(family: family, size: size), in: UTF16Offset(0)..<end)
        }
        return StyledFragment(styled).bytes
    }

    private func meddle(with index: Int) throws {
        let path = documents[index].path
        let bytes = (try? TextFiles.bytes(path)) ?? []
        let names = ["touch", "same bytes", "other bytes", "truncate", "delete", "replace", "mode", "rename away"]
        let kind = random.below(names.count)
        note("another program: \(names[kind]) \(documents[index].name)")
        switch kind {
        case 0: utimes(path, nil)
        case 1: if !bytes.isEmpty { try? TextFiles.write(bytes, to: path) }
        case 2:
            try? TextFiles.write("zzz\n", to: path)
            documents[index].noteChangeOutside()
        case 3:
            truncate(path, 0)
            documents[index].noteChangeOutside()
        case 4:
            unlink(path)
            documents[index].noteChangeOutside()
        case 5:
            try? TextFiles.write("zz\nzz\n", to: path + ".new")
            rename(path + ".new", path)
            documents[index].noteChangeOutside()
        case 6: chmod(path, random.once(in: 2) ? 0o444 : 0o644)
        default:
            rename(path, path + ".away")
            documents[index].noteChangeOutside()
        }
        try pass(random.below(400))
    }

    private func changeDisk() throws {
        guard badDisk.isEmpty else {
            setDisk([])
            // Give the editor time to write its pending journal entries.
            return try pass(3000)
        }
        let kinds: [DiskFaults.Kinds] = [
            .full, .failingWrites, .failingSyncs, .failingReads, .slow, .failingRenames, .partialWrites,
            [.slow, .failingSyncs],
        ]
        setDisk(
            kinds[random.below(kinds.count)], likelihood: random.once(in: 2) ? 1000 : 300,
            delay: UInt32(random.below(300_000)))
        if random.once(in: 2) {
            try focus(0)
            note("begin to save \(documents[0].name)")
            documents[0].noteSaveBegun()
            probe.control("s")
            try pass(200)
        }
    }

    /// Disturbs the editor's windows and bars.
    private func bother(_ index: Int) throws {
        guard let window = window(of: index) else { return }
        try focus(index)
        note("bother \(documents[index].name)")
        switch random.below(4) {
        case 0: probe.resize(window.id, width: 120 + random.below(800), height: 90 + random.below(600))
        case 1: probe.move(window.id, x: random.below(500), y: random.below(400))
        case 2:
            probe.control("f")
            probe.type("w0")
            for _ in 0..<3 { probe.strike(.enter) }
            probe.strike(.escape)
        default:
            for _ in 0..<1 + random.below(6) {
                probe.strike(TestKey(random.once(in: 2) ? 20 : 21), holding: [.leftControl])
            }
            probe.control("0")
        }
        goToLineEnd()
        try waitUntilIdle(index)
    }

    // MARK: Ends

    private func signal() throws {
        guard let editor else { return }
        switch random.below(6) {
        case 0:
            note("stop")
            editor.send(SIGSTOP)
            // Keys typed while the process is stopped wait in the X server.
            goToLineEnd()
            try pass(200 + random.below(400))
            editor.send(SIGCONT)
            note("continue")
            try waitUntilIdle(documents.indices.first { window(of: $0) != nil } ?? 0)
        case 1:
            note("pipe")
            editor.send(SIGPIPE)
            try pass(100)
        default:
            let signals = [(SIGKILL, "kill"), (SIGKILL, "kill"), (SIGTERM, "term"), (SIGHUP, "hup"), (SIGINT, "int")]
            let (signal, name) = signals[random.below(signals.count)]
            if random.once(in: 3) { try pass(1200) }
            let owed = self.owed()
            note("\(name), owing \(owed.map(\.count))")
            editor.send(signal)
            _ = try waitForEnd()
            try restart(owing: owed)
        }
    }

    private func close(_ index: Int) throws {
        guard let window = window(of: index), editor != nil else { return }
        try focus(index)
        if random.once(in: 4) {
            let owed = self.owed()
            note("the connection is cut, owing \(owed.map(\.count))")
            probe.killClient(of: window.id)
            _ = try waitForEnd()
            return try restart(owing: owed)
        }
        let isBad = !badDisk.isEmpty
        let open = documents.indices.filter { self.window(of: $0) != nil }
        let names = ["the close button", "Ctrl+W", "Ctrl+Q", "both close buttons", "Ctrl+S and close", "Ctrl+Q twice"]
        let kind = random.below(names.count)
        note("\(names[kind]) at \(documents[index].name)")
        switch kind {
        case 0: probe.askToClose(window.id)
        case 1: probe.control("w")
        case 2: probe.control("q")
        case 3: for (window, _) in windows() { probe.askToClose(window.id) }
        case 4:
            probe.control("s")
            probe.askToClose(window.id)
        default:
            probe.control("q")
            probe.control("q")
        }
        var isDiscarded = false
        let isCancelling = random.once(in: 4)
        let isDiscarding = random.once(in: 6)
        let deadline = Deadline(milliseconds: 25_000)
        var turns = 0
        // Answer questions until the window has closed, or the user cancels.
        while editor?.isRunning == true, !deadline.hasPassed {
            let start = Deadline(milliseconds: 700)
            while editor?.isRunning == true, !start.hasPassed {
                probe.drainEvents()
                if peerAnswers { peer?.serve() }
                var polled = pollfd(fd: probe.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&polled, 1, 10)
            }
            guard editor?.isRunning == true else { break }
            let left = windows().compactMap { $0.document }
            let isOver = kind == 2 || kind == 3 || kind == 5 ? left.isEmpty : !left.contains(index)
            if isOver { break }
            turns += 1
            // A discarded text closes as soon as the disk answers, whatever keys are pressed, so it cannot be
            // cancelled.
            if isCancelling || turns > 20 || (isBad && turns > 2 && !isDiscarded) {
                note("cancel")
                for (window, _) in windows() {
                    probe.focus(window.id)
                    probe.strike(.escape)
                    probe.strike(.escape)
                }
                break
            }
            // The question may be in any window.
            for (window, document) in windows() where document != nil {
                probe.focus(window.id)
                if isDiscarding {
                    isDiscarded = true
                    probe.alt("d")
                } else {
                    probe.alt(turns % 2 == 1 ? "s" : "o")
                }
            }
            note(isDiscarding ? "discard" : "answer \(turns % 2 == 1 ? "save" : "overwrite")")
        }
        try pass(100, whileRunning: true)
        let gone = open.filter { self.window(of: $0) == nil }
        if editor?.isRunning == false || gone.count == documents.count { _ = try waitForEnd() }
        for index in gone { try checkClosed(index, isDiscarded: isDiscarded) }
        if editor?.isRunning != true {
            guard documents.indices.allSatisfy({ !documents[$0].isOpen }) else {
                throw fail("the editor ended with a text open")
            }
            setDisk([])
            return try restart(owing: owed())
        }
        // A save that was started may have ended before another program changed the file.
        for index in documents.indices where !isDiscarded { documents[index].noteSaveBegun() }
        if isDiscarded { for index in documents.indices { documents[index].isUncertain = true } }
    }

    /// Checks a window that closed without a crash: its words are in the file, unless they were discarded.
    private func checkClosed(_ index: Int, isDiscarded: Bool) throws {
        documents[index].isOpen = false
        let document = documents[index]
        let present = Set(contents(of: index).words)
        note("\(document.name) has closed with \(present.count) words")
        if !isDiscarded, !document.isUncertain {
            let lost = document.typed.map(\.word).filter {
                !present.contains($0) && !(document.isChangedOutside && document.saved.contains($0))
            }
            if !lost.isEmpty {
                throw fail("\(document.name) was closed without these words being saved: \(lost.prefix(20))")
            }
        }
        documents[index].rebase(on: contents(of: index).words)
    }

    private func pass(_ milliseconds: Int, whileRunning: Bool) throws {
        guard editor?.isRunning == true else { return }
        do { try pass(milliseconds) } catch { if editor?.isRunning == true { throw error } }
    }
}
