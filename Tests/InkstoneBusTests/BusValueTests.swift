import InkstoneBus
import InkstoneTesting
import Testing

/// Types, names and values without a bus.
@Suite(.timeLimit(.minutes(5))) struct BusValueTests {
    @Test(arguments: ["y", "as", "a{sv}", "(iiii)", "a(uv)", "aaax", "a{s(ta{gv})}", "(y(b(n)))"])
    func aSignatureIsReadAndWritten(_ signature: String) {
        #expect(BusType(signature)?.signature == signature)
    }

    @Test(arguments: [
        "", "ss", "a", "(", ")", "()", "a{vs}", "a{s}", "a{sss}", "{ss}", "a{(s)s}", "h", "ah", "z", "(s", "a{ss", "é",
    ])
    func aMalformedSignatureIsNoType(_ signature: String) {
        #expect(BusType(signature) == nil)
    }

    @Test func typesNestUpToTheLimit() {
        let deepest = String(repeating: "a", count: BusType.maximumDepth)
        #expect(BusType(deepest + "s") != nil)
        #expect(BusType(deepest + "as") == nil)
        #expect(BusType(String(repeating: "(", count: 200) + "s" + String(repeating: ")", count: 200)) == nil)
        #expect(BusType.types(of: String(repeating: "s", count: 255))?.count == 255)
        #expect(BusType.types(of: String(repeating: "s", count: 256)) == nil)
    }

    @Test func namesFollowTheirGrammar() {
        for path in ["/", "/a", "/a_1/B"] { #expect(BusName.isPath(path), "\(path)") }
        for path in ["", "a", "/a/", "//", "/a-b", "/é", "/" + String(repeating: "x", count: 1024)] {
            #expect(!BusName.isPath(path), "\(path)")
        }
        for name in ["a.b", "org.inkstone.Test1", "_._"] { #expect(BusName.isInterface(name), "\(name)") }
        for name in ["", "a", ".a", "a..b", "a.1b", "a.b-c", "a." + String(repeating: "x", count: 254)] {
            #expect(!BusName.isInterface(name), "\(name)")
        }
        for name in [":1.42", "org.inkstone.TextProxy.p1", "a.b-c"] { #expect(BusName.isConnection(name), "\(name)") }
        for name in ["", ":", ":1", "1.2", "a"] { #expect(!BusName.isConnection(name), "\(name)") }
        #expect(BusName.isMember("Get"))
        for name in ["", "1a", "a.b"] { #expect(!BusName.isMember(name), "\(name)") }
    }

    @Test func valuesThatNoMessageCanHoldAreRefused() {
        func failure(_ value: BusValue, limit: Int = 1 << 20) -> BusFailure? {
            Result { () throws(BusFailure) in try [value].weight(limit: limit) }.failure
        }
        for scalar in [0, 0xFFFE, 0xFDD0, 0x10FFFF].compactMap(Unicode.Scalar.init) as [Unicode.Scalar] {
            #expect(failure(.string("a\(scalar)b")) == .invalid("a character in a text that D-Bus does not carry"))
            #expect(BusValue.text("a\(scalar)b") == .string("a\u{FFFD}b"))
        }
        #expect(BusValue.text("e\u{301}") == .string("e\u{301}"))
        #expect(failure(.objectPath("a")) == .invalid("malformed object path"))
        #expect(failure(.signature("a")) == .invalid("malformed signature"))
        #expect(failure(.structure([])) == .invalid("structure with other fields"))
        #expect(failure(.array(.string, [.byte(1)])) == .invalid("value of another type"))
        #expect(
            failure(.array(.array(.byte), [.array(.string, [])])) == .invalid("array of another type"))
        #expect(failure(.dictionary(.variant, .byte, [])) == .invalid("dictionary with such keys"))
        #expect(failure(.string("12345"), limit: 20) == .tooLarge)
        #expect(failure(.string("1234"), limit: 20) == nil)
        #expect(failure(nested(BusType.maximumDepth)) == nil)
        #expect(failure(nested(BusType.maximumDepth + 1)) == .invalid("values too deep"))
        #expect(failure(.variant(.structure(Array(repeating: .byte(0), count: 254)))) == .invalid("too many types"))
    }

    @Test func optionsAreFoundByTheirNames() {
        #expect(BusValue.options(["a": .byte(1), "b": .string("x")]).options == ["a": .byte(1), "b": .string("x")])
        #expect(BusValue.string("a").options == nil)
    }
}

/// Variants within each other.
func nested(_ depth: Int) -> BusValue { depth == 0 ? .byte(7) : .variant(nested(depth - 1)) }

/// Random values of every type.
struct RandomValues {
    var generator: SeededGenerator

    mutating func type(_ depth: Int, isKey: Bool = false) -> BusType {
        let basic: [BusType] = [
            .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature,
        ]
        guard !isKey, depth > 0, generator.below(3) > 0 else { return basic[generator.below(basic.count)] }
        switch generator.below(4) {
        case 0: return .array(type(depth - 1))
        case 1: return .structure((0...generator.below(3)).map { _ in type(depth - 1) })
        case 2: return .dictionary(type(0, isKey: true), type(depth - 1))
        default: return .variant
        }
    }

    mutating func value(_ type: BusType, _ depth: Int) -> BusValue {
        switch type {
        case .byte: return .byte(UInt8(truncatingIfNeeded: generator.next()))
        case .boolean: return .boolean(generator.once(in: 2))
        case .int16: return .int16(Int16(truncatingIfNeeded: generator.next()))
        case .uint16: return .uint16(UInt16(truncatingIfNeeded: generator.next()))
        case .int32: return .int32(Int32(truncatingIfNeeded: generator.next()))
        case .uint32: return .uint32(UInt32(truncatingIfNeeded: generator.next()))
        case .int64: return .int64(Int64(truncatingIfNeeded: generator.next()))
        case .uint64: return .uint64(generator.next())
        case .double:
            return .double([0, -0.0, 1.5, .infinity, -.infinity, .leastNonzeroMagnitude][generator.below(6)])
        case .string:
            let texts = ["", "a", "äöü", "👩‍👩‍👧", "\u{10FFFD}\n", String(repeating: "long ", count: 20)]
            return .string(texts[generator.below(texts.count)])
        case .objectPath: return .objectPath(["/", "/a", "/a/b_1"][generator.below(3)])
        case .signature: return .signature(["", "s", "a{sv}(ii)"][generator.below(3)])
        case .variant: return .variant(value(self.type(depth - 1), depth - 1))
        case .array(.byte): return .bytes((0..<generator.below(9)).map { UInt8($0) })
        case .array(let element):
            return .array(element, (0..<generator.below(4)).map { _ in value(element, depth - 1) })
        case .structure(let types): return .structure(types.map { value($0, depth - 1) })
        case .dictionary(let key, let value):
            return .dictionary(
                key, value,
                (0..<generator.below(4)).map { _ in BusEntry(self.value(key, 0), self.value(value, depth - 1)) })
        }
    }
}
