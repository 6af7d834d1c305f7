import InkstoneTesting

/// Random numbers that can be had again: SplitMix64 from a seed, which the test prints.
package struct SeededGenerator: RandomNumberGenerator {
    /// What it began with.
    package let seed: UInt64
    private var state: UInt64

    /// A generator from a seed; from the clock if none is given.
    package init(seed: UInt64? = nil) {
        self.seed = seed ?? UInt64(Deadline.now * 1000)
        state = self.seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
