import Inkstone

extension FontDescriptor {
    /// Creates a font from a fontconfig pattern; the family is “monospace” if the pattern names none. A `size`
    /// property (or `-SIZE` after the family) is in points, `pixelsize` in pixels at scale 1; the default is 13
    /// pixels. Nil if the size cannot be shown, or fontconfig cannot parse the pattern.
    init?(pattern: String, scale: Double) {
        var size = 13.0
        var parts = pattern.split(separator: ":", omittingEmptySubsequences: false)
        if let dash = parts[0].lastIndex(of: "-"), let points = Double(parts[0][parts[0].index(after: dash)...]) {
            size = points * 96 / 72
            parts[0] = parts[0][..<dash]
        }
        if parts[0].isEmpty { parts[0] = "monospace" }
        var rest: [Substring] = []
        for part in parts {
            if part.hasPrefix("pixelsize=") {
                size = Double(part.dropFirst(10)) ?? 0
            } else if part.hasPrefix("size=") {
                size = (Double(part.dropFirst(5)) ?? 0) * 96 / 72
            } else {
                rest.append(part)
            }
        }
        guard (1...500).contains(size) else { return nil }
        self.init(pattern: rest.joined(separator: ":"), size: (size * scale).rounded())
    }

    /// Returns the message that the font's family is not installed; it names the family that is used instead,
    /// `standIn`, if there is one.
    func missingFamily(standIn: String?) -> String {
        Words.fontIsMissing(String(family.prefix { $0 != ":" }), standIn: standIn)
    }
}
