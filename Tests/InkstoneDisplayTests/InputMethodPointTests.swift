import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Sixty requirements for a client of the X input method, each taken from a complaint about a client or from
    /// Xlib's source. Each has a test whose name starts with “XIM” and its number; tests that cover several list
    /// them.
    @Suite struct InputMethodPointTests {
        /// Returns the names of the tests in a source file that always run: not commented out, not disabled, and
        /// not conditional themselves or by their suite.
        static func names(in source: String) -> [String] {
            let code = source.split(separator: "\n", omittingEmptySubsequences: false).filter {
                !$0.drop { $0 == " " }.hasPrefix("//")
            }.joined(separator: "\n")
            // None of these files has conditional code or block comments; a file with them is not trusted to run
            // its tests.
            guard !code.contains("#if"), !code.contains("/*"),
                !attributes("@Suite", in: code).contains(where: isConditional)
            else { return [] }
            return attributes("@Test", in: code).filter { !isConditional($0) }.compactMap { attribute in
                let name = attribute.drop { $0.isWhitespace }.dropFirst().prefix { $0 != "\"" }
                return attribute.drop { $0.isWhitespace }.hasPrefix("\"XIM ") ? String(name) : nil
            }
        }

        private static func isConditional(_ attribute: Substring) -> Bool {
            [".disabled", ".enabled"].contains { attribute.contains($0) }
        }

        /// Returns the arguments of each use of an attribute.
        private static func attributes(_ name: String, in code: String) -> [Substring] {
            code.ranges(of: name + "(").map { range in
                var depth = 1
                var isQuoted = false
                return code[range.upperBound...].prefix { character in
                    if character == "\"" { isQuoted.toggle() }
                    if !isQuoted { depth += character == "(" ? 1 : character == ")" ? -1 : 0 }
                    return depth > 0
                }
            }
        }

        @Test func onlyTestsThatRunCount() {
            let running = [
                #"@Test("XIM 1 a") func a() {}"#, #"@Test("XIM 1 a", arguments: [(1, 2)]) func a() {}"#,
                "@Test(\n    \"XIM 1 a\",\n    arguments: [\"(\", \"b\"])\nfunc a() {}",
            ]
            for source in running { #expect(Self.names(in: source) == ["XIM 1 a"], "\(source)") }
            let idle = [
                #"// @Test("XIM 1 a") func a() {}"#, #"@Test("XIM 1 a", .disabled("later")) func a() {}"#,
                #"@Test("XIM 1 a", .enabled(if: false)) func a() {}"#, #"let name = "XIM 1 a""#,
                "@Suite(.disabled()) struct S {\n@Test(\"XIM 1 a\") func a() {}\n}",
                "#if false\n@Test(\"XIM 1 a\") func a() {}\n#endif", "/*\n@Test(\"XIM 1 a\") func a() {}\n*/",
            ]
            for source in idle { #expect(Self.names(in: source) == [], "\(source)") }
        }

        /// The names of all such tests by number, read from the sources in this folder.
        private func names(file: String = #filePath) throws -> [(number: Int, name: String)] {
            let directory = file.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            let stream = try #require(opendir(directory))
            defer { closedir(stream) }
            var found: [(number: Int, name: String)] = []
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name.hasSuffix("Tests.swift") else { continue }
                let source = try TextFiles.read("\(directory)/\(name)")
                for quoted in Self.names(in: source) {
                    let words = quoted.split(separator: " ").dropFirst()
                    for number in words.prefix(while: { $0.first?.isNumber == true }) {
                        let digits = number.prefix(while: \.isNumber)
                        found.append((try #require(Int(digits)), quoted))
                        if !number.hasSuffix(",") { break }
                    }
                }
            }
            return found.sorted { $0.number < $1.number }
        }

        @Test func everyPointHasItsTest() throws {
            let names = try names()
            print(names.map { "\($0.number): \($0.name)" }.joined(separator: "\n"))
            #expect(Set(names.map(\.number)) == Set(1...60))
        }
    }
}
