import Testing

@testable import InkstoneX11

/// Resource IDs known to be Inkstone's, and how long they are remembered.
@Suite(.timeLimit(.minutes(5))) struct OwnResourcesTests {
    @Test func freedResourcesAreRememberedForALimitedTime() {
        var resources = OwnResources()
        resources.insert(7)
        for number in 100..<UInt(100_100) {
            resources.insert(number)
            resources.free(number)
        }
        #expect(resources.count <= OwnResources.memory + 1)
        #expect(resources.contains(7) && resources.contains(100_099) && !resources.contains(100))
        resources.free(7)
        #expect(resources.contains(7), "an error about it may be on its way")
        resources.insert(100_099)
        for number in 200_000..<UInt(203_000) {
            resources.insert(number)
            resources.free(number)
        }
        #expect(resources.contains(100_099) && !resources.contains(7), "a number that came again is in use")
    }
}
