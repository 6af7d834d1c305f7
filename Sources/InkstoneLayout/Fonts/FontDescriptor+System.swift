import CShaping
import Glibc

extension FontDescriptor {
    /// Has fontconfig read its configuration on a thread of its own, so that the first text view need not wait for it
    /// (about 5 ms): call it first thing in a program, after the locale is set. Returns at once.
    public static func prepareSystemFonts() {
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { _ in
                // Whoever needs it sooner waits for a lock in fontconfig.
                _ = cshaping_fonts_prepare()
                return nil
            }, nil)
        if failure == 0 { pthread_detach(thread) }
    }
}
