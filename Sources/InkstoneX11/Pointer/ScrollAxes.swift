import InkstoneBase

/// How far wheels and touchpads have been turned, by what XInput 2 says of their axes: a plain value.
///
/// An axis counts a running sum for each device, so a distance is the difference from what the sum was before. That base is asked for
/// whenever the pointer comes into a window, because the sum goes on while one scrolls elsewhere, and is told when another device takes
/// over. Distances are wheel clicks, positive right and down.
struct ScrollAxes: Hashable, Sendable {
    /// An axis of a device.
    struct Axis: Hashable, Sendable {
        /// Its number among the device's valuators.
        var number: Int
        /// Whether it goes up and down.
        var isVertical: Bool
        /// What its sum changes by with one click; negative where it counts the other way.
        var increment: Double
        /// Its sum when that was last heard of; nil if it is not known.
        var sum: Double?
        /// What was asked for, until an event comes that is later.
        fileprivate var answer: Answer?

        init(number: Int, isVertical: Bool, increment: Double, sum: Double?) {
            self.number = number
            self.isVertical = isVertical
            self.increment = increment
            self.sum = sum
        }
    }

    /// A sum as it was when the server had done a request.
    fileprivate struct Answer: Hashable, Sendable {
        var sum: Double
        var serial: UInt
    }

    /// What an event comes to.
    struct Step: Hashable, Sendable {
        /// How far it has been scrolled; nothing means that fingers were lifted, or that the distance is not known.
        var distance = Vector(dx: 0, dy: 0)
        /// Whether the server's buttons tell better: there was no base to measure from.
        var isUncertain = false
    }

    /// By the server's number of the device that the hand is on.
    private var devices: [Int32: [Axis]] = [:]
    /// Sums wrap at 2³¹ in some drivers, and no hand turns so far at once.
    private static let largestStep = 1e8

    /// Whether anything is known of a device; one without axes of its own is known too.
    func knows(_ device: Int32) -> Bool { devices[device] != nil }

    /// A device has these axes, with these sums.
    mutating func setAxes(_ axes: [Axis], of device: Int32) {
        devices[device] = axes.filter { $0.increment != 0 && $0.increment.isFinite }
    }

    /// A device has these axes, with the sums that they had when the server had done a request. Events from before it may still come:
    /// what they count is in the sums.
    ///
    /// - Parameter serial: the request's number.
    mutating func rebase(_ axes: [Axis], of device: Int32, serial: UInt) {
        setAxes(
            axes.map { axis in
                var axis = axis
                axis.answer = axis.sum.map { Answer(sum: $0, serial: serial) }
                axis.sum = nil
                return axis
            }, of: device)
    }

    /// Whether turning is heard of a device as sums; if not, as buttons.
    func hasAxis(_ device: Int32, isVertical: Bool) -> Bool {
        devices[device]?.contains { $0.isVertical == isVertical } ?? false
    }

    /// Takes the values of an event.
    ///
    /// - Parameters:
    ///   - values: by the numbers of the valuators, as far as they have changed.
    ///   - serial: the number of the last request that the server had done then.
    /// - Returns: nil if none of the values belongs to an axis.
    mutating func take(_ values: [Int: Double], of device: Int32, serial: UInt) -> Step? {
        guard var axes = devices[device] else { return nil }
        var step: Step?
        for index in axes.indices {
            guard let value = values[axes[index].number], value.isFinite else { continue }
            var sum = step ?? Step()
            if let answer = axes[index].answer, serial >= answer.serial {
                axes[index].sum = answer.sum
                axes[index].answer = nil
            }
            if let base = axes[index].sum {
                let distance = abs(value - base) < Self.largestStep ? (value - base) / axes[index].increment : 0
                if axes[index].isVertical { sum.distance.dy += distance } else { sum.distance.dx += distance }
            } else {
                sum.isUncertain = true
            }
            axes[index].sum = value
            step = sum
        }
        devices[device] = axes
        return step
    }
}
