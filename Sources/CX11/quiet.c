// SIGPIPE, which a write to a server that has gone raises and which by default ends the process, before what is unsaved is
// kept. It belongs to the host, so it is only held back on the thread that writes, and only while Xlib does.
#include <X11/Xlibint.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "include/cx11_connection.h"

// Whether this thread holds it back now, because of us.
static _Thread_local bool is_quiet;

static sigset_t only_pipe(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

void cx11_quiet_begin(void) {
    sigset_t pipe = only_pipe(), before;
    if (is_quiet || pthread_sigmask(SIG_BLOCK, &pipe, &before) != 0) return;
    // A host that holds it back itself is left alone.
    is_quiet = !sigismember(&before, SIGPIPE);
}

void cx11_quiet_end(void) {
    if (!is_quiet) return;
    sigset_t pipe = only_pipe(), pending;
    is_quiet = false;
    // It was not pending before: it was not held back.
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE)) {
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

// Xlib's hook before it writes; it has none behind it, but one behind each request, which may be what made it write.
static void before_flush(Display *display, XExtCodes *codes, const char *data, long size) {
    (void)display, (void)codes, (void)data, (void)size;
    cx11_quiet_begin();
}

static int after_request(Display *display) {
    (void)display;
    cx11_quiet_end();
    return 0;
}

void cx11_quiet_watch(Display *display) {
    XExtCodes *codes = XAddExtension(display);
    if (!codes) return;
    XESetBeforeFlush(display, codes->extension, before_flush);
    XSetAfterFunction(display, after_request);
}

void cx11_flush(Display *display) {
    XFlush(display);
    cx11_quiet_end();
}

int cx11_events_queued(Display *display, int mode) {
    int count = XEventsQueued(display, mode);
    cx11_quiet_end();
    return count;
}
