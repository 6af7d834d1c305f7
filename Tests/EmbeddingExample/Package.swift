// swift-tools-version: 6.2
import PackageDescription

// Programs of their own with an Inkstone text view. They are built in CI by scripts/test.
let package = Package(
    name: "EmbeddingExample",
    dependencies: [.package(name: "inkstone", path: "../..")],
    targets: [
        .systemLibrary(name: "CHostX11", pkgConfig: "x11", providers: [.apt(["libx11-dev"])]),
        .executableTarget(
            name: "embedding-example",
            dependencies: ["CHostX11", .product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // What the README shows; a test compares the two.
        .executableTarget(
            name: "ten-lines",
            dependencies: [.product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // What the pages about accessibility and embedding show; the same test compares them.
        .executableTarget(
            name: "on-pages",
            dependencies: [.product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // What the page of recipes shows; the same test compares the two.
        .executableTarget(
            name: "recipes",
            dependencies: [.product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // The recipes again, by symbolic links, as a program builds them that sets this default.
        .executableTarget(
            name: "recipes-on-main-actor",
            dependencies: [.product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error), .defaultIsolation(MainActor.self)]),
        // What the page about embedding shows of loops that are not the library's.
        .executableTarget(
            name: "run-loop",
            dependencies: [.product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "async-main",
            dependencies: [.product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // What the page about embedding shows of attributed strings.
        .executableTarget(
            name: "styled-text",
            dependencies: [
                .product(name: "Inkstone", package: "inkstone"),
                .product(name: "InkstoneAttributedText", package: "inkstone"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
)
