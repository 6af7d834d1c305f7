import Glibc

/// Random numbers that can be had again: SplitMix64 from a seed, which the test prints.
package struct SeededGenerator: RandomNumberGenerator {
    /// What it began with.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64 = seedOfThisRun) {
        self.seed = seed
        state = seed
    }

    /// The seed of this run's random scenes: `INKSTONE_SEED` if it is set, to see one again. Else every run does the same, so that
    /// what it finds was not there before; the long tier does something else each time.
    package static var seedOfThisRun: UInt64 {
        if let given = getenv("INKSTONE_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return getenv("INKSTONE_LONG_TESTS") == nil ? 1 : UInt64(Deadline.now * 1000)
    }

    /// A seed that is new each time: `INKSTONE_SEED` if it is set, to see its scenes again. For what may be looked at from
    /// many sides and is expected to hold in all.
    package static var newSeed: UInt64 {
        if let given = getenv("INKSTONE_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return UInt64.random(in: 1...999_999)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number below `count`, 0 if there is none.
    package mutating func below(_ count: Int) -> Int { count <= 0 ? 0 : Int(next() % UInt64(count)) }

    /// True once in `count` times.
    package mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
