import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The connection in a display's event loop, and in locales that Xlib does not support.
    @Suite struct InputMethodLoopTests {
        @Test func answersAndDeadlinesComeThroughTheDisplaysLoop() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            let display = try Display(name: bench.displayName)
            defer { display.close() }
            var answers: [InputMethodAnswer] = []
            bench.connection.attach(to: display) { answers += $0 }
            defer { bench.connection.detach(from: display) }
            func run(_ what: String, until condition: () -> Bool) throws {
                try waitUntil(what, watching: [display.fileDescriptor]) {
                    display.processEvents()
                    return condition()
                }
            }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            try run("the connection") { bench.connection.state.phase == .ready }
            bench.type("a")
            try run("the preedit") {
                answers.contains { if case .event(.preeditDraw, _) = $0 { true } else { false } }
            }
            try bench.driver.perform("once on set_ic_values do hang")
            try bench.driver.waitUntilIdle()
            bench.connection.setSpot(bench.caret(at: 9), in: bench.window, rootOrigin: .init(x: 0, y: 0))
            bench.type("x")
            try run("the end of the connection") {
                answers.contains { if case .interrupted = $0 { true } else { false } }
            }
        }

        @Test("XIM 34 composing works in every locale", arguments: ["C", "POSIX", "en_IL.UTF-8", "C.UTF-8"])
        func composingWorksInEveryLocaleOfTheEnvironment(_ name: String) throws {
            let before = setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "C"
            let variable = getenv("LC_ALL").map { String(cString: $0) }
            defer {
                setlocale(LC_CTYPE, before)
                if let variable { setenv("LC_ALL", variable, 1) } else { unsetenv("LC_ALL") }
            }
            setenv("LC_ALL", name, 1)
            setlocale(LC_CTYPE, "C")
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            bench.type("ab \n")
            try bench.wait("the commit") { bench.field.text == "日本" }
        }

        @Test("XIM 35 a locale changed while connected harms nothing")
        func aLocaleChangedWhileConnectedHarmsNothing() throws {
            let before = setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "C"
            defer { setlocale(LC_CTYPE, before) }
            let bench = try InputMethodBench(script: #"on key x do start; draw 0 0 2 "a日" u*2; commit "日本""#)
            defer { bench.end() }
            try bench.begin()
            setlocale(LC_CTYPE, "C")
            // In the C locale, Xlib's loop that counts the characters of this text would never end.
            bench.type("x")
            try bench.wait("the preedit and the commit") {
                bench.field.preedit.text == "a日" && bench.field.text == "日本"
            }
            bench.driver.kill()
            try bench.wait("the news") { bench.connection.state.phase == .notRunning }
            setlocale(LC_CTYPE, "C")
            try bench.driver.start(script: #"on key x do start; draw 0 0 2 "a日" u*2"#)
            try bench.driver.waitUntilIdle()
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("x")
            try bench.wait("the preedit") { bench.field.preedit.text == "a日" }
        }
    }
}
