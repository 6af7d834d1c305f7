import Glibc

extension Display {
    /// Connects to the X server called `name`, or to `$DISPLAY`. Where that fails, prints the error to standard error and ends the program with
    /// status 1.
    ///
    /// For a program that is nothing without its window: an error thrown out of `main.swift` ends in the dump of a crash instead. A program with
    /// something else to do catches the error of ``init(name:)``.
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
