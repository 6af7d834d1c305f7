/// A decoder for the first image of a GIF file. It is written in Swift instead of using a library, because it is short
/// and Swift checks bounds.
struct GIFReader {
    private let bytes: [UInt8]
    private var at = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func byte() -> Int? {
        guard at < bytes.count else { return nil }
        at += 1
        return Int(bytes[at - 1])
    }

    private mutating func short() -> Int? {
        guard let low = byte(), let high = byte() else { return nil }
        return low | high << 8
    }

    private mutating func colors(_ count: Int) -> [UInt32]? {
        guard 3 * count <= bytes.count - at else { return nil }
        defer { at += 3 * count }
        return (0..<count).map {
            0xff00_0000 | UInt32(bytes[at + 3 * $0]) << 16 | UInt32(bytes[at + 3 * $0 + 1]) << 8
                | UInt32(bytes[at + 3 * $0 + 2])
        }
    }

    /// Reads data blocks up to the empty one that ends them, and returns their bytes; of a truncated file, those
    /// that exist.
    private mutating func blocks() -> [UInt8] {
        var result: [UInt8] = []
        while let count = byte(), count > 0 {
            let end = min(at + count, bytes.count)
            result += bytes[at..<end]
            at = end
        }
        return result
    }

    /// Returns the first image at its position on the file's canvas, whose other pixels are transparent. Nil if
    /// there is none, or if the file is damaged before it.
    static func firstImage(of bytes: [UInt8], _ width: Int, _ height: Int) -> Bitmap? {
        var reader = GIFReader(bytes)
        reader.at = 10
        guard let flags = reader.byte() else { return nil }
        reader.at += 2
        var palette: [UInt32] = []
        if flags & 0x80 != 0 {
            guard let colors = reader.colors(2 << (flags & 7)) else { return nil }
            palette = colors
        }
        var clear: Int?
        while let kind = reader.byte() {
            switch kind {
            case 0x21:
                guard let label = reader.byte() else { return nil }
                let data = reader.blocks()
                if label == 0xf9, data.count >= 4 { clear = data[0] & 1 != 0 ? Int(data[3]) : nil }
            case 0x2c: return reader.image(palette, clear, width, height)
            default: return nil
            }
        }
        return nil
    }

    private mutating func image(_ shared: [UInt32], _ clear: Int?, _ width: Int, _ height: Int) -> Bitmap? {
        guard let left = short(), let top = short(), let columns = short(), let rows = short(), let flags = byte()
        else {
            return nil
        }
        var palette = shared
        if flags & 0x80 != 0 {
            guard let own = colors(2 << (flags & 7)) else { return nil }
            palette = own
        }
        guard let size = byte(), (1...11).contains(size), columns > 0, rows > 0 else { return nil }
        let most = min(columns * rows, 64_000_000)
        let indices = Self.expanded(blocks(), size, most)
        guard !indices.isEmpty else { return nil }
        var result = Bitmap(width: width, height: height)
        for (place, y) in Self.rows(rows, isInterlaced: flags & 0x40 != 0).enumerated() {
            guard top + y < height else { continue }
            for x in 0..<max(0, min(columns, width - left)) {
                let index = place * columns + x
                guard index < indices.count else { return result }
                let color = Int(indices[index])
                guard color != clear, color < palette.count else { continue }
                result.pixels[(top + y) * width + left + x] = palette[color]
            }
        }
        return result
    }

    /// Returns the row numbers of an image in the order in which the rows are stored.
    private static func rows(_ count: Int, isInterlaced: Bool) -> [Int] {
        guard isInterlaced else { return Array(0..<count) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: count, by: $0.1)) }
    }

    /// Expands LZW codes to at most `most` bytes; stops at an invalid code.
    private static func expanded(_ data: [UInt8], _ size: Int, _ most: Int) -> [UInt8] {
        let (clear, end) = (1 << size, 1 << size + 1)
        // For each code, the code whose bytes come first in its expansion (-1 for none), and the byte that follows
        // them.
        var prefix = [Int](repeating: -1, count: 4096)
        var last = [UInt8](repeating: 0, count: 4096)
        for code in 0..<clear { last[code] = UInt8(truncatingIfNeeded: code) }
        var result: [UInt8] = []
        result.reserveCapacity(min(most, 1 << 20))
        var (next, bits, previous) = (end + 1, size + 1, -1)
        var (buffer, count) = (0, 0)
        var run: [UInt8] = []
        for byte in data {
            buffer |= Int(byte) << count
            count += 8
            while count >= bits {
                let code = buffer & (1 << bits - 1)
                buffer >>= bits
                count -= bits
                if code == end { return result }
                if code == clear {
                    (next, bits, previous) = (end + 1, size + 1, -1)
                    continue
                }
                guard code < next || code == next && previous >= 0 else { return result }
                run.removeAll(keepingCapacity: true)
                var at = code < next ? code : previous
                while at >= 0 {
                    run.append(last[at])
                    at = prefix[at]
                }
                guard let first = run.last else { return result }
                result += run.reversed()
                if code == next { result.append(first) }
                if previous >= 0, next < 4096 {
                    (prefix[next], last[next]) = (previous, first)
                    next += 1
                    if next == 1 << bits, bits < 12 { bits += 1 }
                }
                previous = code
                if result.count >= most { return Array(result.prefix(most)) }
            }
        }
        return result
    }
}
