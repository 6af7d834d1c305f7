/// The effect of a drop on the dragged data.
public enum DragAction: Hashable, Sendable {
    /// The source keeps its data; the target gets a copy.
    case copy
    /// The target gets the data, and then the source deletes its own.
    case move
}

/// A message between source and target of a drag (XDND version 5). It is sent as a client message of format 32. Its
/// first word is the sender's window. The receiver's window is not part of the value.
enum DragMessage: Hashable, Sendable {
    /// The pointer entered the target. `types` are atoms of the offered types; the message carries only the first
    /// three. If there are more, `isListElsewhere` is true, and the source's property `XdndTypeList` has all of
    /// them.
    case enter(version: Int, types: [UInt], isListElsewhere: Bool)
    /// The pointer is at a point; the position includes the proposed action.
    case position(DragPosition)
    /// The action that a drop would have at the last position; nil if the target refuses a drop.
    case status(DragAction?)
    /// The pointer has left the target.
    case leave
    /// The button was released over the target. `time` is the server's.
    case drop(time: UInt32)
    /// The target has finished with the drop. The action is the one performed; nil if the drop failed.
    case finished(DragAction?)

    /// The names of the message types, in the order of the cases.
    static let names = ["XdndEnter", "XdndPosition", "XdndStatus", "XdndLeave", "XdndDrop", "XdndFinished"]

    /// The name of this message's type.
    var name: String {
        switch self {
        case .enter: Self.names[0]
        case .position: Self.names[1]
        case .status: Self.names[2]
        case .leave: Self.names[3]
        case .drop: Self.names[4]
        case .finished: Self.names[5]
        }
    }

    /// Returns the words of the message after the sender's window.
    ///
    /// - Parameter actions: the atoms of the actions.
    func words(_ actions: DragActionAtoms) -> [Int] {
        switch self {
        case .enter(let version, let types, let isListElsewhere):
            let three = (types.map { Int(bitPattern: $0) } + [0, 0, 0]).prefix(3)
            return [version << 24 | (isListElsewhere ? 1 : 0)] + three
        case .position(let position):
            return [
                0, Self.packed(position.x, position.y), Int(position.time),
                Int(bitPattern: actions.atom(of: position.action)),
            ]
        // Omit the bit that requests further positions from a refusal, because Qt takes that bit for an acceptance.
        // Send no rectangle with an acceptance: within a rectangle, the source would send no positions.
        case .status(nil): return [0, 0, 0, 0]
        case .status(let action?): return [3, 0, 0, Int(bitPattern: actions.atom(of: action))]
        case .leave: return [0, 0, 0, 0]
        case .drop(let time): return [0, Int(time), 0, 0]
        case .finished(nil): return [0, 0, 0, 0]
        case .finished(let action?): return [1, Int(bitPattern: actions.atom(of: action)), 0, 0]
        }
    }

    /// Creates a message from the name of its type and the words after the sender's window. Nil if the type is not one
    /// of XDND's. Unknown actions count as copying, because every source allows that.
    init?(name: String, words: [Int], _ actions: DragActionAtoms) {
        guard words.count >= 4 else { return nil }
        switch name {
        case "XdndEnter":
            let types = words[1...3].map { UInt(bitPattern: $0) }.filter { $0 != 0 }
            self = .enter(version: (words[0] >> 24) & 0xff, types: types, isListElsewhere: words[0] & 1 != 0)
        case "XdndPosition":
            self = .position(
                DragPosition(
                    x: Self.coordinate(words[1] >> 16), y: Self.coordinate(words[1]),
                    time: UInt32(truncatingIfNeeded: words[2]), action: actions.action(of: words[3])))
        case "XdndStatus": self = .status(words[0] & 1 != 0 ? actions.action(of: words[3]) : nil)
        case "XdndLeave": self = .leave
        case "XdndDrop": self = .drop(time: UInt32(truncatingIfNeeded: words[1]))
        case "XdndFinished": self = .finished(words[0] & 1 != 0 ? actions.action(of: words[1]) : nil)
        default: return nil
        }
    }

    private static func packed(_ x: Int, _ y: Int) -> Int { (x & 0xffff) << 16 | (y & 0xffff) }
    private static func coordinate(_ word: Int) -> Int { Int(Int16(truncatingIfNeeded: word)) }
}

/// A position of the pointer during a drag, with the proposed action.
struct DragPosition: Hashable, Sendable {
    /// The coordinates of the pointer, x and y, in root pixels.
    var x: Int
    var y: Int
    /// The server's time of this position of the pointer, in milliseconds.
    var time: UInt32
    /// The action that the source proposes.
    var action: DragAction
}

/// The atoms of the actions copy and move.
struct DragActionAtoms: Hashable, Sendable {
    var copy: UInt
    var move: UInt

    func atom(of action: DragAction) -> UInt { action == .move ? move : copy }
    func action(of word: Int) -> DragAction { UInt(bitPattern: word) == move ? .move : .copy }
}
