import CX11
import InkstoneBase

/// One of X's selections (ICCCM §2): owned with contents that are made when asked for, or asked for its owner's.
///
/// Nothing here waits: requests end with a call, by their time-out at the latest, and a large transfer goes on in pieces
/// beside everything else, several at a time.
public final class Clipboard {
    /// Why nothing came.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Nobody owns the selection, or its owner has nothing of the kind.
        case unavailable
        /// The owner stopped answering, or took longer than anybody waits.
        case timedOut
        /// The owner sent more than half a gigabyte.
        case tooLarge
        /// The connection is lost.
        case connectionLost

        /// What happened, for people.
        public var description: String {
            switch self {
            case .unavailable: "There is nothing to paste that is text."
            case .timedOut: "Nothing was pasted: the program that it was copied in does not answer, or not fast enough."
            case .tooLarge: "Nothing was pasted: it is more than half a gigabyte. Save it in a file and open that."
            case .connectionLost: "Nothing was pasted: the connection to the display is lost."
            }
        }
    }

    /// Contents in one more format than text: a target name, such as `text/html`, and what makes its bytes.
    public typealias Format = (name: String, bytes: () -> [UInt8]?)

    /// How long an owner or a requestor may be silent before a transfer is given up, in milliseconds.
    public var timeout = 5000
    /// Whether this object's contents are the selection's, as far as is known.
    public var isOwner: Bool { contents != nil }

    /// What is owned since `time`, in the server's milliseconds.
    struct Contents {
        var time: UInt32
        weak var owner: AnyObject?
        var text: () -> String?
        var formats: [(target: Atom, bytes: () -> [UInt8]?)]
        var onLost: (() -> Void)?
    }

    let selection: Atom
    private(set) var contents: Contents?
    private unowned let display: Display

    init(_ display: Display, selection: Atom) {
        self.display = display
        self.selection = selection
    }

    /// Becomes the owner. `text` is called whenever someone asks, as are the other formats; `onLost` once when another
    /// takes the selection: another client, or in this process another `owner`. `timestamp` is that of the user's event
    /// behind it, in the server's milliseconds; 0 takes the latest event's.
    public func own(
        timestamp: UInt32, by owner: AnyObject? = nil, formats: [Format] = [], onLost: (() -> Void)? = nil,
        text: @escaping () -> String?
    ) {
        guard !display.isLost else { return }
        display.needsTurn()
        let old = contents
        contents = Contents(
            time: timestamp, owner: owner, text: text, formats: formats.map { (display.intern($0.name), $0.bytes) },
            onLost: onLost)
        if let old, owner == nil || old.owner !== owner { old.onLost?() }
        if timestamp != 0 || display.latestTimestamp != 0 {
            claim(at: timestamp != 0 ? timestamp : display.latestTimestamp)
        } else {
            // No event has come yet, and CurrentTime would win against a later owner.
            display.transfers.withCurrentTime { [weak self] in self?.claim(at: $0) }
        }
    }

    /// Gives the selection up, and its contents with it.
    public func disown() {
        guard let contents else { return }
        self.contents = nil
        guard !display.isLost, contents.time != 0 else { return }
        display.needsTurn()
        XSetSelectionOwner(display.connection, selection, 0, UInt(contents.time))
    }

    /// Asks for the selection's text in the best encoding that its owner has. `completion` is called once on the display's
    /// thread: at once if the owner is this object, else later. `timestamp` is that of the user's event; 0 if there is none.
    public func request(timestamp: UInt32, completion: @escaping (Result<String, Failure>) -> Void) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        if let contents, display.transfers.isStillOwner(of: selection) {
            return completion(contents.text().map { .success($0) } ?? .failure(.unavailable))
        }
        display.needsTurn()
        let targets = SelectionText.preferredTargets(display.atoms)
        display.transfers.receive(selection, targets[...], time: timestamp, timeout: timeout) { [display] result in
            completion(result.map { SelectionText.decode($0.bytes, type: $0.type, display) })
        }
    }

    /// Asks for the selection's bytes in one format, named as a target: `text/html`, `image/png`. As ``request(timestamp:completion:)``.
    public func request(
        format: String, timestamp: UInt32, completion: @escaping (Result<[UInt8], Failure>) -> Void
    ) {
        guard !display.isLost else { return completion(.failure(.connectionLost)) }
        let target = display.intern(format)
        if let contents, display.transfers.isStillOwner(of: selection),
            let own = contents.formats.first(where: { $0.target == target })
        {
            return completion(own.bytes().map { .success($0) } ?? .failure(.unavailable))
        }
        display.needsTurn()
        display.transfers.receive(selection, [target], time: timestamp, timeout: timeout) {
            completion($0.map { $0.bytes })
        }
    }

    private func claim(at time: UInt32) {
        guard contents != nil, !display.isLost else { return }
        contents?.time = time
        display.transfers.owned[selection] = self
        XSetSelectionOwner(display.connection, selection, display.transfers.window, UInt(time))
    }

    /// Another client owns the selection now.
    func ownershipLost() {
        let old = contents
        contents = nil
        old?.onLost?()
    }
}

extension Display {
    /// The atom of a name; a round trip the first time.
    func intern(_ name: String) -> Atom {
        if let atom = internedAtoms[name] { return atom }
        let atom = XInternAtom(connection, name, 0)
        internedAtoms[name] = atom
        return atom
    }

    /// Hands the clipboard's contents to a clipboard manager, if one runs, so that they outlive this process. Waits for it
    /// at most `milliseconds`, handling events meanwhile. For the end of a program, before ``close()``; not for adopted
    /// connections.
    public func saveClipboard(withinMilliseconds milliseconds: Int = 1000) {
        guard !isLost, !isAdopted, clipboard.isOwner else { return }
        let manager = atoms["CLIPBOARD_MANAGER"]
        guard XGetSelectionOwner(connection, manager) != 0 else { return }
        var isDone = false
        transfers.receive(manager, [atoms["SAVE_TARGETS"]], time: latestTimestamp, timeout: milliseconds) { _ in
            isDone = true
        }
        let deadline = MonotonicClock.nanoseconds + Int64(milliseconds) * 1_000_000
        while !isDone, !isLost, MonotonicClock.nanoseconds < deadline {
            processEvents()
            if !isDone { loop.wait(milliseconds: 20) }
        }
    }
}
