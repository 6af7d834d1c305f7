import InkstoneX11
import Testing

@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
    @Test func aProgramWithoutADisplayEndsWithTheReason() async throws {
        let result = try await #require(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            _ = Display.openOrExit(name: "nowhere.invalid:0")
        }
        let said = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(said == "\(X11Error.cannotOpenDisplay(name: "nowhere.invalid:0"))\n")
    }
}
