// Events: each goes through XFilterEvent once, and what the server committed or gave back is taken from Xlib's queue in
// the server's order.
#include <X11/Xatom.h>
#include <X11/Xutil.h>
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// Looks up what was committed. Trap “unset status”: Xlib leaves the status alone if the server is gone.
static void look_up(cx11_xim *xim, struct item *item) {
    struct context *c = cx11_xim_find(xim, item->key.window);
    Status status = XLookupNone;
    char names[64];
    if (!c || !c->ic) return;
    int length = Xutf8LookupString(c->ic, &item->key, names, sizeof names, &item->keysym, &status);
    if ((status == XLookupChars || status == XLookupBoth) && length > 0) {
        item->text = cx11_xim_take_texts(xim, names, (size_t)length, &item->length, NULL, NULL);
    } else if (status == XLookupNone && xim->returned && xim->returned_at < xim->returned_end) {
        // What this event came with is in the reply to a reset.
        item->text = cx11_xim_take_texts(
            xim, xim->returned + xim->returned_at, TEXT_NAME, &item->length, NULL, NULL);
        xim->returned_at += TEXT_NAME;
    }
    if (status != XLookupKeySym && status != XLookupBoth) item->keysym = 0;
}

static void report_item(cx11_xim *xim, struct item *item) {
    bool is_commit = item->key.keycode == 0;
    cx11_xim_message m = {
        .kind = is_commit ? CX11_XIM_COMMIT : CX11_XIM_KEY,
        .window = item->key.window,
        .text = item->text,
        .text_length = item->length,
        .value = item->keysym,
        .key = item->key,
        .sequence = xim->taken++,
    };
    // A keycode of 0 without text is what is left of a commit that a reset has returned, or a key that nobody typed.
    if (!is_commit || item->length || item->keysym) cx11_xim_report(xim, &m);
    free(item->text);
    *item = (struct item){0};
}

// Traps “stale mark” and “unanswered SYNC”: Xlib marks the input method when it puts such an event into the queue; the
// event's way through the filter takes the mark off and answers the server's SYNC. A context destroyed meanwhile has no
// filter: another's does, or the next one's.
static void take_mark(cx11_xim *xim, XEvent event) {
    if (!cx11_xim_find(xim, event.xkey.window)) {
        if (!xim->contexts) {
            xim->has_stale_mark = true;
            return;
        }
        event.xkey.window = xim->contexts->window;
    }
    XFilterEvent(&event, None);
}

// Trap “reversed commits”: what came during one call lies there last first.
// Takes the key events on top of the queue. All of them are fabricated by Xlib: this connection selects no keys.
static void take_keys(cx11_xim *xim, XEvent first) {
    int count = 0;
    XEvent event = first;
    for (;;) {
        if (count == 0 || xim->keeps_order) take_mark(xim, event);
        struct item *item = &xim->items[count++];
        *item = (struct item){.key = event.xkey};
        if (event.type == KeyPress && event.xkey.keycode == 0) look_up(xim, item);
        if (count == GROUP_LIMIT || XEventsQueued(xim->display, QueuedAlready) == 0) break;
        XPeekEvent(xim->display, &event);
        if (event.type != KeyPress && event.type != KeyRelease) break;
        XNextEvent(xim->display, &event);
    }
    for (int i = 0; i < count; i++) report_item(xim, &xim->items[xim->keeps_order ? i : count - 1 - i]);
}

void cx11_xim_handle(cx11_xim *xim, XEvent *event) {
    bool is_packet = event->type == ClientMessage && event->xclient.message_type == xim->protocol;
    if (event->type == KeyPress || event->type == KeyRelease) {
        take_keys(xim, *event);
    } else if (XFilterEvent(event, None)) {
        return;
    } else if (is_packet && xim->im) {
        cx11_xim_report(xim, &(cx11_xim_message){.kind = CX11_XIM_BROKEN});
    } else if (event->type == SelectionNotify && event->xselection.requestor == xim->own_window) {
        // A refusal comes from the X server when there is no owner.
        if (event->xselection.property == None) return;
        XDeleteProperty(xim->display, xim->own_window, event->xselection.property);
        if (event->xselection.property == xim->locales) cx11_xim_report(xim, &(cx11_xim_message){.kind = CX11_XIM_PONG});
    } else if (event->type == MappingNotify) {
        XRefreshKeyboardMapping(&event->xmapping);
    }
}

static void pump(cx11_xim *xim) {
    XEvent event;
    while (XPending(xim->display)) {
        XNextEvent(xim->display, &event);
        cx11_xim_handle(xim, &event);
    }
}

cx11_xim_result cx11_xim_pump(cx11_xim *xim) {
    ENTER(xim);
    pump(xim);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_has_events(cx11_xim *xim, bool *pending) {
    ENTER(xim);
    *pending = XPending(xim->display) > 0;
    LEAVE(xim, CX11_XIM_OK);
}

// Trap “reversed commits”: what a blocking call has put on top of the queue must be taken before anything else is read.
void cx11_xim_take_absorbed(cx11_xim *xim) {
    XEvent event;
    if (XEventsQueued(xim->display, QueuedAlready) == 0) return;
    XPeekEvent(xim->display, &event);
    if (event.type != KeyPress && event.type != KeyRelease) return;
    XNextEvent(xim->display, &event);
    take_keys(xim, event);
}
