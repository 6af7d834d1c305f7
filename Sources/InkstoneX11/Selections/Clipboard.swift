import CX11
import InkstoneBase
import InkstoneWords

/// An X selection (ICCCM §2). It can be owned, with contents that are created on demand. Or its contents can be
/// requested from its owner.
///
/// No method blocks until an owner answers: requests complete by a callback, at the latest after a time-out.
/// Several large transfers can proceed at the same time, in pieces between other work.
public final class Clipboard {
    /// The reason for which a request failed.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The selection has no owner, or the owner has no contents in the requested formats.
        case unavailable
        /// The owner stopped answering, or the transfer took too long.
        case timedOut
        /// The owner sent more than half a gigabyte, or all owners together more than a gigabyte.
        case tooLarge
        /// The owner has no UTF-8, and its COMPOUND_TEXT is longer than a megabyte. Decoding it would take seconds.
        case tooLongForEncoding
        /// The connection to the X server is lost.
        case connectionLost

        /// The message for the user: what happened and what to do.
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

    /// The time in milliseconds after which a request fails if the owner does not answer. If a requestor does not
    /// read a transfer, the transfer ends after twice that time.
    public var timeout = 5000
    /// Whether this object owns the selection, according to the server's reports so far.
    public var isOwner: Bool { contents != nil }

    /// The contents of an owned selection, and the server time of the claim in milliseconds.
    struct Contents {
        var time: UInt32
        weak var owner: AnyObject?
        var item: PasteboardItem
        var onLost: (() -> Void)?
        /// Called when the target of a move requests that the contents be deleted at their source (`DELETE`).
        /// Returns whether they were deleted. Nil if the contents are not moved.
        var delete: (() -> Bool)?
        /// Called at each request for the contents.
        var onRequest: (() -> Void)?
        /// The item's encodings made so far.
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

    /// Claims the selection. Each type of the item is created when another client first requests it. It is kept as
    /// long as the selection is owned.
    ///
    /// If the current owner has claimed the selection with a later time, the server refuses the claim, and the
    /// selection counts as lost at once.
    ///
    /// - Parameters:
    ///   - onLost: called once when another client takes over the selection, or when this process claims it again, but
    ///     not for the same `owner`.
    ///   - timestamp: that of the user's event, in the server's milliseconds; 0 for that of the latest event.
    public func own(
        _ item: PasteboardItem, timestamp: UInt32, by owner: AnyObject? = nil, onLost: (() -> Void)? = nil
    ) {
        own(Contents(time: timestamp, owner: owner, item: item, onLost: onLost))
    }

    /// Claims the selection with a text. `text` is called when the text is requested, and returns nil if the text no
    /// longer exists.
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
            // Get the server's time first, because there is no event time yet: a claim at CurrentTime could override a
            // later owner.
            display.transfers.withCurrentTime { [weak self] in self?.claim(at: $0) }
        }
    }

    /// Gives up the selection and its contents, without a call of `onLost`. Transfers in progress continue.
    public func disown() {
        guard let contents else { return }
        self.contents = nil
        guard !display.isLost, contents.time != 0 else { return }
        display.needsTurn()
        XSetSelectionOwner(display.connection, selection, 0, UInt(contents.time))
    }

    /// The contents, if the server confirms that this object owns the selection. Otherwise nil. One round trip.
    package var localItem: PasteboardItem? {
        guard let contents, !display.isLost, display.transfers.isStillOwner(of: selection) else { return nil }
        return contents.item
    }

    private func claim(at time: UInt32) {
        guard contents != nil, !display.isLost else { return }
        contents?.time = time
        display.transfers.owned[selection] = self
        XSetSelectionOwner(display.connection, selection, display.transfers.window, UInt(time))
        // The server silently ignores a claim with an old timestamp. If it has done so, the selection is not ours.
        if !display.transfers.isStillOwner(of: selection) { giveUp() }
    }

    /// Claims the selection again, at the time of the old claim, because the window that owned it was destroyed and
    /// replaced. If another client owns the selection now, gives it up instead: the server would let this claim
    /// override another client's claim of the same millisecond.
    func claimAgain() {
        guard let contents, !display.isLost else { return }
        if XGetSelectionOwner(display.connection, selection) == 0 { claim(at: contents.time) } else { giveUp() }
    }

    private func giveUp() {
        display.transfers.owned[selection] = nil
        ownershipLost()
    }

    /// Drops the contents, because another client owns the selection.
    func ownershipLost() {
        let old = contents
        contents = nil
        old?.onLost?()
    }
}

extension Display {
    /// Returns the atom of a name. The first time, one round trip.
    func intern(_ name: String) -> Atom {
        if let atom = atoms[known: name] { return atom }
        let atom = XInternAtom(connection, name, 0)
        atoms[known: name] = atom
        return atom
    }
}
