import DisplayTestSupport
import Foundation
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A start of the editor that uses answers remembered from the start before.
    @Suite struct EditorStartTests {
        /// The window appears without the user's settings and key bindings, and applies them once the disk delivers
        /// them.
        @Test func aDiskThatHangsWithTheSettingsHoldsNoWindow() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let folder = "\(session.home)/.config/inkstone"
            mkdir("\(session.home)/.config", 0o700)
            mkdir(folder, 0o700)
            try TextFiles.write("numbers = yes\n", to: "\(folder)/settings")
            try TextFiles.write("Alt+z = undo\n", to: "\(folder)/keys")
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            faults.set(.hanging)
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForInsertion(of: "a")
            let caret = try editor.waitForCaret()
            faults.set([])
            try waitUntil("the line numbers", watching: [session.probe.descriptor], instead: { editor.report() }) {
                session.probe.drainEvents()
                return editor.caret().map { $0.left > caret.left } ?? false
            }
            try editor.save(expecting: "atext\n")
            try waitUntil("the keys", every: 100, instead: { editor.report() }) {
                session.probe.alt("z")
                session.probe.control("s")
                return (try? TextFiles.read(editor.file)) == "text\n"
            }
            editor.end()
        }

        /// The first key waits for the user's compose file, but only for a limited time.
        @Test func aComposeFileThatDoesNotArriveHoldsNoKeys() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            try #require(mkfifo("\(session.home)/.XCompose", 0o600) == 0)
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            session.probe.type("xyz")
            try editor.save(expecting: "xyztext\n")
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
        }

        @Test func theNextStartRemembersTheFontsAndLooksTheSame() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let memory = "\(session.home)/.cache/inkstone/fonts"
            let text = "Latin, ação, שלום, 日本, 😀\n"
            var editor = try EditorProcess(in: session, text: text)
            let first = try firstLine(of: editor)
            try waitUntil("the memory of fonts", instead: { editor.report() }) { access(memory, R_OK) == 0 }
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))

            editor = try EditorProcess(in: session, text: text)
            _ = try firstLine(of: editor, showing: first)
        }

        /// fontconfig's answers are cached in a file between starts. A forged answer in this file is shown at the
        /// next start, until fontconfig has corrected it.
        @Test func theNextStartAsksItsMemoryFirst() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let memory = "\(session.home)/.cache/inkstone/fonts"
            let (asked, other) = ("DejaVu Sans", "DejaVu Serif")
            /// Starts the editor with a font. Waits until it shows `expected`, or without this its text, and until
            /// the cache has the answers.
            func start(_ family: String, showing expected: Screenshot? = nil) throws -> Screenshot {
                let editor = try EditorProcess(in: session, text: "Which font is this?\n", options: ["--font", family])
                let shown = try firstLine(of: editor, showing: expected)
                try waitUntil("the memory of \(family)", instead: { (try? TextFiles.read(memory)) ?? "none" }) {
                    let known = answers(in: memory).filter { $0.question.contains(family) }
                    return !known.isEmpty && known.allSatisfy { $0.answer.hasPrefix("\(family):") }
                }
                session.probe.control("q")
                #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
                return shown
            }

            let sans = try start(asked)
            let serif = try start(other)
            #expect(sans != serif)
            // Forge the cache: give the other font's questions the serif font's answers.
            var forged = try TextFiles.read(memory)
            let known = answers(in: memory)
            for (question, answer) in known where answer.hasPrefix("\(asked):") {
                let twin = question.replacing(asked, with: other)
                guard let its = known.first(where: { $0.question == twin }) else { continue }
                forged = forged.replacing("?\(question)\n!\(answer)\n", with: "?\(question)\n!\(its.answer)\n")
            }
            #expect(forged != (try TextFiles.read(memory)))
            try TextFiles.write(Array(forged.utf8), to: memory)
            _ = try start(asked, showing: serif)
            _ = try start(asked, showing: sans)
        }

        /// A configuration of fontconfig that never ends: reading it would block the start.
        @Test func aStartThatRemembersItsFontsWaitsForNoConfiguration() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let directories = ["settings", "later"].map { "\(session.home)/\($0)" }
            for directory in directories { mkdir(directory, 0o700) }
            let (configuration, later) = ("\(directories[0])/fonts.conf", "\(directories[1])/more.conf")
            let includes = ["/etc/fonts/fonts.conf", later].map { "<include ignore_missing=\"yes\">\($0)</include>" }
            try TextFiles.write(
                Array("<?xml version=\"1.0\"?><fontconfig>\(includes.joined())</fontconfig>".utf8), to: configuration)
            let wrapper = ["env", "FONTCONFIG_FILE=\(configuration)"]
            let text = "Which font is this?\n"

            let editor = try EditorProcess(in: session, text: text, under: wrapper)
            let first = try firstLine(of: editor)
            let memory = "\(session.home)/.cache/inkstone/fonts"
            try waitUntil("the memory of fonts", instead: { editor.report() }) { access(memory, R_OK) == 0 }
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))

            try #require(mkfifo(later, 0o600) == 0)
            _ = try firstLine(of: EditorProcess(in: session, text: text, under: wrapper), showing: first)
        }

        /// The libraries and threads of a process that belong to a bus, and all its sockets.
        private struct BusParts: Equatable {
            var libraries = 0
            var threads = 0
            var sockets = 0

            init(of process: pid_t) throws {
                let (path, files) = ("/proc/\(process)", FileManager.default)
                libraries = try TextFiles.read("\(path)/maps").split(separator: "\n").count { line in
                    ["libsystemd", "libelogind", "libbasu"].contains { line.contains($0) }
                }
                // A thread or a descriptor may disappear during the listing.
                threads = try files.contentsOfDirectory(atPath: "\(path)/task").count {
                    (try? TextFiles.read("\(path)/task/\($0)/comm")) == "bus\n"
                }
                sockets = try files.contentsOfDirectory(atPath: "\(path)/fd").count {
                    (try? files.destinationOfSymbolicLink(atPath: "\(path)/fd/\($0)"))?.hasPrefix("socket:") ?? false
                }
            }
        }

        /// A program has permission to type, but there is no bus on which it could connect.
        @Test func aStartWithoutABusCostsNothingOfIt() throws {
            let session = try DesktopSession(width: 900, height: 800)
            defer { session.end() }
            let allowed = try session.run(Products.path(of: "inkstone"), ["proxy", "allow", "/bin/true"])
            #expect(allowed.status == .exited(0))
            let alone = try EditorProcess(in: session, text: "alone")
            try alone.waitForText()
            // Once this key was saved, the work deferred until the first painting is done too.
            session.probe.type("x")
            try alone.save(expecting: "xalone")
            let without = try BusParts(of: alone.process.pid)
            #expect(without.libraries == 0 && without.threads == 0 && without.sockets == 1, "\(without)")
            session.probe.control("q")
            #expect(try alone.process.waitForExit(within: 10_000) == .exited(0))

            try session.startBus()
            let editor = try EditorProcess(in: session, text: "with a bus", named: "other.txt")
            try waitUntil("the parts of a bus", instead: { "\((try? BusParts(of: editor.process.pid)) as Any)" }) {
                let with = try BusParts(of: editor.process.pid)
                return with.libraries > 0 && with.threads > 0 && with.sockets > 1
            }
        }

        /// Waits until the first line shows its text and the caret, and equals `expected` if given. The rest may
        /// still change, and the window appears before its text was read.
        private func firstLine(of editor: EditorProcess, showing expected: Screenshot? = nil) throws -> Screenshot {
            let probe = editor.session.probe
            return try waitFor(
                "\(expected == nil ? "a" : "the known") first line", within: 10_000, watching: [probe.descriptor],
                instead: { editor.report() }
            ) {
                probe.drainEvents()
                // The caret blinks, so search for it in the same picture.
                guard let line = probe.screenshot(of: editor.currentWindow)?.rows(0..<40), line.caret() != nil,
                    line.shows(EditorColor.text), expected == nil || line == expected
                else { return nil }
                return line
            }
        }

        /// Parses the cache: the lines of a question begin with “?”, those of its answer with “!”.
        private func answers(in memory: String) -> [(question: String, answer: String)] {
            let lines = ((try? TextFiles.read(memory)) ?? "").split(separator: "\n")
            return zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("?") && $0.1.hasPrefix("!") }.map {
                (String($0.0.dropFirst()), String($0.1.dropFirst()))
            }
        }
    }
}
