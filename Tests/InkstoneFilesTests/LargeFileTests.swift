import Glibc
import InkstoneBase
import InkstoneText
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// A file of 1 GB: only in the long tier.
@Suite(.enabled(if: isLongTier && RoleProcess.role == nil), .timeLimit(.minutes(30))) struct LargeFileTests {
    let scratch = Scratch()

    @Test func aGigabyteIsEditedInTheMiddleAndSavedWithoutTouchingTheRest() throws {
        let path = scratch.file("large")
        var random = SeededGenerator(seed: 11)
        let block = randomBytes(&random, about: 1_000_003)
        let writer = open(path, O_WRONLY | O_CREAT, 0o644)
        for _ in 0..<1024 {
            let n = block.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
            try #require(n == block.count)
        }
        close(writer)
        let size = 1024 * block.count
        let file = try TextFile.read(path)
        #expect(file.text.metrics.bytes == size)
        let middle = file.text.roundedDown(toScalar: ByteOffset(size / 2 + 12345))
        let store = TextStore(file.text)
        let changes = store.replace(middle..<(middle + 5), with: "[edited]").changes
        let edit = try #require(changes.changeMap.first)
        try TextFile.write(store.text, to: path, format: file.format, expecting: file.identity)

        // Byte by byte, outside of the edit.
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        var at = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let low = edit.newStart.bytes
        let high = edit.newEnd.bytes
        let shift = edit.inserted.bytes - edit.removed.bytes
        var differences = 0
        while case let n = read(reader, &buffer, buffer.count), n > 0 {
            for i in 0..<n where at + i < low || at + i >= high {
                let old = at + i < low ? at + i : at + i - shift
                if buffer[i] != block[old % block.count] { differences += 1 }
            }
            at += n
        }
        #expect(at == size + shift && differences == 0)
        #expect(store.text.slice(ByteOffset(low)..<ByteOffset(high)) == changes.insertedText(0))
    }
}
