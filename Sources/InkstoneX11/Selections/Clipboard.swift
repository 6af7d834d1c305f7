import CX11
import InkstoneBase
import InkstoneWords

/// An X selection (ICCCM §2), to own with contents that are made on demand, or to request from its owner.
///
/// No call waits: requests complete by a callback, at the latest after their time-out, and large transfers proceed in pieces
/// beside all other work, several at a time.
public final class Clipboard {
    /// The reason for which a request failed.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The selection has no owner, or the owner has no contents in the requested formats.
        case unavailable
        /// The owner stopped answering, or exceeded the limit of a transfer's duration.
        case timedOut
        /// The owner sent more than half a gigabyte.
        case tooLarge
        /// The owner has the text only in COMPOUND_TEXT, of which more than a megabyte would take seconds to read.
        case tooLongForEncoding
        /// The connection is lost.
        case connectionLost

        /// The message for people: what happened and what to do.
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

    /// The time in milliseconds after which a request to a silent owner is given up. A requestor that does not read its answer is given
    /// up after twice as long.
    public var timeout = 5000
    /// Whether this object owns the selection, as far as is known.
    public var isOwner: Bool { contents != nil }

    /// The owned contents, with the claim's time in the server's milliseconds.
    struct Contents {
        var time: UInt32
        weak var owner: AnyObject?
        var item: PasteboardItem
        var onLost: (() -> Void)?
        /// Called to delete the contents at their source, for `DELETE`; returns whether they are deleted. Nil if nothing is moved.
        var delete: (() -> Bool)?
        /// Called at each request for the contents, in any target.
        var onRequest: (() -> Void)?
        /// The cached encodings of the item.
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

    /// Becomes the owner. Each of the item's types is made when another client first requests it, and kept while the selection is
    /// owned; `onLost` is called once when the selection is taken over by another client, or in this process by another `owner`. `timestamp`
    /// is that of the user's event behind it, in the server's milliseconds; 0 uses the latest event's. The server refuses one that is older
    /// than the present owner's: then the selection is lost at once.
    public func own(
        _ item: PasteboardItem, timestamp: UInt32, by owner: AnyObject? = nil, onLost: (() -> Void)? = nil
    ) {
        own(Contents(time: timestamp, owner: owner, item: item, onLost: onLost))
    }

    /// Becomes the owner of a text; `text` is called when another client first requests it.
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
            // No event has come yet, and CurrentTime would take precedence over a later owner.
            display.transfers.withCurrentTime { [weak self] in self?.claim(at: $0) }
        }
    }

    /// Gives up the selection and its contents. Transfers in progress continue.
    public func disown() {
        guard let contents else { return }
        self.contents = nil
        guard !display.isLost, contents.time != 0 else { return }
        display.needsTurn()
        XSetSelectionOwner(display.connection, selection, 0, UInt(contents.time))
    }

    /// The owned contents, if the server confirms the ownership; nil if another client owns the selection. One round trip.
    package var localItem: PasteboardItem? {
        guard let contents, !display.isLost, display.transfers.isStillOwner(of: selection) else { return nil }
        return contents.item
    }

    private func claim(at time: UInt32) {
        guard contents != nil, !display.isLost else { return }
        contents?.time = time
        display.transfers.owned[selection] = self
        XSetSelectionOwner(display.connection, selection, display.transfers.window, UInt(time))
        // The server ignores an old timestamp silently.
        if !display.transfers.isStillOwner(of: selection) { giveUp() }
    }

    /// Claims the selection with a new window, at the time of the old claim, unless another client owns it by now: such a claim of the
    /// same millisecond would be overridden.
    func claimAgain() {
        guard let contents, !display.isLost else { return }
        if XGetSelectionOwner(display.connection, selection) == 0 { claim(at: contents.time) } else { giveUp() }
    }

    private func giveUp() {
        display.transfers.owned[selection] = nil
        ownershipLost()
    }

    /// Drops the contents, because another client owns the selection now.
    func ownershipLost() {
        let old = contents
        contents = nil
        old?.onLost?()
    }
}

extension Display {
    /// Returns the atom of a name; a round trip the first time.
    func intern(_ name: String) -> Atom {
        if let atom = atoms[known: name] { return atom }
        let atom = XInternAtom(connection, name, 0)
        atoms[known: name] = atom
        return atom
    }
}
