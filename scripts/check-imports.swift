// Compares every `import` and `#include` with the dependencies that the manifest declares for the file's target.
//
// Usage: check-imports MANIFEST ROOT, where MANIFEST holds what `swift package dump-package` printed and ROOT is the tree to check.
// The compiler's own check (--explicit-target-dependency-import-check) is a no-op in Swift 6.3.1, and lint wants to plant violations.
import Foundation

struct Manifest: Decodable {
    struct Target: Decodable {
        struct Dependency: Decodable {
            let byName: [String?]?
            let target: [String?]?
            let product: [Ignored]?
            var name: String? { (byName?.first ?? target?.first ?? product?.first?.text) ?? nil }
        }
        /// An item that is a string, or something else that does not matter here.
        struct Ignored: Decodable {
            let text: String?
            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }
        let name: String
        let type: String
        let path: String?
        let pkgConfig: String?
        let dependencies: [Dependency]
    }
    let targets: [Target]
}

/// Modules that come with the compiler and hold no more than any Swift file may use.
let everywhere: Set<String> = ["Swift", "Glibc", "Observation", "Synchronization", "Dispatch"]
/// Foundation costs start-up time: no library target links it. Its Essentials may serve an API's edge.
let foundation: Set<String> = ["Foundation", "FoundationEssentials"]
/// Packages of targets that do without their pkg-config files; Package.swift or the target says why.
let withoutFile: [String: Set<String>] = [
    "CPango": ["pangoft2"], "CBus": ["libsystemd"], "CCairo": ["cairo"], "CMarkup": ["libxml-2.0"],
    "CMarkdown": ["md4c"], "CImages": ["libpng"],
]
/// C headers by the pkg-config package they belong to; the first prefix that fits decides.
let families: [(prefix: String, package: String)] = [
    ("X11/Xft/", "xft"), ("X11/extensions/XInput", "xi"), ("X11/extensions/XI", "xi"),
    ("X11/extensions/Xfixes", "xfixes"), ("X11/extensions/Xrandr", "xrandr"), ("X11/extensions/Xrender", "xrender"),
    ("X11/extensions/render", "xrender"),
    ("X11/extensions/", "xext"), ("X11/Xlib-xcb.h", "x11-xcb"), ("X11/", "x11"),
    ("xcb-imdkit/", "xcb-imdkit"), ("xcb/damage.h", "xcb-damage"), ("xcb/xfixes.h", "xcb-xfixes"),
    ("xcb/xtest.h", "xcb-xtest"), ("xcb/", "xcb"), ("xkbcommon/xkbcommon-x11", "xkbcommon-x11"),
    ("xkbcommon/", "xkbcommon"), ("pango/", "pangoft2"), ("unicode/", "icu-uc"), ("fribidi", "fribidi"),
    ("hb", "harfbuzz"), ("systemd/", "libsystemd"), ("cairo/", "cairo"), ("libxml/", "libxml-2.0"), ("md4c", "md4c"),
    ("png.h", "libpng"),
    ("ft2build.h", "freetype2"), ("freetype/", "freetype2"), ("fontconfig/", "fontconfig"),
]
/// Headers of the C library and the kernel, free for every C target.
let libc: Set<String> = [
    "assert.h", "ctype.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "getopt.h", "inttypes.h", "langinfo.h",
    "limits.h", "locale.h", "malloc.h", "math.h", "netdb.h", "poll.h", "pthread.h", "setjmp.h", "signal.h",
    "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "strings.h", "threads.h", "time.h", "unistd.h", "wchar.h",
]

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: check-imports MANIFEST ROOT")
    exit(2)
}
let root = URL(fileURLWithPath: arguments[2])
let manifest = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: arguments[1])))
let targets = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
var complaints = 0

func complain(_ file: String, _ line: Int, _ message: String) {
    print("\(file):\(line): \(message)")
    complaints += 1
}

func directory(of target: Manifest.Target) -> String {
    target.path ?? (target.type == "test" ? "Tests/" : "Sources/") + target.name
}

/// Files below a directory of the tree, as paths from its root, in order.
func files(in directory: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(directory).path)
    return (all?.compactMap { $0 as? String } ?? []).sorted().map { "\(directory)/\($0)" }
}

func lines(of file: String) -> [(number: Int, text: Substring)] {
    let bytes = (try? Data(contentsOf: root.appendingPathComponent(file))) ?? Data()
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
        ($0.offset + 1, $0.element)
    }
}

/// A Swift import, with its attributes, access level and kind; the regular expression takes one line of Swift's grammar each.
let swiftImport =
    #/
    ^\s* (?<attributes> (@\w+ (\([^)]*\))? \s+)* )
    ((public|package|internal|fileprivate|private) \s+)?
    import \s+
    ((struct|class|enum|protocol|func|var|let|typealias|actor) \s+)?
    (?<module> \w+)
    /#
let cInclude = #/^\s*#\s*(include|import)\s*(?<bracket>[<"])(?<header>[^>"]+)[>"]/#

func checkSwift(_ file: String, of target: Manifest.Target, allowed: Set<String>) {
    // A string literal of several lines may hold what looks like an import: those are other programs.
    var inLiteral = false
    for (number, text) in lines(of: file) {
        if text.contains("\"\"\"") { inLiteral.toggle() }
        guard !inLiteral, let match = text.firstMatch(of: swiftImport) else { continue }
        let module = String(match.module)
        if !allowed.contains(module) {
            complain(file, number, "\(target.name) may not import \(module)")
        }
        if match.attributes.contains("@_exported"), target.name != "Inkstone" {
            complain(file, number, "only Inkstone re-exports")
        }
    }
}

func checkC(_ file: String, of target: Manifest.Target) {
    let systems = target.dependencies.compactMap { $0.name }.compactMap { targets[$0] } + [target]
    let packages = Set(systems.flatMap { ($0.pkgConfig ?? "").split(separator: " ").map(String.init) })
        .union(withoutFile[target.name] ?? [])
    let home = directory(of: target)
    let isPublicHeader = file.hasPrefix("\(home)/include/")
    for (number, text) in lines(of: file) {
        guard let match = text.firstMatch(of: cInclude) else { continue }
        let header = String(match.header)
        if match.bracket == "\"" {
            let name = header.split(separator: "/").last.map(String.init) ?? header
            if header.contains(".."), !header.hasPrefix("../include/") {
                complain(file, number, "\(header): leaves \(target.name)")
            } else if !files(in: home).contains(where: { $0.hasSuffix("/\(name)") }) {
                complain(file, number, "\(header): not a header of \(target.name)")
            }
        } else if let family = families.first(where: { header.hasPrefix($0.prefix) }) {
            if !packages.contains(family.package) {
                complain(file, number, "<\(header)> needs \(family.package), which \(target.name) does not declare")
            } else if isPublicHeader, family.package == "icu-uc" {
                complain(
                    file, number, "<\(header)>: ICU's headers would clash with Foundation's; keep them out of include/")
            }
        } else if !libc.contains(header), !header.hasPrefix("sys/"), !header.hasPrefix("linux/") {
            complain(file, number, "<\(header)>: belongs to no known package (scripts/check-imports.swift lists them)")
        }
    }
}

var shimUsers: [String: [String]] = [:]
for target in manifest.targets {
    // A module's name is its target's, as far as an identifier can hold it.
    let declared = Set(target.dependencies.compactMap { $0.name?.replacing("-", with: "_") })
    let mayUseFoundation = target.type != "regular" || (target.path ?? "").hasPrefix("Tests/")
    var allowed = declared.union(everywhere).union(mayUseFoundation ? foundation : ["FoundationEssentials"])
    if target.type == "test" { allowed.insert("Testing") }
    if target.type == "regular" {
        for name in declared where name.hasPrefix("C") && targets[name]?.type == "regular" {
            shimUsers[name, default: []].append(target.name)
        }
    }
    for file in files(in: directory(of: target)) {
        if file.hasSuffix(".swift") { checkSwift(file, of: target, allowed: allowed) }
        if file.hasSuffix(".c") || file.hasSuffix(".h") { checkC(file, of: target) }
    }
}
for (shim, users) in shimUsers where users.count > 1 {
    complain("Package.swift", 1, "\(shim) is imported by \(users.joined(separator: " and ")): one Swift target each")
}
exit(complaints == 0 ? 0 : 1)
