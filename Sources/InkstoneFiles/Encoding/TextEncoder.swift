import InkstoneText
import InkstoneUnicode

/// An encoder of UTF-8 text, piece by piece. It restores the bytes that ``TextDecoder`` kept.
struct TextEncoder {
    /// The reason why text cannot be encoded.
    enum Failure: Error {
        /// The encoding has no code for a scalar. `at` is the scalar's offset in bytes of the input.
        case inexpressible(UInt32, at: Int)
        /// The input has invalid bytes at an offset, and the encoding cannot contain single bytes.
        case invalid(at: Int)
        /// ICU failed with another error.
        case failed
    }

    private let converter: TextConverter
    private let codeUnit: CodeUnit?
    private let takesBytes: Bool
    /// The bytes at the end of a piece that may begin an encoded surrogate.
    private var pending: [UInt8] = []
    private var units: [UInt16] = []

    init(_ encoding: TextEncoding) {
        converter = TextConverter(encoding)
        codeUnit = encoding.codeUnit
        takesBytes = codeUnit == nil && converter.minimumWidth == 1
    }

    /// Encodes the next piece of the text and appends the bytes to `output`. The piece must end between characters.
    /// O(n).
    mutating func encode(_ text: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(Failure) {
        guard let base = text.baseAddress else { return }
        let p = base.assumingMemoryBound(to: UInt8.self)
        var i = 0
        while i < text.count {
            var end = i
            units.removeAll(keepingCapacity: true)
            while end < text.count {
                let part = UTF8Scan.part(p, end, text.count)
                guard part.isValid else { break }
                let scalar = UTF8Scan.scalar(p, end, part)
                if scalar > 0xffff {
                    units.append(UInt16(0xd7c0 + scalar >> 10))
                    units.append(UInt16(0xdc00 | scalar & 0x3ff))
                } else {
                    units.append(UInt16(scalar))
                }
                end += part.length
            }
            if end > i {
                if !pending.isEmpty { throw .invalid(at: i) }
                try convert(from: i, isLast: false, into: &output)
            }
            i = end
            while i < text.count {
                let part = UTF8Scan.part(p, i, text.count)
                if part.isValid { break }
                try put(UnsafeRawBufferPointer(start: p + i, count: part.length), from: i, into: &output)
                i += part.length
            }
        }
    }

    /// Appends the bytes that the encoding requires at the end of a text.
    mutating func finish(into output: inout [UInt8]) throws(Failure) {
        guard pending.isEmpty else { throw .invalid(at: 0) }
        units.removeAll(keepingCapacity: true)
        try convert(from: 0, isLast: true, into: &output)
    }

    /// Converts ``units``, which start at byte `start` of the input.
    private func convert(from start: Int, isLast: Bool, into output: inout [UInt8]) throws(Failure) {
        do throws(TextConverter.Failure) {
            try units.withUnsafeBufferPointer { units throws(TextConverter.Failure) in
                try converter.encode(units, isLast: isLast) { output.append(contentsOf: $0) }
            }
        } catch .inexpressible(let scalar, let at) {
            let before = String(decoding: units, as: UTF16.self).unicodeScalars.prefix(at)
            throw .inexpressible(scalar, at: start + before.reduce(0) { $0 + UTF8.width($1) })
        } catch {
            throw .failed
        }
    }

    /// Appends an invalid sequence of the text to the output.
    private mutating func put(
        _ part: UnsafeRawBufferPointer, from start: Int, into output: inout [UInt8]
    ) throws(Failure) {
        if takesBytes {
            // Encode first the units that ICU holds back for an unfinished character.
            units.removeAll(keepingCapacity: true)
            try convert(from: start, isLast: true, into: &output)
            output += part
            return
        }
        pending += part
        guard let codeUnit, pending[0] == 0xed, pending.count < 2 || 0xa0...0xbf ~= pending[1],
            pending.count < 3 || pending.count == 3 && 0x80...0xbf ~= pending[2]
        else { throw .invalid(at: start) }
        guard pending.count == 3 else { return }
        output += codeUnit.bytes(of: 0xd000 | UInt32(pending[1] & 0x3f) << 6 | UInt32(pending[2] & 0x3f))
        pending = []
    }
}
