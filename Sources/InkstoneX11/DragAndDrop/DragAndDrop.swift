import CX11
import Glibc
import InkstoneBase

/// Drag and drop on a display (XDND 5): the drag that began in this process, and the drags over this process's
/// windows.
final class DragAndDrop {
    unowned let display: Display
    /// The XdndSelection selection, which a source owns while it drags.
    let selection: Clipboard
    let actions: DragActionAtoms
    /// The drag that began in this process; nil without one, and after its target has finished.
    var session: DraggingSession?
    /// The time-outs of drags; changed by tests.
    var timing = DragSource.Timing()
    private var sites: [UInt: DropSite] = [:]
    /// The host windows whose drops our windows receive (XdndProxy). The key is our window, the value the host's
    /// window.
    private var hosts: [UInt: UInt] = [:]
    private(set) var atomNames: [Atom: String] = [:]

    init(_ display: Display) {
        self.display = display
        selection = Clipboard(display, selection: display.atoms["XdndSelection"])
        actions = DragActionAtoms(copy: display.atoms["XdndActionCopy"], move: display.atoms["XdndActionMove"])
    }

    /// Announces that a top-level window accepts drops. Must be called before the window is mapped.
    static func announce(_ window: UInt, on display: Display) {
        set("XdndAware", PredefinedAtom.atom, 5, of: window, on: display)
    }

    private static func set(_ name: String, _ type: Atom, _ value: UInt, of window: UInt, on display: Display) {
        withUnsafeBytes(of: value) { bytes in
            display.tolerating {
                _ = XChangeProperty(
                    display.connection, window, display.atoms[name], type, 32, PropModeReplace,
                    bytes.assumingMemoryBound(to: UInt8.self).baseAddress, 1)
            }
        }
    }

    /// Handles a client message to one of our windows, or to a host's window whose drops one of our windows
    /// receives. Returns whether it is an XDND message.
    @discardableResult
    func receive(_ event: XClientMessageEvent, for window: Window) -> Bool {
        guard event.window == window.id.xid || hosts[window.id.xid] == event.window,
            let (message, source) = message(in: event)
        else { return false }
        site(of: window).receive(message, from: source, about: event.window)
        return true
    }

    /// Makes one of our windows receive the drops on a host's window (XDND, "XdndProxy"), in place of any other. A
    /// property of our window names the window itself, by which sources recognize that it still exists.
    func setProxy(_ window: Window, of host: UInt) {
        for (other, its) in hosts where its == host && other != window.id.xid {
            hosts.removeValue(forKey: other)
            sites.removeValue(forKey: other)?.close()
        }
        Self.announce(window.id.xid, on: display)
        for holder in [window.id.xid, host] {
            Self.set("XdndProxy", PredefinedAtom.window, window.id.xid, of: holder, on: display)
        }
        hosts[window.id.xid] = host
    }

    /// Handles an XDND message to the window that owns our selections: an answer of the target of our drag.
    func receive(_ event: XClientMessageEvent) {
        guard let (message, target) = message(in: event) else { return }
        session?.receive(message, from: target)
    }

    private func message(in event: XClientMessageEvent) -> (DragMessage, sender: UInt)? {
        guard event.format == 32,
            let name = DragMessage.names.first(where: { display.atoms[$0] == event.message_type })
        else { return nil }
        let data = event.data.l
        return DragMessage(name: name, words: [data.1, data.2, data.3, data.4], actions).map {
            ($0, UInt(bitPattern: data.0))
        }
    }

    /// Sends a message to the window `receiver`, which may not exist any more. `subject` is the window that the
    /// message is about.
    func send(_ message: DragMessage, from sender: UInt, to receiver: UInt, naming subject: UInt) {
        guard !display.isLost else { return }
        let words = message.words(actions)
        var event = XEvent()
        event.xclient.type = ClientMessage
        event.xclient.window = subject
        event.xclient.message_type = display.atoms[message.name]
        event.xclient.format = 32
        event.xclient.data.l = (Int(bitPattern: sender), words[0], words[1], words[2], words[3])
        display.tolerating { _ = XSendEvent(display.connection, receiver, 0, 0, &event) }
    }

    private func site(of window: Window) -> DropSite {
        if let site = sites[window.id.xid] { return site }
        let site = DropSite(window, self)
        sites[window.id.xid] = site
        return site
    }

    /// Ends the drag or drop on a window that is being closed, and stops receiving its host's drops. A drop whose data
    /// was not used yet fails.
    func windowWillClose(_ window: Window) {
        sites.removeValue(forKey: window.id.xid)?.close()
        guard let host = hosts.removeValue(forKey: window.id.xid) else { return }
        display.tolerating { _ = XDeleteProperty(display.connection, host, display.atoms["XdndProxy"]) }
    }

    /// The maximum number of atom names that are cached. If it is reached, the cache is emptied. There is a limit
    /// because any client can create any number of atoms.
    static let mostNames = 256

    /// Returns the names of the first 64 atoms, up to the first invalid one. One round trip for each atom that is
    /// not cached.
    func names(of atoms: [Atom]) -> [String] {
        var names: [String] = []
        for atom in atoms.prefix(64) where atom != 0 {
            if let known = atomNames[atom] {
                names.append(known)
                continue
            }
            guard let name = display.tolerating({ XGetAtomName(display.connection, atom) }) else { break }
            defer { XFree(name) }
            names.append(String(cString: name))
            if atomNames.count == Self.mostNames { atomNames = [:] }
            if strnlen(name, 256) < 256 { atomNames[atom] = names.last }
        }
        return names
    }
}

extension Display {
    /// The display's drag and drop, created on first use.
    var dragAndDrop: DragAndDrop { companion { DragAndDrop(self) } }
}
