import Glibc
import InkstoneX11
import Testing

@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
    @Test func aProgramWithoutADisplayEndsWithTheReason() async throws {
        // A host name would be looked up in the network.
        let result = try await #require(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            _ = Display.openOrExit(name: ":4242")
        }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output == "\(X11Error.cannotOpenDisplay(name: ":4242"))\n")
    }

    /// An empty name is no name, for Xlib as well.
    @Test func anEmptyDisplayIsAMissingOne() async throws {
        let result = try await #require(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            setenv("DISPLAY", "", 1)
            _ = Display.openOrExit()
        }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output == "\(X11Error.cannotOpenDisplay(name: nil))\n")
    }
}
