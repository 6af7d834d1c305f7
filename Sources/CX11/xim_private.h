// What the files of xim*.c share of a connection to an input method.
#ifndef CX11_XIM_PRIVATE_H
#define CX11_XIM_PRIVATE_H

#include <X11/Xlib.h>
#include <X11/Xproto.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xcb/xcb.h>

#include "include/cx11_xim.h"
#include "include/cx11_xim_packet.h"

// As many commits and keys are taken from Xlib's queue at a time.
enum { GROUP_LIMIT = 1024 };
// The data of one message without a property, in bytes.
enum { CHUNK = 20 };

// The call of Xlib that waits for the server, if it is in one.
enum call { XIM_CALL_NONE, XIM_CALL_OPEN, XIM_CALL_CREATE, XIM_CALL_DESTROY, XIM_CALL_RESET, XIM_CALL_OTHER };

struct context {
    cx11_xim *xim;
    Window window;
    XIC ic;
    bool focused;
    // The server's number for it; 0 until it has told it.
    uint16_t number;
    // Whether its preedit is drawn here, so that Xlib calls back for what the server draws.
    bool has_callbacks;
    struct context *next;
};

// A key event taken from the queue with what it was looked up to.
struct item {
    XKeyEvent key;
    char *text;
    int length;
    KeySym keysym;
};

// A text of the server's that Xlib has been given a name for: see xim_texts.c.
struct text {
    uint32_t number;
    uint16_t context;
    bool is_commit;
    // COMPOUND_TEXT.
    uint8_t *bytes;
    size_t size;
    unsigned long *feedback;
    int feedback_count;
    struct text *next;
};

struct cx11_xim {
    cx11_xim_callback callback;
    void *context;
    Display *display;
    Window own_window, server_window;
    Atom selection, locales, transport;
    int fixes_event;
    bool has_fixes, keeps_order, has_stale_mark;
    Atom protocol, more_data, connect, compound_text;
    // The call under way and the context that it is about; for OPEN there is none.
    enum call call;
    struct context *calling;
    // Xlib's own converters of what comes off the wire.
    Bool (*message_to_event)(Display *, XEvent *, xEvent *);
    Bool (*selection_to_event)(Display *, XEvent *, xEvent *);
    Bool (*notice_to_event)(Display *, XEvent *, xEvent *);
    // A connection that reads the properties of packets inside of Xlib's own reading, where Xlib cannot be called.
    xcb_connection_t *reader;
    // The beginning of a packet that comes in several messages.
    uint8_t *assembly;
    size_t assembled;
    cx11_xim_grammar grammar;
    // Why the connection was ended for what the server sent; null if it was not.
    const char *refusal;
    // The connection was ended because there was no memory.
    bool is_starved;
    // The window that Xlib asks the server's locales and transport for, and how many answers it has had.
    Window asking_window;
    int answer_count;
    // Where the server's messages arrive.
    Window transport_window;
    XIM im;
    XFontSet font_set;
    struct text *texts;
    size_t text_count, text_bytes;
    uint32_t next_text;
    // How many commits came in the reset under way.
    int reset_commits;
    // Names of commits that Xlib has put into the reply to a reset, in the order of its queue, where the events are that
    // they came with; null if there are none.
    char *returned;
    size_t returned_at, returned_end;
    // What a call has made and not yet given out: texts being put together, and the reply to a reset.
    char *joined, *reply;
    struct context *contexts;
    struct item *items;
    // How many commits and keys the present call has reported.
    int taken;
    // Where a call into Xlib is left when the connection is lost under it.
    sigjmp_buf jump;
    volatile bool in_call, lost, holds_modifiers;
};

// Ends the connection because there is no memory: Xlib's next reading or writing finds its end.
void cx11_xim_starve(cx11_xim *xim);

// What a call that was left because the connection broke under it has to put right; returns LOST.
cx11_xim_result cx11_xim_left_call(cx11_xim *xim);

// Every function that calls Xlib begins with this and ends with LEAVE.
#define ENTER(xim)                                                        \
    do {                                                                  \
        if ((xim)->lost || !(xim)->display) return CX11_XIM_LOST;         \
        if (sigsetjmp((xim)->jump, 0)) return cx11_xim_left_call(xim);             \
        (xim)->in_call = true;                                            \
        (xim)->taken = 0;                                                 \
    } while (0)
#define LEAVE(xim, result)        \
    do {                          \
        (xim)->in_call = false;   \
        return (result);          \
    } while (0)
// Around what waits for the server.
#define WAIT(xim, kind, context)      \
    do {                              \
        (xim)->call = XIM_CALL_##kind; \
        (xim)->calling = (context);   \
        (xim)->reset_commits = 0;     \
    } while (0)
#define WAITED(xim) WAIT(xim, NONE, NULL)

// The context for a window; null if there is none.
static inline struct context *cx11_xim_find(const cx11_xim *xim, Window window) {
    struct context *c = xim->contexts;
    while (c && c->window != window) c = c->next;
    return c;
}

// The context that the server gave a number to, which is not 0; null if there is none.
static inline struct context *cx11_xim_find_numbered(const cx11_xim *xim, uint16_t number) {
    struct context *c = xim->contexts;
    while (c && (c->number == 0 || c->number != number)) c = c->next;
    return c;
}

static inline int cx11_xim_report(const cx11_xim *xim, const cx11_xim_message *message) {
    // What follows a text that was lost for want of memory would be taken for something else.
    if (xim->is_starved && message->kind != CX11_XIM_DESTROYED && message->kind != CX11_XIM_BROKEN) return 0;
    return xim->callback(message, xim->context);
}

// Does what an event asks for.
void cx11_xim_handle(cx11_xim *xim, XEvent *event);

// Reports the commits and keys that a call has put on top of Xlib's queue. Trap “reversed commits”: they must be taken
// before anything else is read.
void cx11_xim_take_absorbed(cx11_xim *xim);

// Gives Xlib a well-formed packet in its queue, in the form that needs no property, as if it had come as `event`; that
// becomes its last message. Returns what is wrong, or null. Inside of Xlib's reading.
const char *cx11_xim_deliver(cx11_xim *xim, XEvent *event, const cx11_xim_packet *packet, const uint8_t *bytes);

// Keeps a text of the server's, with feedback that is copied from the packet. Returns what Xlib is to be given instead, or
// 0 if there is no memory or too much is kept.
uint32_t cx11_xim_keep_text(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes);

// The name of a text, TEXT_NAME bytes.
enum { TEXT_NAME = 4 };
void cx11_xim_write_name(uint8_t *name, uint32_t number);

// Writes 16 bits of a packet, in this machine's byte order.
static inline void cx11_xim_write16(void *bytes, unsigned value) {
    memcpy(bytes, &(uint16_t){(uint16_t)value}, sizeof(uint16_t));
}

// How many of the names are those of commits; in a reply to a reset they come before the name of its own text.
size_t cx11_xim_count_commits(const cx11_xim *xim, const char *names, size_t length);

// The texts whose names are there, one after the other, as UTF-8 to be freed with `free`, and their size in bytes; null if
// there are none. They are forgotten. `feedback`, if not null, becomes that of the first, to be freed with `free`, and null
// if it has none.
char *cx11_xim_take_texts(cx11_xim *xim, const char *names, size_t length, int *size, unsigned long **feedback,
                          int *feedback_count);

// Forgets the texts of a context; of all of them for 0.
void cx11_xim_forget_texts(cx11_xim *xim, uint16_t context);

// Sets preedit messages free that Xlib holds back for `c`, which may be null.
void cx11_xim_release_held_back(cx11_xim *xim, const struct context *c);

// Has what comes off the wire looked at on its way into Xlib's queue; for the thread that calls this.
void cx11_xim_watch_wire(cx11_xim *xim);

// How many commits and keys given back lie in Xlib's queue.
int cx11_xim_queued_keys(const cx11_xim *xim);

#endif
