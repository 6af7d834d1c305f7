import InkstoneBase

// The encoding of attribute runs. Numbers are LEB128: seven bits a byte, the lowest first.
//
//     runs        count of containers, containers, count of runs, runs
//     container   count of values; for each the key's name and the value's bytes, each after its length
//     run         length in UTF-16 units, ordinal of the container from 1, or 0 for no attributes
extension AttributeRuns {
    /// The runs encoded as bytes. Keys without an encoding are left out. O(n).
    package var coded: [UInt8] {
        var containers: [UInt8] = []
        var ordinals: [AttributeID: Int] = [.none: 0]
        var count = 0
        var runs: [UInt8] = []
        var runCount = 0
        forEachID(in: 0..<length) { id, range in
            if ordinals[id] == nil {
                let values = id.attributes.items.compactMap { item in
                    item.key.coding?.encode(item.value).map { (item.key.name, $0) }
                }
                if values.isEmpty {
                    ordinals[id] = 0
                } else {
                    count += 1
                    ordinals[id] = count
                    containers.put(values.count)
                    for (name, bytes) in values {
                        containers.put(Array(name.utf8))
                        containers.put(bytes)
                    }
                }
            }
            runs.put(range.count)
            runs.put(ordinals[id] ?? 0)
            runCount += 1
            return true
        }
        var result: [UInt8] = []
        result.put(count)
        result += containers
        result.put(runCount)
        return result + runs
    }

    /// Creates runs by decoding the form of ``coded`` at the start of `bytes`, and removes the decoded bytes; nil for
    /// other bytes. Values of unknown keys are left out: see ``AttributeKeys/register(_:)``.
    ///
    /// Decoding creates no more runs, sets of attributes and values than there are bytes, and they are released
    /// together with the text.
    package init?(coded bytes: inout ArraySlice<UInt8>) {
        guard let count = bytes.takeNumber(), count <= bytes.count else { return nil }
        var ids: [AttributeID] = [.none]
        for _ in 0..<count {
            guard let values = bytes.takeNumber(), values <= bytes.count else { return nil }
            var attributes = TextAttributes()
            for _ in 0..<values {
                guard let name = bytes.takeBytes(), let value = bytes.takeBytes() else { return nil }
                attributes.merge(AttributeKeys.decode(Array(value), named: String(decoding: name, as: UTF8.self)))
            }
            ids.append(AttributeTable.id(of: attributes))
        }
        guard let runCount = bytes.takeNumber(), runCount <= bytes.count else { return nil }
        var runs: [(length: Int, id: AttributeID)] = []
        for _ in 0..<runCount {
            guard let length = bytes.takeNumber(), length <= AttributeRun.longest, let ordinal = bytes.takeNumber(),
                ordinal < ids.count
            else { return nil }
            runs.append((length, ids[ordinal]))
        }
        self.init(runs)
    }

    /// The runs with only those attributes that can be encoded.
    var codedOnly: AttributeRuns {
        var copy = self
        _ = copy.update(0..<length) { id in AttributeTable.id(of: id.attributes.filter { $0.coding != nil }) }
        return copy
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ number: Int) {
        var rest = UInt64(number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    fileprivate mutating func put(_ bytes: [UInt8]) {
        put(bytes.count)
        append(contentsOf: bytes)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeNumber() -> Int? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 56, by: 7) {
            guard let byte = popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(number) }
        }
        return nil
    }

    fileprivate mutating func takeBytes() -> ArraySlice<UInt8>? {
        guard let count = takeNumber(), count <= self.count else { return nil }
        defer { removeFirst(count) }
        return prefix(count)
    }
}
