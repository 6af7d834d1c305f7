/// The size and position of a window, in the usual syntax of X programs. Values are pixels; nil if they are not
/// given.
struct WindowGeometry: Hashable {
    var width: Double?
    var height: Double?
    var x: Double?
    var y: Double?

    /// Creates a geometry from `WxH`, `+X+Y` or both; nil for anything else.
    init?(_ text: String) {
        var rest = text[...]
        func number() -> Double? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let value = Double(digits), value <= 32767 else { return nil }
            rest = rest.dropFirst(digits.count)
            return value
        }
        if rest.first != "+" {
            guard let width = number(), rest.first == "x" else { return nil }
            rest = rest.dropFirst()
            guard let height = number(), width >= 1, height >= 1 else { return nil }
            self.width = width
            self.height = height
        }
        if rest.first == "+" {
            rest = rest.dropFirst()
            guard let x = number(), rest.first == "+" else { return nil }
            rest = rest.dropFirst()
            guard let y = number() else { return nil }
            self.x = x
            self.y = y
        }
        guard rest.isEmpty, !text.isEmpty else { return nil }
    }
}
