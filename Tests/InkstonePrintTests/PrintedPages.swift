import Glibc
import InkstoneBase
import InkstoneLayout
import InkstonePrint
import InkstoneTesting
import InkstoneText
import Testing

/// Pages in a directory of their own, read by poppler's programs.
final class PrintedPages {
    let directory: OwnedDirectory
    let pages: Int
    var path: String { directory.path + "/pages.pdf" }

    /// Prints a text, in DejaVu Sans of 12 points unless another font is given.
    convenience init(
        _ text: String, font: FontDescriptor = FontDescriptor(family: "DejaVu Sans", size: 16),
        setup: PageSetup = PrintedPages.bare
    ) throws {
        try self.init(PagePrinter(StyledText(Rope(text)), font: font, setup: setup))
    }

    init(_ printer: PagePrinter) throws {
        directory = try OwnedDirectory()
        pages = try printer.print(to: FilePath(directory.path + "/pages.pdf"))
    }

    /// Pages with nothing but the text.
    static var bare: PageSetup {
        var setup = PageSetup()
        setup.numbersPages = false
        return setup
    }

    /// The text that is taken out of the pages.
    func text(_ options: String...) throws -> String {
        let words = ["-enc", "UTF-8"] + options + [path, "-"]
        return try Self.run("pdftotext", words)
    }

    /// The value of a line of `pdfinfo`, without spaces; nil if there is no such line.
    func info(_ name: String) throws -> String? {
        let lines = try Self.run("pdfinfo", [path]).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + ":") }.map { $0.dropFirst(name.count + 1).filter { $0 != " " } }
    }

    /// The pixels of a page, three bytes each, and how many stand in a row.
    func pixels(page: Int = 1, resolution: Int = 36) throws -> (bytes: [UInt8], width: Int) {
        let out = directory.path + "/page"
        _ = try Self.run(
            "pdftoppm",
            ["-r", "\(resolution)", "-f", "\(page)", "-singlefile", "-aa", "no", "-aaVector", "no", path, out])
        let bytes = try TextFiles.bytes(out + ".ppm")
        // P6, width, height and 255, each followed by a white space.
        var fields: [Int] = []
        var at = 2
        while fields.count < 3 {
            while bytes[at] <= 0x20 { at += 1 }
            var value = 0
            while bytes[at] > 0x20 {
                value = value * 10 + Int(bytes[at] - 0x30)
                at += 1
            }
            fields.append(value)
        }
        return (Array(bytes[(at + 1)...]), fields[0])
    }

    /// Number of pixels of about a colour.
    func count(of color: Color, resolution: Int = 36) throws -> Int {
        let bytes = try pixels(resolution: resolution).bytes
        let wanted = [color.red, color.green, color.blue].map(Int.init)
        var count = 0
        for i in stride(from: 0, to: bytes.count - 2, by: 3)
        where (0..<3).allSatisfy({ abs(Int(bytes[i + $0]) - wanted[$0]) < 40 }) { count += 1 }
        return count
    }

    static func run(_ program: String, _ words: [String]) throws -> String {
        let process = try ChildProcess(
            program, words, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], output: .pipe)
        let text = try process.readToEnd(within: 60_000)
        let status = try process.waitForExit(within: 60_000)
        #expect(status == .exited(0), "\(program) \(words)")
        return text
    }

    /// A text without what extraction may change: white space, marks of direction, and the characters of ligatures.
    static func plain(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0xfef5, 0xfef6: result.append(contentsOf: "\u{644}\u{622}".unicodeScalars)
            case 0xfef7, 0xfef8: result.append(contentsOf: "\u{644}\u{623}".unicodeScalars)
            case 0xfef9, 0xfefa: result.append(contentsOf: "\u{644}\u{625}".unicodeScalars)
            case 0xfefb, 0xfefc: result.append(contentsOf: "\u{644}\u{627}".unicodeScalars)
            case 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: break
            default: if !scalar.properties.isWhitespace { result.append(scalar) }
            }
        }
        return String(result)
    }
}
