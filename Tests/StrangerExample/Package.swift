// swift-tools-version: 6.2
import PackageDescription

// Somebody else's package, which depends on this one by its URL: scripts/stranger puts a copy of this checkout in the URL's place.
let package = Package(
    name: "notes",
    dependencies: [
        .package(url: "https://example.org/inkstone.git", branch: "main")
    ],
    targets: [
        .executableTarget(
            name: "notes",
            dependencies: [
                .product(name: "Inkstone", package: "inkstone")
            ]),
        .executableTarget(
            name: "dictate",
            dependencies: [
                .product(name: "InkstoneProxy", package: "inkstone")
            ]),
    ]
)
