import CX11
import Glibc

/// A watch for signals of the process. It calls back in a display's loop, where the restrictions of signal handlers
/// do not apply.
///
/// A process has a single watch at a time: signals go to the one created last. A signal that was ignored when the
/// process was started, for example by `nohup`, stays ignored.
package final class SignalWatch {
    private let display: Display
    private let reading: Int32
    private let writing: Int32
    private var isEnded = false

    /// Creates the watch and starts it. A turn of the display's loop calls `receive` with the signal's number. Signals
    /// in quick succession may be reported only once. Nil if the system has no free descriptors; the signals then keep
    /// their previous effect.
    package init?(_ signals: [Int32], on display: Display, receive: @escaping (Int32) -> Void) {
        var writing: Int32 = -1
        reading = cx11_signals_open(&writing)
        guard reading >= 0 else { return nil }
        (self.writing, self.display) = (writing, display)
        let reading = reading
        display.addDescriptor(reading) {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(reading, &bytes, bytes.count)
            for byte in bytes.prefix(max(0, count)) { receive(Int32(byte)) }
        }
        for signal in signals { _ = cx11_signals_catch(signal) }
    }

    /// Ends the watch. From then on the signals have no effect, so call this only when the program is about to
    /// exit.
    package func end() {
        guard !isEnded else { return }
        isEnded = true
        display.removeDescriptor(reading)
        cx11_signals_close(reading, writing)
    }

    deinit { end() }
}
