import CUnicode

/// The scalars by which a scalar is compared if neither case nor composition matters: its canonical decomposition,
/// fully case-folded (Unicode D145, canonical caseless matching). ß folds to two s, é to an e with a combining
/// acute.
package struct CanonicalFolding: Sendable {
    /// The scalars of the folding, in order; only the first ``count`` are used. No scalar folds to more than four.
    package private(set) var scalars: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    /// Number of scalars of the folding, never 0.
    package private(set) var count = 1
    /// Whether the first scalar of the folding is a starter (combining class 0): sorting into canonical order moves no
    /// scalar across it.
    package private(set) var isStarter = true

    /// Creates the folding of a scalar. A number that is no scalar folds to itself.
    package init(_ scalar: UInt32) {
        scalars.0 = scalar
        if scalar < 0x80 {
            if scalar &- 0x41 < 26 { scalars.0 |= 0x20 }
            return
        }
        // Stop here for ideographs, which have neither case nor a decomposition, and for numbers beyond Unicode:
        // they fold to themselves.
        if (0x3400...0x4dbf).contains(scalar) || (0x4e00...0x9fff).contains(scalar) || scalar > 0x10ffff { return }
        count = Int(
            withUnsafeMutableBytes(of: &scalars) {
                cunicode_fold_canonically(scalar, $0.assumingMemoryBound(to: UInt32.self).baseAddress, 4)
            })
        isStarter = UnicodeData.combiningClass(scalars.0) == 0
    }

    /// Returns the scalar of the folding at an index.
    package subscript(index: Int) -> UInt32 {
        switch index {
        case 0: scalars.0
        case 1: scalars.1
        case 2: scalars.2
        default: scalars.3
        }
    }
}

extension UnicodeData {
    /// Returns the canonical combining class of a scalar: 0 for a starter.
    package static func combiningClass(_ scalar: UInt32) -> UInt8 {
        scalar < 0x300 ? 0 : cunicode_combining_class(scalar)
    }
}
