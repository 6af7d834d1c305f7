// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Whether the package is a dependency of another one, by its URL. While versions are resolved SwiftPM reads the manifest out of the
/// repository, as if at the root of the disk; later from its `checkouts`. Then there is the library alone: what the programs and the tests
/// need besides would be fetched and pinned for everybody who uses it.
let isDependency =
    Context.packageDirectory == "/"
    || Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
        && access("\(Context.packageDirectory)/../../repositories", F_OK) == 0
        && access("\(Context.packageDirectory)/.git/objects/info/alternates", F_OK) == 0

// Every target treats warnings as errors; dependencies are left alone by this setting.
let swift: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]
/// For the library and the editor: else each use of an object's property asks whether somebody else is changing it, three hundred times
/// a key. Debug builds ask. And each function in a section of its own, which a linker can leave out or move. As of tools version 6.2 such
/// flags keep no package from being a dependency.
let optimized: [SwiftSetting] =
    swift + [
        .unsafeFlags(
            ["-enforce-exclusivity=unchecked", "-Xfrontend", "-function-sections"], .when(configuration: .release))
    ]
/// For the editor: the functions that a key uses side by side, where they need fewer lines of the caches and a third of the pages
/// (*Performance*, *Instructions*). `scripts/bench instructions --order` writes the list; names in it that there are no more do no harm.
let ordered: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Assets/inkstone.order",
            "-Xlinker", "--no-warn-symbol-ordering",
        ], .when(configuration: .release))
]
let c: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]

/// A Swift target of the library: which modules it may import is what it depends on, and `scripts/lint` holds it to that.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: optimized)
}

/// For tests that wait more than they compute: their code costs more to optimize than it would save them. What they test is optimized.
let unoptimized: [SwiftSetting] = swift + [.unsafeFlags(["-Onone"])]

/// A test target that may reach into `module`.
func tests(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = swift) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let headless: [Target.Dependency] = [
    "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneFiles", "InkstoneInput", "InkstoneLayout",
    "InkstoneEditing", "InkstoneView",
]

let package = Package(
    name: "inkstone",
    products: [
        .library(name: "Inkstone", targets: ["Inkstone"]),
        // Apart: files read, saved and recovered, which a program that shows a text does not need.
        .library(name: "InkstoneFiles", targets: ["InkstoneFiles"]),
        // Apart: a program that does not name it links no FoundationEssentials.
        .library(name: "InkstoneAttributedText", targets: ["InkstoneAttributedText"]),
        // For keyboards in other processes: needs no display, and links neither text nor layout.
        .library(name: "InkstoneProxy", targets: ["InkstoneProxy"]),
        // For programs that translate the library's texts.
        .library(name: "InkstoneWords", targets: ["InkstoneWords"]),
        // Apart: it loads the spelling library when a text is checked.
        .library(name: "InkstoneWritingTools", targets: ["InkstoneWritingTools"]),
        // Apart: it loads cairo when pages are made.
        .library(name: "InkstonePrint", targets: ["InkstonePrint"]),
        // Apart: it loads md4c when Markdown is read.
        .library(name: "InkstoneMarkdown", targets: ["InkstoneMarkdown"]),
        .library(name: "InkstoneTesting", targets: ["InkstoneTesting"]),
        // For `scripts/library`, which links it as one shared library for C.
        .library(name: "InkstoneC", targets: ["InkstoneC"]),
        .executable(name: "inkstone", targets: ["inkstone-editor"]),
        .executable(name: "inkstone-type", targets: ["inkstone-type"]),
        .executable(name: "inkstone-keyboard", targets: ["inkstone-keyboard"]),
        .executable(name: "inkstone-bench", targets: ["inkstone-bench"]),
        .executable(name: "inkstone-xim-server", targets: ["inkstone-xim-server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // pkg-config exists only on system-library targets, so each C shim depends on one.
        .systemLibrary(
            name: "CXlib",
            pkgConfig: "x11 xcb xcb-xfixes xext xft xfixes xi xrandr xrender xkbcommon fontconfig freetype2",
            providers: [
                .apt([
                    "libx11-dev", "libxcb1-dev", "libxcb-xfixes0-dev", "libxext-dev", "libxft-dev", "libxfixes-dev",
                    "libxi-dev",
                    "libxrandr-dev",
                    "libxrender-dev", "libxkbcommon-dev",
                ])
            ]),
        .systemLibrary(
            name: "CICU", pkgConfig: "icu-uc fribidi",
            providers: [.apt(["libicu-dev", "libfribidi-dev"])]),
        .systemLibrary(
            name: "CTypography", pkgConfig: "harfbuzz freetype2 fontconfig",
            providers: [.apt(["libharfbuzz-dev", "libfreetype-dev", "libfontconfig-dev"])]),
        .systemLibrary(
            name: "CImdkit", pkgConfig: "xcb-imdkit xcb",
            providers: [.apt(["libxcb-imdkit-dev"])]),

        // With which the on-screen keyboard strikes keys for programs that know nothing of its protocol.
        .systemLibrary(
            name: "CKeys", pkgConfig: "xcb xcb-xtest", providers: [.apt(["libxcb1-dev", "libxcb-xtest0-dev"])]),

        // The one header of the C library that is in no module of Swift's.
        .systemLibrary(name: "CXattr"),
        // The header of the library for C, which the compiler checks the functions against.
        .systemLibrary(name: "CInkstone"),

        .target(name: "CX11", dependencies: ["CXlib"], cSettings: c),
        .target(name: "CUnicode", dependencies: ["CICU"], cSettings: c),
        .target(name: "CShaping", dependencies: ["CTypography"], cSettings: c),
        // Loads its library while the program runs, so no package of headers is needed to build it.
        .target(name: "CBus", cSettings: c),
        .target(name: "CEnchant", cSettings: c),
        // The same with cairo, whose headers lie where all do; FreeType and fontconfig are linked by the layout.
        .target(name: "CCairo", dependencies: ["CTypography"], cSettings: c),
        // The same with libxml2; where its headers are, the compiler compares what is declared of it.
        .target(name: "CMarkup", cSettings: c + [.unsafeFlags(["-I/usr/include/libxml2"])]),
        // The same with md4c.
        .target(name: "CMarkdown", cSettings: c),
        // The same with libraries for images. libpng's header comes with that of FreeType, and the others need none.
        .target(name: "CImages", dependencies: ["CTypography"], cSettings: c),

        // Translations, the text of catalogs as bytes.
        .target(name: "CEditorCatalogs", exclude: ["de.po", "ja.po", "ar.po"], cSettings: c),

        module("InkstoneBase", []),
        module("InkstoneWords", []),
        module("InkstoneUnicode", ["InkstoneBase", "CUnicode"]),
        module("InkstoneText", ["InkstoneBase", "InkstoneUnicode"]),
        module("InkstoneFiles", ["InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneWords", "CXattr"]),
        // Apart, because it alone links FoundationEssentials, which costs every start about a millisecond.
        module("InkstoneAttributedText", ["InkstoneBase", "InkstoneText"]),
        module("InkstoneInput", ["InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneWords"]),
        module("InkstoneLayout", ["InkstoneBase", "InkstoneUnicode", "InkstoneText", "CShaping"]),
        module("InkstoneRichText", ["InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneLayout", "CMarkup"]),
        module(
            "InkstoneEditing",
            ["InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneInput", "InkstoneLayout"]),
        module("InkstoneImages", ["InkstoneBase", "CImages"]),
        module(
            "InkstoneView",
            [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneInput", "InkstoneLayout",
                "InkstoneEditing", "InkstoneImages", "InkstoneWords",
            ]),
        // Apart, because it loads Enchant when a text is checked, and starts other programs.
        module(
            "InkstoneWritingTools",
            [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneInput", "InkstoneLayout", "InkstoneEditing",
                "InkstoneWords", "CEnchant",
            ]),
        module("InkstoneX11", ["InkstoneBase", "InkstoneWords", "CX11"]),
        module(
            "InkstonePrint",
            [
                "InkstoneBase", "InkstoneText", "InkstoneLayout", "InkstoneView", "InkstoneImages", "InkstoneWords",
                "CCairo",
            ]),
        module("InkstoneMarkdown", ["InkstoneBase", "InkstoneText", "InkstoneLayout", "InkstoneWords", "CMarkdown"]),
        module("InkstoneBus", ["InkstoneBase", "CBus"]),
        module("InkstoneProxy", ["InkstoneBase", "InkstoneBus"]),
        module(
            "InkstoneProxyServer",
            [
                "InkstoneBase", "InkstoneText", "InkstoneInput", "InkstoneEditing", "InkstoneBus", "InkstoneProxy",
            ]),
        module("InkstoneAccessibility", headless + ["InkstoneBus"]),
        module(
            "Inkstone",
            headless + [
                "InkstoneRichText", "InkstoneImages", "InkstoneX11", "InkstoneBus", "InkstoneProxy",
                "InkstoneProxyServer",
                "InkstoneAccessibility", "InkstoneWords",
            ]),
        module("InkstoneC", ["Inkstone", "CInkstone"]),
        module("InkstoneTesting", headless),

        .executableTarget(name: "inkstone-xim-server", dependencies: ["CImdkit"], cSettings: c),
        .executableTarget(
            name: "inkstone-editor",
            dependencies: [
                "Inkstone", "InkstoneAccessibility", "InkstoneFiles", "InkstoneMarkdown", "InkstonePrint",
                "InkstoneWords", "InkstoneWritingTools", "CEditorCatalogs",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: optimized, linkerSettings: ordered),
        .executableTarget(name: "inkstone-type", dependencies: ["InkstoneProxy"], swiftSettings: optimized),
        .executableTarget(
            name: "inkstone-keyboard",
            dependencies: [
                "Inkstone", "InkstoneProxy", "InkstoneWords", "InkstoneWritingTools", "CKeys", "CEditorCatalogs",
            ],
            swiftSettings: optimized),
        .executableTarget(
            name: "inkstone-bench",
            dependencies: headless + [
                "Inkstone", "InkstoneMarkdown", "InkstonePrint", "InkstoneProxy", "InkstoneBus", "InkstoneRichText",
                "InkstoneX11", "InkstoneTesting",
                "DisplayTestSupport", "CXTest",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),

        tests("InkstoneBaseTests", ["InkstoneBase", "InkstoneTesting"]),
        tests("InkstoneWordsTests", ["InkstoneWords"], unoptimized),
        tests("InkstoneUnicodeTests", ["InkstoneBase", "InkstoneUnicode", "InkstoneTesting"]),
        // Random text and a model of a rope, for the tests of the text and of its files.
        .target(
            name: "TextTestSupport", dependencies: ["InkstoneBase", "InkstoneText", "InkstoneTesting"],
            path: "Tests/TextTestSupport",
            swiftSettings: swift),
        tests(
            "InkstoneTextTests",
            [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneAttributedText", "InkstoneTesting",
                "TextTestSupport",
            ]),
        tests(
            "InkstoneFilesTests",
            [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneFiles", "InkstoneTesting", "CXattr",
                "TextTestSupport",
            ]),
        // A view whose document lives in another process.
        .target(
            name: "PipedExample",
            dependencies: ["InkstoneBase", "InkstoneText", "InkstoneInput", "InkstoneEditing", "InkstoneTesting"],
            path: "Tests/PipedExample", swiftSettings: swift),
        tests(
            "InkstoneInputTests",
            [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneInput", "InkstoneEditing",
                "InkstoneTesting", "PipedExample",
            ]),
        tests("InkstoneEditingTests", headless + ["InkstoneTesting"], unoptimized),
        tests(
            "InkstoneWritingToolsTests",
            [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneLayout", "InkstoneInput",
                "InkstoneEditing", "InkstoneWritingTools", "InkstoneTesting",
            ], unoptimized),
        // A second opinion for tests of the layout. Its pkg-config file asks for -pthread, of which SwiftPM warns in every build;
        // what else it asks for is in that of HarfBuzz, in the module map, and here.
        .systemLibrary(name: "CPango", path: "Tests/CPango", providers: [.apt(["libpango1.0-dev"])]),
        .testTarget(
            name: "InkstoneLayoutTests",
            dependencies: [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneFiles", "InkstoneLayout", "InkstoneTesting",
                "TextTestSupport", "CPango",
            ],
            swiftSettings: swift + [.unsafeFlags(["-Xcc", "-I/usr/include/pango-1.0"])]),
        .testTarget(
            name: "InkstoneRichTextTests",
            dependencies: [
                "InkstoneBase", "InkstoneUnicode", "InkstoneText", "InkstoneLayout", "InkstoneRichText",
                "InkstoneTesting",
            ],
            exclude: ["Fixtures"], swiftSettings: swift),
        tests("InkstoneX11Tests", ["InkstoneBase", "InkstoneX11", "CX11"], unoptimized),
        tests(
            "InkstoneProxyTests",
            headless + ["InkstoneBus", "InkstoneProxy", "InkstoneProxyServer", "InkstoneTesting"], unoptimized),
        tests(
            "InkstoneAccessibilityTests",
            headless + ["InkstoneAccessibility", "InkstoneBus", "InkstoneTesting", "TextTestSupport"], unoptimized),
        tests("InkstoneBusTests", ["InkstoneBase", "InkstoneBus", "InkstoneTesting", "CBus"], unoptimized),
        tests("InkstonePrintTests", headless + ["InkstonePrint", "InkstoneTesting", "CCairo"], unoptimized),
        tests(
            "InkstoneMarkdownTests",
            ["InkstoneBase", "InkstoneText", "InkstoneLayout", "InkstoneMarkdown"], unoptimized),
        // What takes time in them is the library's.
        tests(
            "InkstoneViewTests", headless + ["InkstoneImages", "InkstoneTesting", "TextTestSupport"], unoptimized),
        tests("InkstoneAttachmentTests", headless + ["Inkstone", "InkstoneTesting"], unoptimized),
        tests("InkstoneImagesTests", ["InkstoneBase", "InkstoneImages", "InkstoneTesting"]),
        tests(
            "InkstoneEditorTests",
            [
                "inkstone-editor", "inkstone-keyboard", "Inkstone", "InkstoneFiles", "InkstoneMarkdown",
                "InkstoneProxy", "InkstoneWords", "InkstoneTesting", "DisplayTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], unoptimized),
        // Needs a display: `scripts/test` runs it in a process of its own under a private Xvfb.
        .systemLibrary(
            name: "CXTest", path: "Tests/CXTest", pkgConfig: "xcb xcb-damage xcb-xfixes xcb-xtest",
            providers: [
                .apt(["libxcb1-dev", "libxcb-damage0-dev", "libxcb-xfixes0-dev", "libxcb-xtest0-dev"])
            ]),
        .target(
            name: "DisplayTestSupport",
            dependencies: ["InkstoneBase", "InkstoneText", "InkstoneFiles", "InkstoneTesting", "CXTest"],
            path: "Tests/DisplayTestSupport", swiftSettings: swift),
        .target(name: "CScarcity", path: "Tests/CScarcity", cSettings: c),
        .testTarget(
            name: "InkstoneDisplayTests",
            dependencies: headless + [
                "Inkstone", "InkstoneX11", "InkstoneBus", "InkstoneTesting", "DisplayTestSupport", "CX11", "CKeys",
                "CScarcity", "inkstone-keyboard", "PipedExample",
            ],
            exclude: ["Golden"], swiftSettings: unoptimized,
            // Allocations of our C code go through CScarcity.
            linkerSettings: [
                .unsafeFlags(["malloc", "calloc", "realloc", "strdup"].flatMap { ["-Xlinker", "--wrap=\($0)"] })
            ]),
    ]
)

if isDependency {
    package.dependencies = []
    package.products.removeAll { $0 is Product.Executable }
    package.targets.removeAll { $0.isTest || $0.type == .executable || $0.path?.hasPrefix("Tests/") == true }
}
