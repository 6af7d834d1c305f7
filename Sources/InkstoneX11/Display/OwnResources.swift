/// The X resources of a connection that are ours: those in use, and the most recently freed ones, about which errors and events may
/// still arrive.
struct OwnResources {
    private var live: Set<UInt> = []
    private var freed: Set<UInt> = []
    /// The freed resources as a ring, with the oldest at `next` once the ring is full.
    private var ring: [UInt] = []
    private var next = 0

    /// The maximum number of freed resources that are remembered.
    static let memory = 1024

    /// The number of resources that are remembered.
    var count: Int { live.count + freed.count }

    /// Records a new resource.
    mutating func insert(_ resource: UInt) {
        // No check for duplicates: the server reuses identifiers.
        live.insert(resource)
    }

    /// Records that a resource is freed, or will be with its window.
    mutating func free(_ resource: UInt) {
        guard live.remove(resource) != nil, freed.insert(resource).inserted else { return }
        if ring.count < Self.memory {
            ring.append(resource)
        } else {
            freed.remove(ring[next])
            ring[next] = resource
            next = (next + 1) % Self.memory
        }
    }

    /// Whether a resource is ours, or was recently.
    func contains(_ resource: UInt) -> Bool { live.contains(resource) || freed.contains(resource) }
}
