import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneFiles

/// `.editorconfig`: patterns, properties, directories and hostile files; and indentation detected from a text.
@Suite(.timeLimit(.minutes(5))) struct EditorConfigTests {
    @Test(arguments: [
        ("*", "a.c", true), ("*.c", "a.c", true), ("*.c", "dir/a.c", true), ("*.c", "a.h", false),
        ("/*.c", "dir/a.c", false),
        ("dir/*.c", "dir/a.c", true), ("dir/*.c", "dir/sub/a.c", false), ("dir/**.c", "dir/sub/a.c", true),
        ("**/x", "x", true), ("a?c", "abc", true), ("a?c", "ac", false), ("[ab].c", "b.c", true),
        ("[!ab].c", "b.c", false),
        ("[a-c].c", "b.c", true), ("{a,b}.c", "b.c", true), ("*.{js,py}", "x/y.py", true), ("{x}.c", "{x}.c", true),
        ("{a,{b,c}}.d", "c.d", true), ("v{1..12}", "v7", true), ("v{1..12}", "v13", false), ("v{1..12}", "vx", false),
        ("Makefile", "Makefile", true), ("Makefile", "makefile", false), ("\\*", "*", true), ("\\*", "x", false),
        ("ü*", "über", true),
        // A combining mark after “/” does not change it.
        ("/*.c", "dir/\u{301}a.c", false), ("dir/?a.c", "dir/\u{301}a.c", true),
        ("[", "[", true), ("{a", "{a", true),
    ])
    func patternsMatch(_ pattern: String, _ path: String, _ isMatch: Bool) {
        #expect(EditorConfigPattern(pattern).matches(path) == isMatch, "\(pattern) \(path)")
    }

    @Test func laterSectionsAndKnownValuesCount() {
        var config = EditorConfig()
        config.apply(
            """
            root = true
            tab_width = 9
            [*]
            Indent_Style = SPACE
            indent_size = 4 
            end_of_line: crlf
            ; comment
            trim_trailing_whitespace = true
            insert_final_newline = false
            nonsense
            [*.go]
            indent_style = tab
            tab_width = 1000000
            [*.py]
            indent_size = 2
            """, to: "src/a.go")
        #expect(config.indentsWithTabs == true && config.indentSize == 4 && config.tabWidth == nil)
        #expect(config.newline == .crlf && config.trimsTrailingBlanks == true && config.insertsFinalNewline == false)
        config.apply("[*]\nindent_size = unset\nend_of_line = unset", to: "a.go")
        #expect(config.indentSize == nil && config.newline == nil)
    }

    @Test func theNearestDirectoryCountsUpToTheRoot() throws {
        let name = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(name) }
        let top = FilePath(name)
        func write(_ path: FilePath, _ text: String) throws {
            let file = open(path.cString, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(file >= 0 && Glibc.write(file, text, text.utf8.count) == text.utf8.count)
            close(file)
        }
        let (inner, deep) = (top.appending("inner"), top.appending("inner").appending("deep"))
        try #require(mkdir(inner.cString, 0o700) == 0 && mkdir(deep.cString, 0o700) == 0)
        try write(top.appending(".editorconfig"), "root=true\n[*]\nindent_style=tab\ntab_width=3")
        try write(inner.appending(".editorconfig"), "[deep/*.c]\ntab_width=5")
        let config = EditorConfig(for: deep.appending("x.c"))
        #expect(config.indentsWithTabs == true && config.tabWidth == 5)
        #expect(EditorConfig(for: inner.appending("x.c")).tabWidth == 3)
        try write(inner.appending(".editorconfig"), "root = true\n")
        #expect(EditorConfig(for: deep.appending("x.c")) == EditorConfig())
        // A directory and a file that is too long are ignored.
        unlink(inner.appending(".editorconfig").cString)
        try #require(mkfifo(inner.appending(".editorconfig").cString, 0o600) == 0)
        try write(top.appending(".editorconfig"), "[*]\ntab_width=3\n" + String(repeating: "#", count: 70_000))
        #expect(EditorConfig(for: deep.appending("x.c")).tabWidth != 3)
    }

    /// No pattern takes long to match, and none traps.
    @Test func noFileMakesReadingLong() {
        let stars = String(repeating: "*a", count: 500)
        #expect(!EditorConfigPattern(stars).matches(String(repeating: "a", count: 2000) + "b"))
        let braces = String(repeating: "{a,", count: 500) + String(repeating: "}", count: 500)
        _ = EditorConfigPattern(braces).matches("aaaa")
        _ = EditorConfigPattern(String(repeating: "{a,b}", count: 400)).matches(
            String(repeating: "a", count: 400) + "c")
        var random = SystemRandomNumberGenerator()
        let letters = Array("[]{}*?!-\\/,.=a1\n ")
        for _ in 0..<2000 {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
            _ = EditorConfigPattern(text).matches("a/1.a")
            var config = EditorConfig()
            config.apply(text, to: "a/1.a")
        }
    }

    @Test(
        arguments: [
            ("a\n\tb\n\t\tc\n", nil, 8), ("a {\n  b {\n    c\n  }\n}\n", 2, 8),
            ("def a:\n    b\n    if c:\n        d\n", 4, 8),
            ("plain text\nand more\n", nil, 8), ("/*\n * a\n * b\n */\nint a;\n", nil, 8), ("", nil, 8),
            ("a:\r\n   b\r\n   c\r\n", 3, 8),
        ] as [(String, Int?, Int)])
    func aTextHasItsHabit(_ text: String, _ blanks: Int?, _ tabWidth: Int) {
        #expect(
            Indentation(of: Rope(text)) == Indentation(blanks: blanks, tabWidth: tabWidth), "\(text.debugDescription)")
    }

    @Test func editorConfigGoesBeforeTheHabit() {
        var config = EditorConfig()
        config.indentsWithTabs = false
        #expect(Indentation(of: Rope("\ta"), config) == Indentation(blanks: 4))
        config.indentSize = 2
        #expect(Indentation(of: Rope("\ta"), config) == Indentation(blanks: 2, tabWidth: 2))
        config.indentsWithTabs = true
        config.tabWidth = 5
        #expect(Indentation(of: Rope("a:\n  b\n  c"), config) == Indentation(tabWidth: 5))
    }

    @Test func savingTidiesAsAsked() {
        func tidied(_ text: String, trims: Bool? = nil, ends: Bool? = nil) -> String? {
            var config = EditorConfig()
            (config.trimsTrailingBlanks, config.insertsFinalNewline) = (trims, ends)
            var rope = Rope(text)
            guard let changes = config.tidying(rope, newline: .crlf) else { return nil }
            rope.apply(changes)
            return rope.description
        }
        #expect(tidied("a ", ends: false) == nil && tidied("a ") == nil && tidied("", trims: true, ends: true) == nil)
        #expect(tidied("a \t\r\n  b\n \nc  ", trims: true) == "a\r\n  b\n\nc")
        #expect(tidied("a\nb", ends: true) == "a\nb\r\n" && tidied("a\n", ends: true) == nil)
        #expect(tidied("a\n  ", trims: true, ends: true) == "a\n" && tidied("a  ", trims: true, ends: true) == "a\r\n")
    }
}
