import CBus
import Glibc

/// A writer that appends values to a message of sd-bus.
struct BusWriter {
    let functions: UnsafePointer<cbus_functions>
    let message: OpaquePointer

    func append(_ value: BusValue) throws(BusFailure) {
        switch value {
        case .byte(let number): try append(number, value)
        case .boolean(let flag): try append(CInt(flag ? 1 : 0), value)
        case .int16(let number): try append(number, value)
        case .uint16(let number): try append(number, value)
        case .int32(let number): try append(number, value)
        case .uint32(let number): try append(number, value)
        case .int64(let number): try append(number, value)
        case .uint64(let number): try append(number, value)
        case .double(let number): try append(number, value)
        case .string(let text), .objectPath(let text), .signature(let text):
            try check(text.withCString { functions.pointee.sd_bus_message_append_basic(message, code(value), $0) })
        case .bytes(let bytes):
            try check(
                bytes.withUnsafeBytes {
                    functions.pointee.sd_bus_message_append_array(
                        message, CChar(UInt8(ascii: "y")), $0.baseAddress, $0.count)
                })
        case .variant(let value): try append("v", value.type.signature, [value])
        case .array(let type, let elements): try append("a", type.signature, elements)
        case .structure(let fields): try append("r", fields.signature, fields)
        case .dictionary(let key, let value, let entries):
            try open("a", "{\(key.signature)\(value.signature)}")
            for entry in entries {
                try append("e", key.signature + value.signature, [entry.key, entry.value])
            }
            try check(functions.pointee.sd_bus_message_close_container(message))
        }
    }

    private func append<Number>(_ number: Number, _ value: BusValue) throws(BusFailure) {
        try check(
            withUnsafePointer(to: number) {
                functions.pointee.sd_bus_message_append_basic(message, code(value), $0)
            })
    }

    private func append(_ container: Unicode.Scalar, _ contents: String, _ values: [BusValue]) throws(BusFailure) {
        try open(container, contents)
        for value in values { try append(value) }
        try check(functions.pointee.sd_bus_message_close_container(message))
    }

    private func open(_ container: Unicode.Scalar, _ contents: String) throws(BusFailure) {
        try check(
            functions.pointee.sd_bus_message_open_container(message, CChar(UInt8(ascii: container)), contents))
    }

    private func code(_ value: BusValue) -> CChar { CChar(value.type.code) }

    private func check(_ result: Int32) throws(BusFailure) {
        if result < 0 { throw failure(result) }
    }
}

/// A reader of the values in a message of sd-bus, which has already checked that the bytes agree with the signature.
struct BusReader {
    let functions: UnsafePointer<cbus_functions>
    let message: OpaquePointer
    private var budget: BusBudget
    private let limit: Int

    /// Creates a reader of a received message.
    ///
    /// - Parameter limit: the largest total weight of the values.
    init(_ functions: UnsafePointer<cbus_functions>, _ message: OpaquePointer, limit: Int) {
        self.functions = functions
        self.message = message
        self.limit = limit
        budget = BusBudget(limit)
    }

    /// The weight of the values read so far.
    var weight: Int { limit - budget.remaining }

    /// Reads the body of the message. Throws as soon as the values read so far weigh more than the limit.
    mutating func body() throws(BusFailure) -> [BusValue] {
        guard let signature = functions.pointee.sd_bus_message_get_signature(message, 1),
            let types = BusType.types(of: String(cString: signature))
        else { throw .invalid("types that are not taken") }
        var values: [BusValue] = []
        for type in types { values.append(try value(type, depth: 0)) }
        return values
    }

    private mutating func value(_ type: BusType, depth: Int) throws(BusFailure) -> BusValue {
        guard depth <= BusType.maximumDepth else { throw .invalid("values too deep") }
        switch type {
        case .byte: return .byte(try number(type, 0))
        case .boolean: return .boolean(try number(type, CInt(0)) != 0)
        case .int16: return .int16(try number(type, 0))
        case .uint16: return .uint16(try number(type, 0))
        case .int32: return .int32(try number(type, 0))
        case .uint32: return .uint32(try number(type, 0))
        case .int64: return .int64(try number(type, 0))
        case .uint64: return .uint64(try number(type, 0))
        case .double: return .double(try number(type, 0))
        case .string: return .string(try text(type))
        case .objectPath: return .objectPath(try text(type))
        case .signature: return .signature(try text(type))
        case .array(.byte):
            var (elements, size): (UnsafeRawPointer?, Int) = (nil, 0)
            let result = functions.pointee.sd_bus_message_read_array(
                message, CChar(UInt8(ascii: "y")), &elements, &size)
            // sd-bus cannot return an array as a whole if the message has the other byte order, not even an array
            // of bytes. Read its bytes one by one.
            guard result != -EOPNOTSUPP else { return .bytes(try bytesOneByOne()) }
            try check(result)
            try budget.take(size)
            return .bytes(Array(UnsafeRawBufferPointer(start: elements, count: elements == nil ? 0 : size)))
        case .variant:
            try budget.take()
            var contents: UnsafePointer<CChar>?
            try check(functions.pointee.sd_bus_message_peek_type(message, nil, &contents))
            guard let contents, let type = BusType(String(cString: contents)) else {
                throw .invalid("types that are not taken")
            }
            try enter("v", type.signature)
            let value = try value(type, depth: depth + 1)
            try exit()
            return .variant(value)
        case .array(let element):
            try budget.take()
            try enter("a", element.signature)
            var elements: [BusValue] = []
            while try !isAtEnd() { elements.append(try value(element, depth: depth + 1)) }
            try exit()
            return .array(element, elements)
        case .structure(let types):
            try budget.take()
            try enter("r", types.map(\.signature).joined())
            var fields: [BusValue] = []
            for type in types { fields.append(try value(type, depth: depth + 1)) }
            try exit()
            return .structure(fields)
        case .dictionary(let keyType, let valueType):
            try budget.take()
            let contents = keyType.signature + valueType.signature
            try enter("a", "{\(contents)}")
            var entries: [BusEntry] = []
            while try !isAtEnd() {
                try enter("e", contents)
                entries.append(
                    BusEntry(try value(keyType, depth: depth + 2), try value(valueType, depth: depth + 2)))
                try exit()
            }
            try exit()
            return .dictionary(keyType, valueType, entries)
        }
    }

    private mutating func number<Number>(_ type: BusType, _ zero: Number) throws(BusFailure) -> Number {
        try budget.take()
        var number = zero
        try check(
            withUnsafeMutablePointer(to: &number) {
                functions.pointee.sd_bus_message_read_basic(message, CChar(type.code), $0)
            })
        return number
    }

    private mutating func bytesOneByOne() throws(BusFailure) -> [UInt8] {
        try enter("a", "y")
        var bytes: [UInt8] = []
        while try !isAtEnd() {
            guard bytes.count < budget.remaining else { throw .tooLarge }
            var byte: UInt8 = 0
            try check(functions.pointee.sd_bus_message_read_basic(message, CChar(UInt8(ascii: "y")), &byte))
            bytes.append(byte)
        }
        try exit()
        try budget.take(bytes.count)
        return bytes
    }

    private mutating func text(_ type: BusType) throws(BusFailure) -> String {
        var text: UnsafePointer<CChar>?
        try check(
            withUnsafeMutablePointer(to: &text) {
                functions.pointee.sd_bus_message_read_basic(message, CChar(type.code), $0)
            })
        guard let text else { throw .invalid("no text") }
        let count = strnlen(text, budget.remaining + 1)
        try budget.take(count)
        return string(text, count)
    }

    private func isAtEnd() throws(BusFailure) -> Bool {
        let result = functions.pointee.sd_bus_message_at_end(message, 0)
        try check(result)
        return result > 0
    }

    private func enter(_ container: Unicode.Scalar, _ contents: String) throws(BusFailure) {
        try check(
            functions.pointee.sd_bus_message_enter_container(message, CChar(UInt8(ascii: container)), contents))
    }

    private func exit() throws(BusFailure) { try check(functions.pointee.sd_bus_message_exit_container(message)) }

    private func check(_ result: Int32) throws(BusFailure) {
        if result < 0 { throw failure(result) }
    }
}

/// Returns a C string as a string, cut at `limit` bytes. Malformed UTF-8, such as a scalar that was cut, becomes
/// U+FFFD.
func string(_ text: UnsafePointer<CChar>, _ limit: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: text, count: strnlen(text, limit)), as: UTF8.self)
}
