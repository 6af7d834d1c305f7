// What xim.c and xim_packets.c share of a connection to an input method.
#ifndef CX11_XIM_PRIVATE_H
#define CX11_XIM_PRIVATE_H

#include <X11/Xlib.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/cx11_xim.h"

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
    Atom selection, locales, property;
    int fixes_event;
    bool has_fixes, keeps_order, has_stale_mark;
    Atom protocol, more_data, compound_text;
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
    // Where a call into Xlib is left when the connection is lost under it.
    sigjmp_buf jump;
    volatile bool in_call, lost, holds_modifiers;
};

// Puts what Xlib cannot deliver of a packet by the side, gives Xlib a packet in the form that needs no property, and runs
// the callback it leads to. False if Xlib could not make anything of it.
bool cx11_xim_feed(cx11_xim *xim, XEvent *event);

// Notes what a message of the server tells besides what Xlib makes of it.
void cx11_xim_learn(cx11_xim *xim, const XClientMessageEvent *message);

// Sets preedit messages free that Xlib holds back for `c`, which may be null.
void cx11_xim_release_held_back(cx11_xim *xim, const struct context *c);

// Drops what was noted of the last packet.
void cx11_xim_forget_noted(cx11_xim *xim);

#endif
