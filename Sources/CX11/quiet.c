// SIGPIPE is raised by a write to a server that is gone. By default it ends the process, before unsaved data is
// saved. The signal's handling belongs to the host, so the signal is only blocked: on the thread that writes, and
// only while Xlib writes.
#include <X11/Xlibint.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "include/cx11_connection.h"

// Whether this thread blocks SIGPIPE now, because of `cx11_quiet_begin`.
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
    // Do not change anything if the host blocks SIGPIPE itself.
    is_quiet = !sigismember(&before, SIGPIPE);
}

void cx11_quiet_end(void) {
    if (!is_quiet) return;
    sigset_t pipe = only_pipe(), pending;
    is_quiet = false;
    // Discard a pending SIGPIPE: it was raised since `cx11_quiet_begin`, because the signal was not blocked before.
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE)) {
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

// Blocks SIGPIPE before Xlib writes. Xlib has no hook after a write, so the hook after each request unblocks the
// signal.
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
