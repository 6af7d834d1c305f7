import Glibc

/// A text that equals another one only if both have the same scalars. `String` compares by canonical equivalence:
/// it finds "é" in one scalar equal to "é" in two, and a compatibility ideograph equal to the unified one.
package struct ScalarText: Hashable, Sendable {
    package var string: String

    package init(_ string: String) { self.string = string }

    package static func == (a: Self, b: Self) -> Bool { a.string.hasSameScalars(as: b.string) }
}

extension String {
    /// Whether two texts have the same scalars. `==` is also true for "é" in one and in two scalars, whose offsets
    /// differ. O(n).
    package func hasSameScalars(as other: String) -> Bool {
        // Compare contiguous bytes at once, which is much faster than byte by byte.
        let result = utf8.withContiguousStorageIfAvailable { a in
            other.utf8.withContiguousStorageIfAvailable { b in
                guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
                    return a.isEmpty && b.isEmpty
                }
                return memcmp(first, second, a.count) == 0
            }
        }
        return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// Whether both texts are nil, or both have the same scalars.
    package func hasSameScalars(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let a?, let b?): a.hasSameScalars(as: b)
        default: false
        }
    }
}

extension Dictionary where Key == ScalarText {
    /// The value whose key has exactly the scalars of `string`; nil for none.
    package subscript(_ string: String) -> Value? {
        get { self[ScalarText(string)] }
        set { self[ScalarText(string)] = newValue }
    }
}
