// What the files of xim*.c share of a connection to an input method.
#ifndef CX11_XIM_PRIVATE_H
#define CX11_XIM_PRIVATE_H

#include <X11/Xlib.h>
#include <X11/Xproto.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/cx11_xim.h"

// Of the XIM protocol: a packet longer than this has to be kept from Xlib.
enum { XIM_PACKET_LIMIT = 2048 };
// As many commits and keys are taken from Xlib's queue at a time.
enum { GROUP_LIMIT = 1024 };
// Of the XIM protocol: two requests that are made up here.
enum { XIM_ERROR_MESSAGE = 20, XIM_DESTROY_IC_REPLY_MESSAGE = 53 };

// The call of Xlib that waits for the server, if it is in one.
enum call { XIM_CALL_NONE, XIM_CALL_OPEN, XIM_CALL_CREATE, XIM_CALL_DESTROY, XIM_CALL_RESET, XIM_CALL_OTHER };

struct context {
    cx11_xim *xim;
    Window window;
    XIC ic;
    bool focused;
    // The server's numbers for it, learnt from what it sends; 0 until then.
    unsigned method_number, number;
    struct context *next;
};

// A key event taken from the queue with what it was looked up to.
struct item {
    XKeyEvent key;
    char *text;
    int length;
    KeySym keysym;
};

struct cx11_xim {
    cx11_xim_callback callback;
    void *context;
    Display *display;
    Window own_window, server_window;
    Atom selection, locales, transport;
    int fixes_event;
    bool has_fixes, keeps_order, has_stale_mark;
    Atom protocol, more_data, compound_text, set_aside;
    // The call under way and the context that it is about; for OPEN there is none.
    enum call call;
    const struct context *calling;
    // Xlib's own converters of what comes off the wire.
    Bool (*message_to_event)(Display *, XEvent *, xEvent *);
    Bool (*notice_to_event)(Display *, XEvent *, xEvent *);
    // The first message during a reset that announces a packet too large for Xlib; its type is 0 if there was none.
    XClientMessageEvent large_reply;
    // The last message was a part of a packet, so that the next is not the start of one.
    bool was_more_data;
    // Where the server's messages arrive.
    Window transport_window;
    XIM im;
    XFontSet font_set;
    // What Xlib cannot deliver of the packet being delivered: see `note_packet`.
    struct {
        bool is_draw;
        int caret, change_first, change_length;
        char *text;
        int text_length;
        unsigned long *feedback;
        int feedback_count;
    } noted;
    struct context *contexts;
    struct item *items;
    // How many commits and keys the present call has reported.
    int taken;
    // Where a call into Xlib is left when the connection is lost under it.
    sigjmp_buf jump;
    volatile bool in_call, lost, holds_modifiers;
};

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
    } while (0)
#define WAITED(xim) WAIT(xim, NONE, NULL)

// The context for a window; null if there is none.
static inline struct context *cx11_xim_find(const cx11_xim *xim, Window window) {
    struct context *c = xim->contexts;
    while (c && c->window != window) c = c->next;
    return c;
}

static inline int cx11_xim_report(const cx11_xim *xim, const cx11_xim_message *message) {
    return xim->callback(message, xim->context);
}

// Does what an event asks for.
void cx11_xim_handle(cx11_xim *xim, XEvent *event);

// Reports the commits and keys that a call has put on top of Xlib's queue. Trap “reversed commits”: they must be taken
// before anything else is read.
void cx11_xim_take_absorbed(cx11_xim *xim);

// Puts what Xlib cannot deliver of a packet by the side, gives Xlib a packet in the form that needs no property, and
// runs the callback it leads to. False if Xlib could not make anything of it.
bool cx11_xim_feed(cx11_xim *xim, XEvent *event);

// Notes what a message of the server tells besides what Xlib makes of it.
void cx11_xim_learn(cx11_xim *xim, const XClientMessageEvent *message);

// Sets preedit messages free that Xlib holds back for `c`, which may be null.
void cx11_xim_release_held_back(cx11_xim *xim, const struct context *c);

// Has what comes off the wire looked at on its way into Xlib's queue; for the thread that calls this.
void cx11_xim_watch_wire(cx11_xim *xim);

// Whether a packet too large for Xlib came during a reset: Xlib's wait for the reply was ended then.
bool cx11_xim_has_set_reply_aside(const cx11_xim *xim);

// Whether an event, or null for the packet that came first during a reset, announces the reply to it or an error. If so
// `reply` becomes its text, freed with `free`, or null; else null puts the packet into the queue, and an event is left alone.
bool cx11_xim_take_reply(cx11_xim *xim, const XEvent *event, char **reply);

// How many commits and keys given back lie in Xlib's queue.
int cx11_xim_queued_keys(const cx11_xim *xim);

// Drops what was noted of the last packet.
void cx11_xim_forget_noted(cx11_xim *xim);

#endif
