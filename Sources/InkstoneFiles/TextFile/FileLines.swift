import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The lines of a file, each as the bytes of the file and as decoded text.
struct FileLines: ~Copyable {
    /// A line of the file, or several lines whose bytes cannot be separated.
    struct Line {
        /// The bytes, including those of the newline.
        var bytes: [UInt8]
        /// The decoded text of the line in UTF-8, as ``TextDecoder`` produces it.
        var text: [UInt8]
    }

    private let source: FileSource
    private let format: TextFileFormat
    /// The decoder; nil for UTF-8, which needs no conversion.
    private var decoder: TextDecoder?
    /// The bytes read from the file. Those from `start` on do not belong to a returned line yet.
    private var buffer: [UInt8] = []
    /// The index of the first unused byte in `buffer`.
    private var start = 0
    private var isAtStart = true
    /// Whether the last line was returned.
    private(set) var isAtEnd = false

    /// Creates the sequence of the lines of a file in a format, without its byte order mark.
    init(_ path: FilePath, _ format: TextFileFormat) throws(TextFileError) {
        source = try FileSource(path: path)
        self.format = format
        decoder = format.encoding == .utf8 ? nil : TextDecoder(format.encoding)
    }

    /// The identity of the file when it was opened.
    var identity: FileIdentity { source.identity }

    /// Returns the next line; nil at the end. The last line may have text without bytes, which the decoder adds at
    /// the end. O(n).
    mutating func next() throws(TextFileError) -> Line? {
        guard !isAtEnd else { return nil }
        var line = Line(bytes: [], text: [])
        let width = format.encoding.codeUnit?.width ?? 1
        let isBigEndian = format.encoding.codeUnit?.isBigEndian ?? true
        var searched = start
        while true {
            if let newline = buffer[searched...].firstIndex(of: 0x0a) {
                // The newline's byte is the last of its code unit in a big-endian encoding, otherwise the first.
                let end = isBigEndian ? newline + 1 : newline + width
                if end <= buffer.count {
                    take(upTo: end, isLast: false, into: &line)
                    searched = start
                    if line.text.last == 0x0a { return line }
                    continue
                }
                searched = newline
            } else {
                searched = buffer.count
            }
            guard let more = try source.next(1 << 20) else {
                isAtEnd = true
                take(upTo: buffer.count, isLast: true, into: &line)
                return line
            }
            buffer.removeFirst(start)
            searched -= start
            start = 0
            let mark = isAtStart && format.hasByteOrderMark ? format.encoding.byteOrderMark.count : 0
            buffer += more.dropFirst(mark)
            isAtStart = false
        }
    }

    private mutating func take(upTo end: Int, isLast: Bool, into line: inout Line) {
        let taken = start..<end
        buffer.withUnsafeBytes {
            decoder?.decode(UnsafeRawBufferPointer(rebasing: $0[taken]), isLast: isLast, into: &line.text)
        }
        if decoder == nil { line.text += buffer[taken] }
        line.bytes += buffer[taken]
        start = end
    }
}
