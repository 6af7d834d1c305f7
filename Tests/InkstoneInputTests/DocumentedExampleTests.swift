import Glibc
import InkstoneInput
import Testing

/// The examples in the documentation equal the source files that are compiled and run elsewhere.
@Suite(.timeLimit(.minutes(5))) struct DocumentedExampleTests {
    private func read(_ path: String) throws -> String {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        parts += path.split(separator: "/")
        let file = try #require(fopen(parts.joined(separator: "/"), "r"), "no \(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var byte = fgetc(file)
        while byte != EOF {
            bytes.append(UInt8(byte))
            byte = fgetc(file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first Swift block of a page.
    private func firstExample(_ page: String) throws -> Substring {
        let text = try read(page)
        let start = try #require(text.firstRange(of: "```swift\n"), "no Swift in \(page)").upperBound
        let end = try #require(text[start...].firstRange(of: "```\n"), "an open block in \(page)").lowerBound
        return text[start..<end]
    }

    @Test func theHeaderForCListsTheCommands() throws {
        let header = try read("Sources/CInkstone/inkstone.h").split(separator: "\n")
        let list = header.drop { !$0.hasSuffix(" The names:") }.dropFirst()
            .prefix { $0.hasPrefix("//   ") }
        // Headings precede their names, with less indentation.
        let names = list.filter { $0.hasPrefix("//     ") }.flatMap { $0.dropFirst(2).split(separator: " ") }
        let all = EditCommand.all.map(\.rawValue)
        #expect(names.map(String.init).sorted() == all.filter { !$0.hasSuffix("AndModifySelection") }.sorted())
        // The rule that the first heading states.
        let first = list.dropFirst().prefix { $0.hasPrefix("//     ") }
        let moves = first.flatMap { $0.dropFirst(2).split(separator: " ") }
        #expect(
            moves.map { "\($0)AndModifySelection" }.sorted()
                == all.filter { $0.hasSuffix("AndModifySelection") }.sorted())
    }

    @Test func theDocumentationShowsTheExamples() throws {
        let pin = try read("Tests/InkstoneInputTests/Examples/PinField.swift")
        let example = pin.split(separator: "\n").drop { !$0.hasPrefix("final class") }
        #expect(example.count <= 15)
        let contracts = try read("Sources/Inkstone/Inkstone.docc/InputContracts.md")
        #expect(contracts.contains(example.joined(separator: "\n")))
        let remote = try read("Tests/InkstoneInputTests/Examples/RemoteField.swift")
        let shown = try #require(remote.firstRange(of: "final class")).lowerBound
        #expect(try read("Sources/Inkstone/Inkstone.docc/AsyncInput.md").contains(remote[shown...]))
        let field = try read("Tests/InkstoneInputTests/Examples/NameField.swift")
        #expect(field.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
        #expect(try read("Sources/Inkstone/Inkstone.docc/FieldExample.md").contains("```swift\n\(field)```"))
        let styled = try read("Tests/EmbeddingExample/Sources/styled-text/main.swift")
        #expect(try read("Sources/Inkstone/Inkstone.docc/Embedding.md").contains("```swift\n\(styled)```"))
        for (source, page) in [
            ("on-pages/Accessible", "ScreenReaders"), ("on-pages/Plug", "Embedding"),
            ("embedding-example/Polling", "Embedding"), ("embedding-example/Adopting", "Embedding"),
            ("run-loop/main", "Embedding"), ("async-main/App", "Recipes"),
        ] {
            let example = try read("Tests/EmbeddingExample/Sources/\(source).swift")
            let page = try read("Sources/Inkstone/Inkstone.docc/\(page).md")
            #expect(page.contains("```swift\n\(example)```"), "\(source).swift")
        }
    }

    /// Tests/EmbeddingExample builds the recipes.
    @Test(arguments: [
        "Form", "LabeledField", "Button", "ChatLog", "CodePane", "OwnField", "FindBar", "SearchField", "Threads",
    ])
    func thePageOfRecipesShowsWhatIsBuilt(_ name: String) throws {
        let recipe = try read("Tests/EmbeddingExample/Sources/recipes/\(name).swift")
        #expect(try read("Sources/Inkstone/Inkstone.docc/Recipes.md").contains("```swift\n\(recipe)```"))
        // A link, so that the recipe is built with the main actor as default isolation too.
        #expect(try read("Tests/EmbeddingExample/Sources/recipes-on-main-actor/\(name).swift") == recipe)
        // A custom field must stay short.
        if name == "OwnField" { #expect(recipe.split(separator: "\n").count <= 65) }
    }

    /// Tests/EmbeddingExample builds the program, and `JourneyHosting` runs it.
    @Test(arguments: ["README.md", "Sources/Inkstone/Inkstone.docc/Embedding.md"])
    func theShortestProgramIsTheOneThatIsBuilt(_ page: String) throws {
        #expect(try firstExample(page) == read("Tests/EmbeddingExample/Sources/ten-lines/main.swift"))
    }

    /// `scripts/stranger` builds this package.
    @Test(arguments: ["README.md", "Sources/Inkstone/Inkstone.docc/Inkstone.md"])
    func theDocumentationSaysHowAPackageDependsOnThis(_ page: String) throws {
        let readme = try read(page)
        let manifest = try read("Tests/StrangerExample/Package.swift")
        let start = try #require(readme.firstRange(of: "```swift\ndependencies:")).lowerBound
        let block = readme[start...].dropFirst(9)
        let end = try #require(block.firstRange(of: "```\n")).lowerBound
        let lines = block[..<end].split(separator: "\n").map { $0.drop { $0 == " " } }
        let named = lines.filter { $0.hasPrefix(".package(") || $0.hasPrefix(".product(") }
        #expect(named.count == 2)
        for line in named { #expect(manifest.contains(line), "\(line) is not what is built") }
    }

    /// The system packages that the manifest needs.
    @Test func theReadmeNamesTheSystemPackages() throws {
        let readme = try read("README.md")
        let all = try read("Package.swift")
        let first = try #require(all.firstRange(of: "name: \"CXlib\"")).lowerBound
        let last = try #require(all.firstRange(of: "name: \"CImdkit\"")).lowerBound
        let packages = all[first..<last].matches(of: #/"(lib[^"]*-dev)"/#).map(\.output.1)
        #expect(packages.count > 10)
        let words = Set(readme.split { " `;\n".contains($0) })
        for package in packages { #expect(words.contains(package), "the README does not name \(package)") }
    }
}
