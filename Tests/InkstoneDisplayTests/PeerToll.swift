import DisplayTestSupport
import InkstoneTesting
import InkstoneX11
import Testing

/// What a peer that keeps no rules costs: how long a turn of the display's loop takes at most, in which nothing is painted and no key
/// heard, and how much memory the process takes more than before.
struct PeerToll {
    private let before = PeerToll.residentKilobytes
    private var most = 0
    private var longest = 0.0

    /// Has the display handle what there is.
    mutating func turn(_ display: InkstoneX11.Display) {
        let time = WaitingTime(of: [WaitingTime.thisThread])
        display.processEvents()
        longest = max(longest, time.milliseconds)
        most = max(most, Self.residentKilobytes)
    }

    /// Prints it, and holds it against what a person notices and a program may take.
    func report(_ peer: String, megabytes: Int) {
        let more = max(0, most - before)
        print("hostile: \(peer): longest turn \(Int(longest.rounded(.up))) ms, \(more) KB more")
        #expect(longest <= 50, "\(peer)")
        #expect(more <= megabytes * 1024, "\(peer)")
    }

    /// What the process holds in memory.
    private static var residentKilobytes: Int {
        let fields = (try? TextFiles.read("/proc/self/statm"))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4
    }
}
