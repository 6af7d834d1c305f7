import Glibc

/// A generator of reproducible random numbers: SplitMix64 with a seed, which the test prints.
package struct SeededGenerator: RandomNumberGenerator {
    /// The seed that the generator started with.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64 = seedOfThisRun) {
        self.seed = seed
        state = seed
    }

    /// The seed of the random scenes of this run. To reproduce a run, set `INKSTONE_SEED` to its seed. Otherwise
    /// the seed is a constant: a new failure is then caused by a change of the code. With `INKSTONE_LONG_TESTS` the
    /// seed differs in each run.
    package static var seedOfThisRun: UInt64 {
        if let given = getenv("INKSTONE_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return getenv("INKSTONE_LONG_TESTS") == nil ? 1 : UInt64(Deadline.now * 1000)
    }

    /// A new seed at each access, or `INKSTONE_SEED` if it is set, to reproduce the scenes of a run. For properties
    /// that must hold in all scenes.
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

    /// Returns a random number from 0 to `count` - 1; 0 if `count` is not positive.
    package mutating func below(_ count: Int) -> Int { count <= 0 ? 0 : Int(next() % UInt64(count)) }

    /// Returns true with the probability 1 / `count`.
    package mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
