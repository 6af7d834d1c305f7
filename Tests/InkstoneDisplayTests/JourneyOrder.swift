import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Keys, clicks, commands and pastes keep one order, however slow the input method is.
    @Suite struct JourneyOrder {
        struct Server: CustomStringConvertible, Sendable {
            let options: [String]
            let script: String
            let name: String
            var description: String { name }
            static let all = [
                Server(options: ["--mode", "commit-each"], script: "", name: "commits at once"),
                Server(options: ["--mode", "forward-each"], script: "", name: "gives keys back"),
                Server(
                    options: ["--mode", "commit-each", "--keys", "press"], script: "on key * do delay 20; answer",
                    name: "commits after 20 ms"),
                Server(
                    options: ["--mode", "commit-each", "--keys", "press"], script: "on key * do delay 150; answer",
                    name: "commits after 150 ms"),
                Server(options: ["--mode", "commit-each", "--flow", "sync"], script: "", name: "synchronous"),
            ]
        }

        @Test(arguments: Server.all)
        func lettersStayOnTheirSideOfAClick(_ kind: Server) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), options: kind.options,
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start(script: kind.script)
            defer { server.end() }
            let editor = try EditorProcess(in: session, text: "one\n\nthree\n")
            try editor.waitForInputMethod("inkstone")
            let caret = try editor.waitForCaret()
            let clickRow = caret.top + caret.height / 2 + caret.height
            session.probe.type("abc")
            session.probe.click(x: caret.left + 200, y: clickRow + caret.height)
            session.probe.type("d")
            try editor.save(expecting: "abcone\n\nthreed\n")
            #expect(server.isRunning)
        }

        @Test func aThousandFastKeysKeepTheirOrder() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"),
                options: ["--mode", "forward-each"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            defer { server.end() }
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod("inkstone")
            let alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
            let typed = String((0..<1000).map { index in Array(alphabet)[(index * 7 + index / 36) % 36] })
            session.probe.type(typed)
            try editor.save(expecting: typed, within: 10_000)
        }
    }
}
