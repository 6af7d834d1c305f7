// What has to be seen of the input method's messages while Xlib waits for an answer and hands out nothing: each is
// looked at when it comes off the wire (`XESetWireToEvent`, the hook of X extensions), inside of Xlib's reading.
#include <X11/Xlibint.h>
#include <X11/extensions/Xfixes.h>
#include <string.h>

#include "xim_private.h"

// The hooks get a display only; each connection has a thread of its own.
static _Thread_local cx11_xim *here;

static void write16(char *p, unsigned value) { memcpy(p, &(uint16_t){(uint16_t)value}, 2); }

// Turns an event into the answer that ends the call Xlib is in: “error”; for XDestroyIC “destroyed” (trap “deaf
// destroy”: it would wait on after an error, `_XimDestroyICCheck`). False if the server's numbers for the context are
// not known.
static bool become_answer(cx11_xim *xim, XEvent *event) {
    const struct context *c = xim->calling;
    if (!c || !c->number || !xim->transport_window) return false;
    XClientMessageEvent answer = {
        .type = ClientMessage,
        .serial = event->xany.serial,
        .display = xim->display,
        .window = xim->transport_window,
        .message_type = xim->protocol,
        .format = 8,
    };
    char *packet = answer.data.b;
    packet[0] = xim->call == XIM_CALL_DESTROY ? XIM_DESTROY_IC_REPLY_MESSAGE : XIM_ERROR_MESSAGE;
    write16(packet + 2, xim->call == XIM_CALL_DESTROY ? 1 : 3);
    write16(packet + 4, c->method_number);
    write16(packet + 6, c->number);
    // Both numbers above are valid.
    if (xim->call != XIM_CALL_DESTROY) write16(packet + 8, 3);
    event->xclient = answer;
    return true;
}

static Bool on_client_message(Display *display, XEvent *event, xEvent *wire) {
    cx11_xim *xim = here;
    if (!xim->message_to_event(display, event, wire)) return False;
    XClientMessageEvent *message = &event->xclient;
    if (message->message_type == xim->protocol) {
        cx11_xim_learn(xim, message);
        // Trap “large packets”: Xlib gets stuck for good at this one (see `note_packet`). It is not what Xlib waits
        // for, which is short, so it can stay in the queue under another name; except for the reply to a reset.
        if (xim->call != XIM_CALL_NONE && message->format == 32 && message->data.l[0] > XIM_PACKET_LIMIT) {
            XClientMessageEvent large = *message;
            if (xim->call == XIM_CALL_RESET && !xim->large_reply.type && become_answer(xim, event)) {
                xim->large_reply = large;
            } else {
                message->message_type = xim->set_aside;
            }
        }
    }
    xim->was_more_data = message->message_type == xim->more_data;
    return True;
}

// Trap “unseen death”: Xlib's wait for an answer does not end when the server does; the event that tells of it stays
// unread in the queue.
static Bool on_selection_notice(Display *display, XEvent *event, xEvent *wire) {
    cx11_xim *xim = here;
    if (!xim->notice_to_event(display, event, wire)) return False;
    const XFixesSelectionNotifyEvent *notice = (const XFixesSelectionNotifyEvent *)event;
    if (notice->subtype > XFixesSelectionClientCloseNotify || notice->selection != xim->selection) return True;
    Window owner = notice->subtype == XFixesSetSelectionOwnerNotify ? notice->owner : None;
    xim->callback(&(cx11_xim_message){.kind = CX11_XIM_OWNER, .value = owner}, xim->context);
    if (xim->call != XIM_CALL_NONE && owner != xim->server_window) become_answer(xim, event);
    return True;
}

void cx11_xim_watch_wire(cx11_xim *xim) {
    here = xim;
    xim->message_to_event = XESetWireToEvent(xim->display, ClientMessage, on_client_message);
    if (!xim->has_fixes) return;
    xim->notice_to_event =
        XESetWireToEvent(xim->display, xim->fixes_event + XFixesSelectionNotify, on_selection_notice);
}

int cx11_xim_queued_keys(const cx11_xim *xim) {
    int count = 0;
    // This connection selects no keys: all that are there Xlib has put there.
    for (const _XQEvent *at = xim->display->head; at; at = at->next) {
        if (at->event.type == KeyPress || at->event.type == KeyRelease) count++;
    }
    return count;
}
