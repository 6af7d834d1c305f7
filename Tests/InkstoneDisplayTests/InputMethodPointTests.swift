import DisplayTestSupport
import Glibc
import Testing

extension DisplayTests {
    /// Sixty things that a client of the X input method has to get right, each learnt from a complaint about some client or
    /// from Xlib's source. Each has a test whose name starts with “XIM” and its number; those of one test are listed in it.
    @Suite struct InputMethodPointTests {
        /// The names of all such tests by their numbers, read from the sources beside this one.
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
                for quoted in source.split(separator: "\"").filter({ $0.hasPrefix("XIM ") }) {
                    let words = quoted.split(separator: " ").dropFirst()
                    for number in words.prefix(while: { $0.first?.isNumber == true }) {
                        let digits = number.prefix(while: \.isNumber)
                        found.append((try #require(Int(digits)), String(quoted)))
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
