import Glibc

/// Reproducible random numbers: SplitMix64 from a seed, which the test prints.
package struct SeededGenerator: RandomNumberGenerator {
    /// The initial seed.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64 = seedOfThisRun) {
        self.seed = seed
        state = seed
    }

    /// The seed of this run's random scenes: `INKSTONE_SEED` if it is set, to reproduce a run. Otherwise a constant, so that
    /// a new failure comes from a change of the code; a new seed in each run of the long tier.
    package static var seedOfThisRun: UInt64 {
        if let given = getenv("INKSTONE_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return getenv("INKSTONE_LONG_TESTS") == nil ? 1 : UInt64(Deadline.now * 1000)
    }

    /// A new seed for each call, or `INKSTONE_SEED` if it is set, to reproduce its scenes. For properties that must hold in
    /// all scenes.
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

    /// Returns a number below `count`, 0 if there is none.
    package mutating func below(_ count: Int) -> Int { count <= 0 ? 0 : Int(next() % UInt64(count)) }

    /// Returns true once in `count` times on average.
    package mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
