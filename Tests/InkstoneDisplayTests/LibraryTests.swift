import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The C library: linked by `scripts/library` from this build, and used by the programs of
    /// `Tests/LibraryExample`.
    @Suite struct LibraryTests {
        private let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

        /// Runs a shell command to its end, and returns its output.
        @discardableResult
        private func run(_ command: String, _ variables: [String: String] = [:]) throws -> String {
            let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
            let process = try ChildProcess(
                "/bin/sh", ["-c", command],
                environment: ["PATH": path, "HOME": "/", "LC_ALL": "C"].merging(variables) { $1 }, output: .pipe)
            let output = try process.readToEnd(within: 60_000)
            #expect(try process.waitForExit(within: 5000) == .exited(0), "\(command)\n\(output)")
            return output
        }

        /// Types into a program that prints its text after each change, and ends the program by Ctrl+Q.
        private func use(_ process: ChildProcess, _ session: DesktopSession, _ title: String) throws {
            let probe = session.probe
            let window = try probe.waitForWindow("the program's window", within: 10_000) { $0.title == "Host" }
            probe.focus(window.id)
            _ = try probe.waitForWindow("the view's window") {
                $0.id == window.id ? title == "run" : probe.ancestors(of: $0.id).contains(window.id)
            }
            probe.click(x: window.x + 200, y: window.y + 150)
            try waitUntil("the focus") {
                let focused = probe.focusedWindow
                return title == "run" ? focused == window.id : probe.ancestors(of: focused).contains(window.id)
            }
            probe.type("ab")
            var lines: [String] = []
            while lines.last != "text: ab" {
                guard let line = try process.readLine(within: 5000) else {
                    Issue.record("\(title) ended: \(lines) \(session.logText)")
                    return
                }
                lines.append(line)
            }
            probe.strike(TestKey(typing: "a") ?? .tab, holding: [.leftControl])
            if title != "run" { probe.control("s") }
            probe.control("q")
            #expect(try process.waitForExit(within: 5000) == .exited(0), "\(title) \(session.logText)")
        }

        @Test func programsInCAndPythonHoldAView() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let prefix = "\(session.home)/prefix"
            let objects = Products.running.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            let built = "\(session.home)/built"
            try run("'\(root)/scripts/library' --objects '\(objects)' '\(built)'")
            try run("'\(root)/scripts/install' --library --prefix '\(prefix)'", ["INKSTONE_LIBRARY": built])
            let library = "\(prefix)/lib/libinkstone.so.0"

            // The library exports only the functions of its header, and does not depend on Swift's libraries.
            let names = try run("nm -D --defined-only '\(library)'").split(separator: "\n").compactMap {
                $0.split(separator: " ").last.map { String($0.prefix { $0 != "@" }) }
            }
            let header = try TextFiles.read("\(root)/Sources/CInkstone/inkstone.h")
            let declared = header.matches(of: /\b(ink_[a-z_]+)\(/).map { String($0.1) }
            #expect(declared.count > 40 && Set(names.filter { $0 != "INKSTONE_0" }) == Set(declared))
            let needed = try run("readelf -d '\(library)' | grep NEEDED")
            #expect(!needed.contains("swift") && needed.contains("libX11"), "\(needed)")

            // The header and the example in its comment compile as C and as C++.
            let strict = "-Wall -Wextra -Wpedantic -Werror"
            let lines = header.split(separator: "\n", omittingEmptySubsequences: false)
            let example = lines.prefix { !$0.contains("needs <stdio.h>") }.filter { $0.hasPrefix("//     ") }
            #expect(example.count > 10)
            let source = ["#include <stdio.h>", "#include <inkstone.h>"] + example.map { String($0.dropFirst(7)) }
            try TextFiles.write(source.joined(separator: "\n") + "\n", to: "\(built)/header.c")
            // The Swift toolchain includes clang.
            let clang = "$(dirname \"$(readlink -f \"$(command -v swift)\")\")/clang"
            for compiler in ["cc -std=c99", "\(clang) -std=c99", "c++ -x c++ -std=c++98", "c++ -x c++"] {
                try run("\(compiler) \(strict) -fsyntax-only -I'\(prefix)/include' '\(built)/header.c'")
            }
            for program in ["host", "check"] {
                try run(
                    "cc -std=c99 -D_POSIX_C_SOURCE=200809L \(strict) '\(root)/Tests/LibraryExample/\(program).c'"
                        + " -o '\(built)/\(program)' $(pkg-config --cflags --libs inkstone x11) -pthread",
                    ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
            }
            // The program shown on the page about embedding compiles and runs.
            let page = try TextFiles.read("\(root)/Sources/Inkstone/Inkstone.docc/Embedding.md")
            let shown = try #require(page.firstMatch(of: /```c\n(?<program>(?s:.*?))```/)?.output.program)
            try TextFiles.write(String(shown), to: "\(built)/page.c")
            try run(
                "cc -std=c99 -Wall -Werror '\(built)/page.c' -o '\(built)/page' $(pkg-config --cflags --libs inkstone)",
                ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
            let path = ["LD_LIBRARY_PATH": "\(prefix)/lib"]
            let check = try session.start("\(built)/check", adding: path)
            #expect(try check.waitForExit(within: 10_000) == .exited(0), "\(session.logText)")
            if getenv("INKSTONE_LONG_TESTS") != nil {
                // Valgrind finds no errors and no leaks.
                let options = [
                    "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
                    "--error-exitcode=9", "--suppressions=\(prefix)/share/inkstone/valgrind/inkstone.supp",
                    "\(built)/check",
                ]
                let watched = try session.start("/usr/bin/valgrind", options, adding: path)
                #expect(try watched.waitForExit(within: 120_000) == .exited(0), "\(session.logText)")
            }
            for (mistake, reason) in [("thread", "another thread"), ("null", "NULL")] {
                let mistaken = try session.start("\(built)/check", [mistake], adding: path)
                #expect(try mistaken.waitForExit(within: 10_000) == .signalled(SIGABRT))
                let reasons = session.logText.split(separator: "\n").filter { $0.contains("ink_view_length") }
                #expect(reasons.contains { $0.contains(reason) }, "\(reasons)")
            }
            for way in ["run", "poll", "adopt"] {
                let process = try session.start("\(built)/host", [way], adding: path, output: .pipe)
                try use(process, session, way)
            }
            let python = try session.start(
                "/usr/bin/python3", ["-B", "\(root)/Tests/LibraryExample/host.py"], adding: ["LIBINKSTONE": library],
                output: .pipe)
            try use(python, session, "run")
        }
    }
}
