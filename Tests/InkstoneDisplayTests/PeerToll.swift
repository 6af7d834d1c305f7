import CScarcity
import DisplayTestSupport
import InkstoneTesting
import InkstoneX11
import Testing

/// What a peer that keeps no rules costs: how long a turn of the display's loop takes at most, in which nothing is painted and no key
/// heard, and how much memory the process takes more than before.
struct PeerToll {
    private let before: Int
    private var most = 0
    private var turns = LongestTurn()

    /// Starts to measure.
    init() {
        // What was freed before is given back: taken again unseen, it would hide as much of what the peer costs.
        scarcity_give_back()
        before = Self.residentKilobytes
    }

    /// Has the display handle what there is.
    mutating func turn(_ display: InkstoneX11.Display) {
        turns.measure { display.processEvents() }
        most = max(most, Self.residentKilobytes)
    }

    /// Prints it, and holds it against what a person feels and a program may take.
    func report(_ peer: String, megabytes: Int) {
        let more = max(0, most - before)
        print("hostile: \(peer): longest turn \(Int(turns.waited.rounded(.up))) ms, \(more) KB more")
        // Not a measure, which depends on the machine, but whether anybody was waited for or anything done without an end.
        #expect(turns.waited < InputMethodBench.stallLimit && turns.computed < LongestTurn.limit, "\(peer)")
        #expect(more <= megabytes * 1024, "\(peer)")
    }

    /// What the process holds in memory.
    private static var residentKilobytes: Int {
        let fields = (try? TextFiles.read("/proc/self/statm"))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4
    }
}
