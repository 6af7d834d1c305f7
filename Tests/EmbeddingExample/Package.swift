// swift-tools-version: 6.2
import PackageDescription

// A program of its own that puts an Inkstone text view into its window. It is built in CI by scripts/test.
let package = Package(
    name: "EmbeddingExample",
    dependencies: [.package(name: "inkstone", path: "../..")],
    targets: [
        .systemLibrary(name: "CHostX11", pkgConfig: "x11", providers: [.apt(["libx11-dev"])]),
        .executableTarget(
            name: "embedding-example",
            dependencies: ["CHostX11", .product(name: "Inkstone", package: "inkstone")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
)
