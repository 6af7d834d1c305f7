import CX11
import InkstoneBase
import InkstoneWords

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
        /// The owner has it only in COMPOUND_TEXT, of which more than a megabyte would take seconds to read.
        case tooLongForEncoding
        /// The connection is lost.
        case connectionLost

        /// What happened, for people.
        public var description: String {
            switch self {
            case .unavailable: localized("There is nothing to paste that is text.")
            case .timedOut:
                localized("Nothing was pasted: the program that it was copied in does not answer, or not fast enough.")
            case .tooLarge:
                localized("Nothing was pasted: it is more than half a gigabyte. Save it in a file and open that.")
            case .tooLongForEncoding:
                localized(
                    "Nothing was pasted: the program that it was copied in has no UTF-8, and it is too much for its old encoding."
                )
            case .connectionLost: localized("Nothing was pasted: the connection to the display is lost.")
            }
        }
    }

    /// How long an owner may be silent before a request is given up, in milliseconds. A requestor that does not take what it
    /// asked for is left after twice as long.
    public var timeout = 5000
    /// Whether this object's contents are the selection's, as far as is known.
    public var isOwner: Bool { contents != nil }

    /// What is owned since `time`, in the server's milliseconds.
    struct Contents {
        var time: UInt32
        weak var owner: AnyObject?
        var item: PasteboardItem
        var onLost: (() -> Void)?
        /// Removes what is owned from where it was taken, for `DELETE`; returns whether it is to be gone. Nil where nothing moves.
        var delete: (() -> Bool)?
        /// Someone asks for it, in whatever way.
        var onRequest: (() -> Void)?
        /// What has been made of the item for those who asked.
        let encodings: SelectionEncodings

        init(
            time: UInt32, owner: AnyObject? = nil, item: PasteboardItem, onLost: (() -> Void)? = nil,
            delete: (() -> Bool)? = nil, onRequest: (() -> Void)? = nil
        ) {
            self.time = time
            self.owner = owner
            self.item = item
            self.onLost = onLost
            self.delete = delete
            self.onRequest = onRequest
            encodings = SelectionEncodings(item)
        }
    }

    let selection: Atom
    private(set) var contents: Contents?
    unowned let display: Display

    init(_ display: Display, selection: Atom) {
        self.display = display
        self.selection = selection
    }

    /// Becomes the owner. Each of the item's types is made when another client first asks for it, and kept as long as the
    /// selection is owned; `onLost` is called once when another takes it: another client, or in this process another `owner`. `timestamp` is that of the user's event behind it, in
    /// the server's milliseconds; 0 takes the latest event's. The server refuses one that is older than the present owner's:
    /// then the selection is lost at once.
    public func own(
        _ item: PasteboardItem, timestamp: UInt32, by owner: AnyObject? = nil, onLost: (() -> Void)? = nil
    ) {
        own(Contents(time: timestamp, owner: owner, item: item, onLost: onLost))
    }

    /// Becomes the owner of a text, which is called for when another client first asks.
    public func own(
        timestamp: UInt32, by owner: AnyObject? = nil, onLost: (() -> Void)? = nil, text: @escaping () -> String?
    ) {
        own(PasteboardItem(text: text), timestamp: timestamp, by: owner, onLost: onLost)
    }

    func own(_ new: Contents) {
        guard !display.isLost else { return }
        display.needsTurn()
        let old = contents
        contents = new
        if let old, new.owner == nil || old.owner !== new.owner { old.onLost?() }
        if new.time != 0 || display.latestTimestamp != 0 {
            claim(at: new.time != 0 ? new.time : display.latestTimestamp)
        } else {
            // No event has come yet, and CurrentTime would win against a later owner.
            display.transfers.withCurrentTime { [weak self] in self?.claim(at: $0) }
        }
    }

    /// Gives the selection up, and its contents with it. Transfers under way go on.
    public func disown() {
        guard let contents else { return }
        self.contents = nil
        guard !display.isLost, contents.time != 0 else { return }
        display.needsTurn()
        XSetSelectionOwner(display.connection, selection, 0, UInt(contents.time))
    }

    /// What is owned here, if the server says so too; nil if another client owns the selection. One round trip.
    public var localItem: PasteboardItem? {
        guard let contents, !display.isLost, display.transfers.isStillOwner(of: selection) else { return nil }
        return contents.item
    }

    private func claim(at time: UInt32) {
        guard contents != nil, !display.isLost else { return }
        contents?.time = time
        display.transfers.owned[selection] = self
        XSetSelectionOwner(display.connection, selection, display.transfers.window, UInt(time))
        // An old timestamp is refused without a word.
        if !display.transfers.isStillOwner(of: selection) { giveUp() }
    }

    /// Claims it with another window, at the time at which the one that is gone owned it, unless another client owns it since: one that
    /// claimed it in the same millisecond would lose it.
    func claimAgain() {
        guard let contents, !display.isLost else { return }
        if XGetSelectionOwner(display.connection, selection) == 0 { claim(at: contents.time) } else { giveUp() }
    }

    private func giveUp() {
        display.transfers.owned[selection] = nil
        ownershipLost()
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
        if let atom = atoms[known: name] { return atom }
        let atom = XInternAtom(connection, name, 0)
        atoms[known: name] = atom
        return atom
    }
}
