import CX11
import Glibc

/// A watch over signals of the process that calls back in a display's loop, outside the limits of a signal handler.
///
/// A process has one: signals go to the last watch that was made. A signal that the process was started with as ignored, as by `nohup`, stays so.
public final class SignalWatch {
    private let display: Display
    private let reading: Int32
    private let writing: Int32
    private var isEnded = false

    /// Begins to watch. `receive` is called with a signal's number in a turn of the display's loop; signals in quick succession may
    /// cause one call each. Nil if the system has no descriptors left; the signals then keep their previous effect.
    public init?(_ signals: [Int32], on display: Display, receive: @escaping (Int32) -> Void) {
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

    /// Ends the watch. The signals have no effect from then on: for a program that is about to exit.
    public func end() {
        guard !isEnded else { return }
        isEnded = true
        display.removeDescriptor(reading)
        cx11_signals_close(reading, writing)
    }

    deinit { end() }
}
