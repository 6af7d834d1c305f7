import CUnicode
import InkstoneBase

/// A converter between an encoding and Unicode, for text that arrives in pieces. Not `Sendable`: one thread at a
/// time.
///
/// Source: ICU `ucnv_*`. A byte order mark counts as text; the reader of a file removes it first.
package final class TextConverter {
    package enum Failure: Error, Hashable, Sendable {
        /// The encoding has no code for a scalar; a lone surrogate is reported as U+FFFD. `at` is the scalar's
        /// offset in scalars from the start of the piece of text that was passed.
        case inexpressible(UInt32, at: Int)
        /// ICU stopped with an error of another kind.
        case failed
    }

    private let handle: OpaquePointer
    /// The name and the codes of an encoding that ICU lacks or decodes differently; nil for ICU's own encodings.
    private let codes: (name: String, codes: SingleByteCodes)?
    /// The buffer to which ICU writes bytes or UTF-16 units; they are passed on when it is full.
    private let output: UnsafeMutableRawBufferPointer
    /// The buffer for the bytes or units that ICU reports as not convertible.
    private let rejected: UnsafeMutableRawBufferPointer
    /// A high surrogate that is kept back until the unit after it is known: the last unit of a piece of decoded
    /// text or, when encoding with a ``SingleByteTable``, the last unit of a piece of the input.
    private var heldSurrogate: UInt16?

    /// Creates a converter with the name of a ``SingleByteTable`` or of an ICU converter; nil if neither exists.
    ///
    /// Decoded text is passed on in pieces of at most `pieceLength` UTF-16 units, and encoded text in pieces of at
    /// most twice as many bytes. A `pieceLength` below 2 counts as 2.
    init?(name: String, pieceLength: Int = 8192) {
        let table = SingleByteTable.named[name]
        guard let handle = cunicode_converter_create(table?.base ?? name) else { return nil }
        self.handle = handle
        output = .allocate(byteCount: 2 * max(2, pieceLength), alignment: 2)
        rejected = .allocate(byteCount: 2 * Int(CUNICODE_CONVERT_INVALID_MAX), alignment: 2)
        codes = table.map { table in
            let base = TextConverter(name: table.base)
            let codes = SingleByteCodes(table) { byte in
                var unit: UInt16?
                withUnsafeBytes(of: byte) { base?.decode($0, isLast: true, text: { unit = $0[0] }, invalid: { _ in }) }
                return unit
            }
            return (name, codes)
        }
    }

    /// Creates a converter for an encoding. Traps if ICU's data is no longer installed.
    package convenience init(_ encoding: TextEncoding) {
        self.init(name: encoding.icuName)!
    }

    deinit {
        cunicode_converter_destroy(handle)
        output.deallocate()
        rejected.deallocate()
    }

    var icuName: String { codes?.name ?? String(cString: cunicode_converter_name(handle)) }

    /// The least number of bytes that one UTF-16 unit can take: 1, but 2 or 4 in encodings that encode nothing in a
    /// single byte, such as UTF-16 and UTF-32.
    package var minimumWidth: Int { Int(cunicode_converter_minimum_width(handle)) }

    /// The greatest number of bytes that one UTF-16 unit can take. If it is 1, the meaning of a byte does not
    /// depend on the bytes before it.
    package var maximumWidth: Int { Int(cunicode_converter_maximum_width(handle)) }

    /// Decodes the next piece of a text. A character may be cut at the end of each piece but the last.
    ///
    /// Passes decoded text in UTF-16 to `text`. Passes bytes that are not valid in the encoding to `invalid`; the
    /// calls of both are in the order of the input. Both buffers are valid during the call only. A surrogate pair
    /// is never divided between two calls of `text`. Some encodings can contain a lone surrogate, which is passed
    /// unchanged. O(n).
    package func decode(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, text: (UnsafeBufferPointer<UInt16>) -> Void,
        invalid: (UnsafeRawBufferPointer) -> Void
    ) {
        if let codes { return decode(bytes, by: codes.codes, text: text, invalid: invalid) }
        let units = output.bindMemory(to: UInt16.self)
        let wrong = rejected.bindMemory(to: UInt8.self)
        guard let start = units.baseAddress else { return }
        // ICU needs a pointer that is not null even if there are no bytes.
        var nothing: UInt8 = 0
        withUnsafePointer(to: &nothing) { nothing in
            var source: UnsafePointer<UInt8>? = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
            let end = (source ?? nothing) + bytes.count
            while true {
                let sourceBefore = source
                var target: UnsafeMutablePointer<UInt16>? = start
                if let heldSurrogate {
                    start.pointee = heldSurrogate
                    target = start + 1
                    self.heldSurrogate = nil
                }
                var wrongCount: Int32 = 0
                let outcome = Int(
                    cunicode_converter_decode(
                        handle, &source, end, &target, start + units.count, isLast ? 1 : 0, wrong.baseAddress,
                        &wrongCount))
                var count = (target ?? start) - start
                // Hold back a high surrogate at the end of a piece until the next piece, unless this piece is the last
                // or invalid bytes follow.
                let goesOn = outcome == CUNICODE_CONVERT_FULL || outcome == CUNICODE_CONVERT_DONE && !isLast
                if count > 0, goesOn, start[count - 1] & 0xfc00 == 0xd800 {
                    count -= 1
                    heldSurrogate = start[count]
                }
                if count > 0 { text(UnsafeBufferPointer(start: start, count: count)) }
                if outcome == CUNICODE_CONVERT_FULL { continue }
                guard outcome == CUNICODE_CONVERT_INVALID, wrongCount > 0 || count > 0 || source != sourceBefore else {
                    // If ICU stopped with an error, report the remaining bytes as invalid, so that they are not
                    // lost.
                    if let source, source < end { invalid(UnsafeRawBufferPointer(start: source, count: end - source)) }
                    return
                }
                invalid(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(rejected)[..<Int(wrongCount)]))
            }
        }
    }

    /// Encodes the next piece of a text. A surrogate pair may be cut at the end of each piece but the last. O(n).
    ///
    /// Throws at the first scalar that the encoding cannot express, or if ICU fails. The converter is then reset.
    package func encode(
        _ units: UnsafeBufferPointer<UInt16>, isLast: Bool, bytes: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        if let codes { return try encode(units, isLast: isLast, by: codes.codes, bytes: bytes) }
        var failure: Failure?
        let wrong = rejected.bindMemory(to: UInt16.self)
        guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
        var nothing: UInt16 = 0
        withUnsafePointer(to: &nothing) { nothing in
            let base = units.baseAddress ?? nothing
            var source: UnsafePointer<UInt16>? = base
            let end = base + units.count
            while true {
                var target: UnsafeMutablePointer<UInt8>? = start
                var wrongCount: Int32 = 0
                let outcome = Int(
                    cunicode_converter_encode(
                        handle, &source, end, &target, start + output.count, isLast ? 1 : 0, wrong.baseAddress,
                        &wrongCount))
                if let target, target > start {
                    bytes(UnsafeRawBufferPointer(start: start, count: target - start))
                }
                if outcome == CUNICODE_CONVERT_FULL { continue }
                if outcome == CUNICODE_CONVERT_INVALID, let source {
                    let culprit = String(decoding: wrong[..<Int(wrongCount)], as: UTF16.self)
                    let taken = max(0, source - base - Int(wrongCount))
                    let before = String(decoding: UnsafeBufferPointer(start: base, count: taken), as: UTF16.self)
                    failure = .inexpressible(
                        culprit.unicodeScalars.first?.value ?? 0xfffd, at: before.unicodeScalars.count)
                } else if outcome != CUNICODE_CONVERT_DONE {
                    failure = .failed
                }
                return
            }
        }
        if let failure {
            reset()
            throw failure
        }
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, by codes: SingleByteCodes, text: (UnsafeBufferPointer<UInt16>) -> Void,
        invalid: (UnsafeRawBufferPointer) -> Void
    ) {
        let units = output.bindMemory(to: UInt16.self)
        var count = 0
        func flush() {
            if count > 0 { text(UnsafeBufferPointer(rebasing: units[..<count])) }
            count = 0
        }
        for (index, byte) in bytes.enumerated() {
            guard let unit = codes.units[Int(byte)] else {
                flush()
                invalid(UnsafeRawBufferPointer(rebasing: bytes[index...index]))
                continue
            }
            units[count] = unit
            count += 1
            if count == units.count { flush() }
        }
        flush()
    }

    private func encode(
        _ units: UnsafeBufferPointer<UInt16>, isLast: Bool, by codes: SingleByteCodes,
        bytes: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        var count = 0
        func flush() {
            if count > 0 { bytes(UnsafeRawBufferPointer(rebasing: output[..<count])) }
            count = 0
        }
        for index in units.indices {
            if heldSurrogate == nil, let byte = codes.byte(of: units[index]) {
                output[count] = byte
                count += 1
                if count == output.count { flush() }
                continue
            }
            if heldSurrogate == nil, units[index] & 0xfc00 == 0xd800, index + 1 == units.count, !isLast {
                heldSurrogate = units[index]
                break
            }
            flush()
            let culprit = (heldSurrogate.map { [$0] } ?? []) + units[index...].prefix(2)
            let before = String(decoding: units[..<index], as: UTF16.self).unicodeScalars.count
            reset()
            throw .inexpressible(
                String(decoding: culprit, as: UTF16.self).unicodeScalars.first?.value ?? 0xfffd, at: before)
        }
        flush()
    }

    /// Resets the converter to its initial state.
    package func reset() {
        cunicode_converter_reset(handle)
        heldSurrogate = nil
    }
}
