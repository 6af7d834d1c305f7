import CScarcity
import DisplayTestSupport
import InkstoneTesting
import InkstoneX11
import Testing

/// The cost of a misbehaving peer: the longest turn of the display's event loop, during which nothing is painted
/// and no key handled, and the growth of the process's memory.
struct PeerToll {
    private let before: Int
    private var most = 0
    private var turns = LongestTurn()

    /// Starts the measurement.
    init() {
        // Return freed memory to the system: if it were reused unnoticed, it would hide the peer's cost.
        scarcity_give_back()
        before = Self.residentKilobytes
    }

    /// Handles all pending events of a display.
    mutating func turn(_ display: InkstoneX11.Display) {
        turns.measure { display.processEvents() }
        most = max(most, Self.residentKilobytes)
    }

    /// Prints the cost, and compares it with the limits for a user and for a program.
    func report(_ peer: String, megabytes: Int) {
        let more = max(0, most - before)
        print("hostile: \(peer): longest turn \(Int(turns.waited.rounded(.up))) ms, \(more) KB more")
        // The limits detect waiting for a peer and unbounded work, not the speed of the machine.
        #expect(turns.waited < InputMethodBench.stallLimit && turns.computed < LongestTurn.limit, "\(peer)")
        #expect(more <= megabytes * 1024, "\(peer)")
    }

    /// The process's resident memory in kilobytes.
    private static var residentKilobytes: Int {
        let fields = (try? TextFiles.read("/proc/self/statm"))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4
    }
}
