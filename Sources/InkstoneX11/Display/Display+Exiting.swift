import Glibc

extension Display {
    /// Connects to the X server called `name`, or to `$DISPLAY`. If that fails, prints the error to standard error
    /// and ends the program with status 1.
    ///
    /// For programs that cannot do anything without a window. If such a program let the error leave `main.swift`,
    /// it would end with a crash report. Other programs use ``init(name:)`` and catch its error.
    public static func openOrExit(name: String? = nil) -> Display {
        do throws(X11Error) {
            return try Display(name: name)
        } catch {
            var message = "\(error)\n"
            message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            exit(1)
        }
    }
}
