import Glibc
import Testing

@testable import InkstoneWords

/// The texts of windows: in one file, and translated.
@Suite(.timeLimit(.minutes(5)))
struct EditorWordsTests {
    private static let root = #filePath.split(separator: "/").dropLast(3)
        .reduce(#filePath.hasPrefix("/") ? "" : ".") { "\($0)/\($1)" }
    private static let sources = root + "/Sources/inkstone-editor"

    private static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return bytes
    }

    private static func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

    /// The literals of a piece of Swift, with their gaps as catalogs write them.
    private static func literals(_ source: some StringProtocol) -> [String] {
        var literals: [String] = []
        var literal = ""
        var (isInside, gaps, depth) = (false, 0, 0)
        var characters = Array(source)[...]
        while let character = characters.popFirst() {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if !isInside {
                (isInside, gaps, literal) = (character == "\"", 0, "")
            } else if character == "\\", let next = characters.popFirst() {
                if next == "(" {
                    literal += "{\(gaps)}"
                    (gaps, depth) = (gaps + 1, 1)
                } else {
                    literal.append(next == "n" ? "\n" : next)
                }
            } else if character == "\"" {
                isInside = false
                literals.append(literal)
            } else {
                literal.append(character)
            }
        }
        return literals
    }

    /// The literals of the calls of a function, with their gaps as catalogs write them.
    private static func phrases(_ function: String, in source: String) -> [String] {
        let code = source.split(separator: "\n").filter { !$0.contains("///") }.joined(separator: "\n")
        return code.split(separator: function + "(", omittingEmptySubsequences: false).dropFirst().flatMap {
            literals(argument($0))
        }
    }

    /// The part of a piece of Swift before the parenthesis that it does not open.
    private static func argument(_ source: Substring) -> Substring {
        // Depths of the parentheses at which a literal goes on.
        var (depth, gaps, isInside, isEscaped) = (1, [Int](), false, false)
        for index in source.indices {
            let character = source[index]
            if isInside {
                if isEscaped, character == "(" {
                    gaps.append(depth)
                    depth += 1
                    isInside = false
                }
                isEscaped = character == "\\" && !isEscaped
                if character == "\"", index == source.startIndex || source[source.index(before: index)] != "\\" {
                    isInside = false
                }
            } else {
                isInside = character == "\""
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
                if depth == 0 { return source[..<index] }
                if character == ")", gaps.last == depth {
                    gaps.removeLast()
                    isInside = true
                }
            }
        }
        return source
    }

    /// Names of the files of a folder and of all in it.
    private static func files(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var files: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") { continue }
            let path = "\(folder)/\(name)"
            files +=
                name.hasSuffix(".swift") ? [path] : entry.pointee.d_type == UInt8(DT_DIR) ? Self.files(in: path) : []
        }
        return files
    }

    /// Texts of the editor.
    private static let texts = ["Words.swift", "Words+Commands.swift", "Words+CommandLine.swift"].flatMap {
        phrases("say", in: text("\(sources)/\($0)"))
    }

    /// Texts of the library, which stand where they are used.
    private static let libraryTexts = files(in: root + "/Sources").filter { !$0.contains("/InkstoneWords/") }
        .map(text).filter { $0.contains("localized(") }.flatMap { phrases("localized", in: $0) }

    private static func catalog(_ language: String) -> Catalog {
        Catalog(po: bytes(root + "/Sources/CEditorCatalogs/\(language).po"))
    }

    private static func gaps(_ text: String) -> Set<Substring> {
        Set(text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map { $0.prefix { $0 != "}" } })
    }

    private static func letters(_ text: String) -> [Character] {
        text.split(separator: "[", omittingEmptySubsequences: false).dropFirst()
            .filter { $0.dropFirst().first == "]" }.compactMap(\.first)
    }

    @Test(arguments: ["de", "ja", "ar"])
    func everyTextIsTranslated(_ code: String) {
        let catalog = Self.catalog(code)
        let forms = Language(locale: code).plural(1).count
        #expect(Self.texts.count > 400 && Self.libraryTexts.count > 100)
        let texts = Set(Self.texts + Self.libraryTexts)
        for text in texts where catalog.forms[text] == nil {
            // The English plural is in the entry of the singular.
            let isPlural = Self.text(Self.root + "/Sources/CEditorCatalogs/\(code).po")
                .contains("msgid_plural \"\(text)\"")
            #expect(isPlural, "\(code).po has no “\(text)”")
        }
        for (text, translations) in catalog.forms {
            #expect(texts.contains(text), "\(code).po has “\(text)”, which no text is")
            #expect([1, forms].contains(translations.count), "forms of “\(text)”")
            for translation in translations {
                if translations.count == 1, forms > 1 || Self.gaps(text).count == Self.gaps(translation).count {
                    #expect(Self.gaps(translation) == Self.gaps(text), "gaps of “\(translation)”")
                }
                #expect(Self.letters(translation).count == Self.letters(text).count, "letter of “\(translation)”")
                #expect((text.last == "…") == (translation.last == "…"), "ellipsis of “\(translation)”")
            }
        }
    }

    /// Answers that stand side by side.
    private static let questions = [
        ["[S]ave", "[D]iscard", "[C]ancel"], ["[O]pen", "Choose [E]ncoding…", "[Q]uit"],
        ["Choose [E]ncoding…", "[K]eep"], ["[O]K"], ["[R]eload", "Con[v]ert", "[C]ancel"],
        ["[R]eload", "[K]eep My Version"],
        ["[R]eload and Discard My Changes", "[K]eep My Version"],
        ["Write [I]n Place", "Make a [N]ew File", "[C]ancel"],
        ["[S]ave Again", "Save [A]s…", "[C]ancel"], ["[O]verwrite", "Choose [A]nother Name…", "[C]ancel"],
        ["[O]verwrite", "[R]eload and Discard My Changes", "[C]ancel"], ["[S]ave Anyway", "[C]ancel"],
        ["[S]ave Text and Pictures", "Save [T]ext Only", "[C]ancel"],
        ["[S]top Reading and Save", "Save When It [E]nds", "[C]ancel"],
        ["Save as [U]TF-8", "[G]o to Line {0}", "[C]ancel"], ["[R]eload Without My Changes", "[C]ancel"],
        ["[P]ut the Old Text Back", "[D]iscard the Old Text", "[L]ater"], ["[R]estore", "[D]iscard", "[L]ater"],
        ["[M]erge", "Show in a New [W]indow", "[D]iscard", "[L]ater"], ["[O]verwrite", "[C]ancel"],
        ["To a PDF [F]ile…", "To a [P]rinter…", "The [S]election Only…", "[C]ancel"],
        ["[E]xport Anyway", "[C]ancel"], ["Show [A]nyway", "[C]ancel"],
        ["[N]ot Now", "Allow [O]nce", "Allow [A]lways", "Ne[v]er Allow"],
    ]

    @Test(arguments: ["en", "de", "ja", "ar"])
    func lettersOfAQuestionAreDifferent(_ code: String) {
        let catalog = Self.catalog(code)
        let answers = Set(Self.texts.filter { !Self.letters($0).isEmpty })
        #expect(answers.subtracting(Self.questions.joined()).isEmpty, "answers in no question of the test")
        for question in Self.questions {
            let letters = question.flatMap { Self.letters(catalog.forms[$0]?.first ?? $0) }
            #expect(
                letters.count == question.count && Set(letters).count == letters.count, "\(question) have \(letters)")
        }
    }

    /// Widths are estimated: 8 pixels for a letter, 13 for a wide one, of a font of 12.
    @Test(arguments: ["en", "de", "ja", "ar"])
    func buttonsFitA640PixelWindow(_ code: String) {
        let catalog = Self.catalog(code)
        func width(_ text: String) -> Int {
            (catalog.forms[text]?.first ?? text).unicodeScalars.reduce(20) { $0 + ($1.value >= 0x2e80 ? 13 : 8) }
        }
        for text in Self.texts where !Self.letters(text).isEmpty { #expect(width(text) < 640, "\(text)") }
        #expect(["Replace", "All", "In Selection", "Find"].reduce(120) { $0 + width($1) } < 640)
    }

    /// Files of texts, and one that nobody reads.
    private static let others = [
        "/Words.swift", "Words+Commands.swift", "Words+CommandLine.swift", "EditorIcon.swift",
    ]

    @Test func eachTextIsInOneFileOnly() {
        var count = 0
        for path in Self.files(in: Self.sources) where !Self.others.contains(where: path.hasSuffix) {
            count += 1
            let name = path.split(separator: "/").last ?? ""
            for line in Self.text(path).split(separator: "\n") {
                let code = line.drop { $0 == " " }
                if code.hasPrefix("//") || code.contains("fatalError") || code.contains("precondition") { continue }
                for literal in Self.literals(code) where Self.isShown(literal) {
                    Issue.record("\(name) shows “\(literal)”, which belongs into Words.swift")
                }
            }
        }
        #expect(count > 40)
    }

    /// Whether a literal is words for a person: two words side by side, or one that begins large and has small letters.
    private static func isShown(_ literal: String) -> Bool {
        guard !exceptions.contains(literal) else { return false }
        let words = literal.split(separator: " ").map { $0.filter { $0.isLetter } }
        return zip(words, words.dropFirst()).contains { $0.count > 1 && $1.count > 1 }
            || literal.first?.isUppercase == true && literal.dropFirst().contains { $0.isLowercase }
    }

    private static let exceptions: Set<String> = [
        "Inkstone", "Aa", "recent files", "AaBbGg 0O 1Il {}[] éß Жя", "Ctrl", "Shift+Alt", "Markdown",
        "inkstone print", "inkstone recover", "inkstone proxy", "inkstone layout", "WxH+X+Y", "%Y-%m-%d %H:%M",
    ]
}
