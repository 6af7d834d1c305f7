/// The X resources of a connection that are ours: those in use, and the last ones that were freed, about which errors and events may
/// still come.
struct OwnResources {
    private var live: Set<UInt> = []
    private var freed: Set<UInt> = []
    /// The freed ones as a ring, the oldest at `next` once it is full.
    private var ring: [UInt] = []
    private var next = 0

    /// Freed resources that are remembered.
    static let memory = 1024

    /// Number of resources that are remembered.
    var count: Int { live.count + freed.count }

    /// A resource was made.
    mutating func insert(_ resource: UInt) {
        // The server's numbers come again.
        live.insert(resource)
    }

    /// A resource is freed, or will be with its window.
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

    /// Whether a resource is ours, or was lately.
    func contains(_ resource: UInt) -> Bool { live.contains(resource) || freed.contains(resource) }
}
