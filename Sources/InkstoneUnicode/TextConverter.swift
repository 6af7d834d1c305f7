import CUnicode
import InkstoneBase

/// Converts between an encoding and Unicode, piece by piece. Not `Sendable`: one thread at a time.
///
/// Source: ICU `ucnv_*`. A byte order mark is text like any other here; whoever reads a file takes it off first.
public final class TextConverter {
    /// Something that could not be converted.
    public enum Failure: Error, Hashable, Sendable {
        /// A scalar that the encoding has no code for, and its place in scalars from the start of what was given.
        case inexpressible(UInt32, at: Int)
        /// ICU gave up.
        case failed
    }

    private let handle: OpaquePointer

    /// A converter for an encoding's name; nil if ICU knows none of that name.
    init?(name: String) {
        guard let handle = cunicode_converter_create(name) else { return nil }
        self.handle = handle
    }

    /// A converter for an encoding. Traps if ICU's data went away.
    public convenience init(_ encoding: TextEncoding) {
        self.init(name: encoding.icuName)!
    }

    deinit { cunicode_converter_destroy(handle) }

    var icuName: String { String(cString: cunicode_converter_name(handle)) }

    /// Decodes the next piece of a text; characters may be cut at its end unless it is the last.
    ///
    /// Gives text in UTF-16 to `text`, and what is not valid in the encoding, in its place, to `invalid`, as the bytes
    /// that stand there. O(n).
    public func decode(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, text: (UnsafeBufferPointer<UInt16>) -> Void,
        invalid: ([UInt8]) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 8192) { buffer in
            guard let start = buffer.baseAddress else { return }
            // ICU wants a pointer even to nothing.
            var nothing: UInt8 = 0
            withUnsafePointer(to: &nothing) { nothing in
                let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
                var source: UnsafePointer<UInt8>? = base
                let end = base + bytes.count
                // The last bytes seen, for what began in an earlier piece.
                while true {
                    var target: UnsafeMutablePointer<UInt16>? = start
                    var invalidLength: Int32 = 0
                    let outcome = cunicode_converter_decode(
                        handle, &source, end, &target, start + buffer.count, isLast ? 1 : 0, &invalidLength)
                    if let target, target > start { text(UnsafeBufferPointer(start: start, count: target - start)) }
                    switch Int(outcome) {
                    case CUNICODE_CONVERT_FULL: continue
                    case CUNICODE_CONVERT_INVALID:
                        guard let at = source else { return }
                        let length = Int(invalidLength)
                        let inPiece = min(length, at - base)
                        // Bytes of an earlier piece are in the history.
                        let before = history.suffix(length - inPiece)
                        invalid(Array(before) + Array(UnsafeBufferPointer(start: at - inPiece, count: inPiece)))
                        if at == end, !isLast { return remember(bytes) }
                        if at == end, isLast, length == 0 { return }
                    default:
                        return remember(bytes)
                    }
                }
            }
        }
    }

    // The end of the pieces so far, as long as ICU's longest character.
    private var history: [UInt8] = []

    private func remember(_ bytes: UnsafeRawBufferPointer) {
        history.append(contentsOf: bytes.suffix(32))
        if history.count > 32 { history.removeFirst(history.count - 32) }
    }

    /// Encodes the next piece of a text; a pair may be cut at its end unless it is the last. O(n).
    ///
    /// Throws at the first scalar that the encoding cannot express.
    public func encode(
        _ units: UnsafeBufferPointer<UInt16>, isLast: Bool, bytes: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        var failure: Failure?
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16384) { buffer in
            guard let start = buffer.baseAddress else { return }
            var nothing: UInt16 = 0
            withUnsafePointer(to: &nothing) { nothing in
                let base = units.baseAddress ?? nothing
                var source: UnsafePointer<UInt16>? = base
                let end = base + units.count
                while true {
                    var target: UnsafeMutablePointer<UInt8>? = start
                    var invalid: Int32 = 0
                    let outcome = cunicode_converter_encode(
                        handle, &source, end, &target, start + buffer.count, isLast ? 1 : 0, &invalid)
                    if let target, target > start { bytes(UnsafeRawBufferPointer(start: start, count: target - start)) }
                    if Int(outcome) == CUNICODE_CONVERT_FULL { continue }
                    if Int(outcome) == CUNICODE_CONVERT_INVALID, let at = source {
                        let first = max(base, at - Int(invalid))
                        let culprit = String(
                            decoding: UnsafeBufferPointer(start: first, count: at - first), as: UTF16.self)
                        let before = String(
                            decoding: UnsafeBufferPointer(start: base, count: first - base), as: UTF16.self)
                        failure = .inexpressible(
                            culprit.unicodeScalars.first?.value ?? 0xfffd, at: before.unicodeScalars.count)
                    } else if Int(outcome) != CUNICODE_CONVERT_DONE {
                        failure = .failed
                    }
                    return
                }
            }
        }
        if let failure {
            cunicode_converter_reset(handle)
            throw failure
        }
    }

    /// Forgets what went before, as if new.
    public func reset() {
        cunicode_converter_reset(handle)
        history = []
    }
}
