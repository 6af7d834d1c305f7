#include "include/cx11_handlers.h"

#include <X11/Xlibint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "include/cx11_connection.h"
#include "opening.h"

// The maximum number of registered displays; registering a further one fails. The maximum number of earlier handlers
// that are remembered; a further one takes the place of the newest. The number of the first event of an extension, and
// the number of such events.
enum { MAX_DISPLAYS = 64, MAX_CHAIN = 8, FIRST_EXTENSION_EVENT = 64, EXTENSION_EVENTS = 64 };

typedef Bool (*converter)(Display *, XEvent *, xEvent *);

struct entry {
    Display *display;
    bool own;
    bool lost;
    // Whether the display is being closed. Its callbacks are not called any more, and Xlib may give its address to
    // a new display at any time.
    bool closing;
    // The end of Xlib's output buffer, to be restored if Xlib has marked the buffer as unusable.
    char *buffer_end;
    cx11_error_callback error;
    void *error_context;
    cx11_io_error_callback io_error;
    void *io_error_context;
    // The functions of the extensions' libraries that convert the events sent by the server.
    converter converters[EXTENSION_EVENTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[MAX_DISPLAYS];

// The handlers that were installed before ours, oldest first. A host may later install its own handler, which calls the
// handlers before it, and so ours: the calls would then form an endless ring. `error_depth` and `io_depth` count how
// often this thread is inside our handler, and each nested call is passed to the next older handler.
static XErrorHandler error_chain[MAX_CHAIN];
static int error_count;
static _Thread_local int error_depth;
static XIOErrorHandler io_chain[MAX_CHAIN];
static int io_count;
static _Thread_local int io_depth;
_Thread_local bool cx11_is_opening;
_Thread_local sigjmp_buf cx11_opening_jump;

static struct entry *find(Display *display, bool closing) {
    for (int i = 0; i < MAX_DISPLAYS; i++)
        if (entries[i].display == display && entries[i].closing == closing) return &entries[i];
    return NULL;
}

static bool copy_entry(Display *display, struct entry *copy) {
    pthread_mutex_lock(&lock);
    struct entry *found = find(display, false);
    if (!found) found = find(display, true);
    if (found) *copy = *found;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

static Bool convert(Display *display, XEvent *event, xEvent *wire) {
    struct entry entry;
    if ((wire->u.u.type & 0x80) || !copy_entry(display, &entry)) return False;
    converter proper = entry.converters[(wire->u.u.type & 0x7f) - FIRST_EXTENSION_EVENT];
    return proper ? proper(display, event, wire) : False;
}

void cx11_handlers_refuse_sent(Display *display) {
    converter *vector = display->event_vec + FIRST_EXTENSION_EVENT;
    int known = 0;
    while (known < EXTENSION_EVENTS && vector[known] == convert) known++;
    if (known == EXTENSION_EVENTS) return;
    pthread_mutex_lock(&lock);
    struct entry *entry = find(display, false);
    for (int i = known; entry && i < EXTENSION_EVENTS; i++) {
        if (vector[i] == convert) continue;
        entry->converters[i] = vector[i];
        vector[i] = convert;
    }
    pthread_mutex_unlock(&lock);
}

static int on_error(Display *display, XErrorEvent *error) {
    struct entry entry;
    if (copy_entry(display, &entry)) {
        if (entry.error ? entry.error(display, error, entry.error_context) : entry.own) return 0;
    }
    pthread_mutex_lock(&lock);
    int index = error_count - 1 - error_depth;
    XErrorHandler next = index >= 0 ? error_chain[index] : NULL;
    pthread_mutex_unlock(&lock);
    if (!next) return 0;
    error_depth++;
    int result = next(display, error);
    error_depth--;
    return result;
}

// Empties Xlib's output buffer, and clears the flag that would prevent later writes from calling our handler again.
// Xlib leaves the buffer full after a failed write, and would then write the next request through a null pointer.
static void make_writable(struct entry *entry) {
    Display *display = entry->display;
    if (display->bufmax == display->buffer && entry->buffer_end) display->bufmax = entry->buffer_end;
    display->bufptr = display->buffer;
    display->flags &= ~XlibDisplayIOError;
}

static int on_io_error(Display *display) {
    struct entry entry;
    if (copy_entry(display, &entry)) {
        bool first = false;
        pthread_mutex_lock(&lock);
        struct entry *found = find(display, false);
        if (found) {
            first = !found->lost;
            found->lost = true;
        }
        pthread_mutex_unlock(&lock);
        if (entry.io_error && (first || !entry.own)) entry.io_error(display, entry.io_error_context);
        if (entry.own) return 0;
    } else if (cx11_is_opening) {
        siglongjmp(cx11_opening_jump, 1);
    }
    pthread_mutex_lock(&lock);
    int index = io_count - 1 - io_depth;
    XIOErrorHandler next = index >= 0 ? io_chain[index] : NULL;
    pthread_mutex_unlock(&lock);
    if (!next) return 0;
    io_depth++;
    int result = next(display);
    io_depth--;
    return result;
}

// Returns from the loss of a connection, in place of Xlib's own exit handler, which ends the process.
static void on_io_exit(Display *display, void *context) {
    (void)context;
    struct entry entry;
    if (copy_entry(display, &entry)) make_writable(&entry);
}

void cx11_handlers_reassert(void) {
    XErrorHandler error = XSetErrorHandler(on_error);
    XIOErrorHandler io = XSetIOErrorHandler(on_io_error);
    if (error == on_error && io == on_io_error) return;
    pthread_mutex_lock(&lock);
    if (error != on_error) {
        // If the handler is remembered already, the host has installed it again: forget the handlers after it.
        for (int i = 0; i < error_count; i++)
            if (error_chain[i] == error) error_count = i;
        if (error_count == MAX_CHAIN) error_count--;
        error_chain[error_count++] = error;
    }
    if (io != on_io_error) {
        for (int i = 0; i < io_count; i++)
            if (io_chain[i] == io) io_count = i;
        if (io_count == MAX_CHAIN) io_count--;
        io_chain[io_count++] = io;
    }
    pthread_mutex_unlock(&lock);
}

void cx11_handlers_install(void) {
    cx11_handlers_reassert();
}

static bool add(Display *display, bool own) {
    cx11_handlers_install();
    pthread_mutex_lock(&lock);
    struct entry *entry = find(display, false);
    if (!entry) {
        entry = find(NULL, false);
        if (entry) *entry = (struct entry){.display = display};
    }
    if (entry) {
        entry->own = own;
        if (display->bufmax != display->buffer) entry->buffer_end = display->bufmax;
    }
    pthread_mutex_unlock(&lock);
    if (entry && own) XSetIOErrorExitHandler(display, on_io_exit, NULL);
    return entry != NULL;
}

bool cx11_handlers_add_own(Display *display) {
    return add(display, true);
}

bool cx11_handlers_add_adopted(Display *display) {
    return add(display, false);
}

void cx11_handlers_set_error(Display *display, cx11_error_callback callback, void *context) {
    pthread_mutex_lock(&lock);
    struct entry *entry = find(display, false);
    if (entry) {
        entry->error = callback;
        entry->error_context = context;
    }
    pthread_mutex_unlock(&lock);
}

void cx11_handlers_set_io_error(Display *display, cx11_io_error_callback callback, void *context) {
    pthread_mutex_lock(&lock);
    struct entry *entry = find(display, false);
    if (entry) {
        entry->io_error = callback;
        entry->io_error_context = context;
    }
    pthread_mutex_unlock(&lock);
}

void cx11_handlers_remove(Display *display) {
    pthread_mutex_lock(&lock);
    struct entry *entry = find(display, false);
    if (entry) *entry = (struct entry){0};
    pthread_mutex_unlock(&lock);
}

void cx11_handlers_close(Display *display) {
    pthread_mutex_lock(&lock);
    struct entry *entry = find(display, false);
    bool lost = !entry || entry->lost;
    if (entry) *entry = (struct entry){
        .display = display, .own = entry->own, .lost = true, .closing = true, .buffer_end = entry->buffer_end};
    pthread_mutex_unlock(&lock);
    cx11_quiet_begin();
    // Wait for the server before taking the lock of Xft, so that closing does not wait while holding it.
    if (!lost) XSync(display, False);
    // Xft removes the display from its tables when the display is closed, so take its lock.
    cx11_xft_lock();
    XCloseDisplay(display);
    cx11_xft_unlock();
    cx11_quiet_end();
    if (!entry) return;
    pthread_mutex_lock(&lock);
    *entry = (struct entry){0};
    pthread_mutex_unlock(&lock);
}

bool cx11_handlers_is_lost(Display *display) {
    struct entry entry;
    return copy_entry(display, &entry) && entry.lost;
}
