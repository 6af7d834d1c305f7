// What the input method's server sends is looked at as it comes off the wire (`XESetWireToEvent`, the hook of X
// extensions), inside of Xlib's reading: Xlib sees only what is well formed, also while it waits for an answer and hands
// out nothing. What is not well formed ends the connection.
#include <X11/Xatom.h>
#include <X11/Xlibint.h>
#include <X11/extensions/Xfixes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "xim_private.h"

// As much of a property is read; it holds more than one packet if the server is fast.
enum { PROPERTY_LIMIT = 1 << 20 };

// The hooks get a display only; each connection has a thread of its own.
static _Thread_local cx11_xim *here;

// Ends the connection for what the server has sent: Xlib's next reading finds its end, and the call is left there.
static Bool refuse(cx11_xim *xim, const char *why) {
    if (!xim->refusal && !xim->is_starved) xim->refusal = why;
    shutdown(ConnectionNumber(xim->display), SHUT_RDWR);
    return False;
}

void cx11_xim_starve(cx11_xim *xim) {
    xim->is_starved = true;
    shutdown(ConnectionNumber(xim->display), SHUT_RDWR);
}

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
    packet[0] = xim->call == XIM_CALL_DESTROY ? CX11_XIM_REQUEST_DESTROY_IC_REPLY : CX11_XIM_REQUEST_ERROR;
    cx11_xim_write16(packet + 2, xim->call == XIM_CALL_DESTROY ? 1 : 3);
    cx11_xim_write16(packet + 4, xim->grammar.method);
    cx11_xim_write16(packet + 6, c->number);
    // Both numbers above are valid.
    if (xim->call != XIM_CALL_DESTROY) cx11_xim_write16(packet + 8, 3);
    event->xclient = answer;
    return true;
}

// MARK: Packets

// Takes the packet that a message announces from its property; freed with `free`. Null, with a reason, if it is not there.
static uint8_t *take_packet(cx11_xim *xim, const XClientMessageEvent *message, size_t *size, const char **fault) {
    size_t announced = (uint32_t)message->data.l[0];
    xcb_atom_t property = (xcb_atom_t)message->data.l[1];
    *fault = "an announcement of no packet";
    if (announced < 4 || announced > CX11_XIM_LARGEST_PACKET) return NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        xim->reader,
        xcb_get_property(xim->reader, true, (xcb_window_t)message->window, property, XCB_ATOM_ANY, 0, PROPERTY_LIMIT / 4),
        NULL);
    size_t count = reply && reply->format == 8 ? (size_t)xcb_get_property_value_length(reply) : 0;
    uint8_t *packet = NULL;
    *fault = "a packet shorter than announced";
    if (reply && reply->bytes_after == 0 && count >= announced) {
        const uint8_t *bytes = xcb_get_property_value(reply);
        packet = malloc(announced);
        if (packet) memcpy(packet, bytes, announced);
        else cx11_xim_starve(xim);
        *size = announced;
        // A fast server has put its next packets into the same property.
        if (count > announced) {
            xcb_change_property(xim->reader, XCB_PROP_MODE_PREPEND, (xcb_window_t)message->window, property,
                                XCB_ATOM_STRING, 8, (uint32_t)(count - announced), bytes + announced);
            xcb_flush(xim->reader);
        }
    }
    free(reply);
    return packet;
}

// Adds a message's data to those before it.
static const char *assemble(cx11_xim *xim, const XClientMessageEvent *message) {
    if (xim->assembled + CHUNK > CX11_XIM_LARGEST_PACKET + CHUNK) return "a packet without an end";
    if (!xim->assembly) xim->assembly = malloc(CX11_XIM_LARGEST_PACKET + CHUNK);
    if (!xim->assembly) {
        cx11_xim_starve(xim);
        return "no memory";
    }
    memcpy(xim->assembly + xim->assembled, message->data.b, CHUNK);
    xim->assembled += CHUNK;
    return NULL;
}

// Hands on a packet, as the last of its messages.
static Bool receive(cx11_xim *xim, XEvent *event, const uint8_t *bytes, size_t size, bool is_exact) {
    cx11_xim_packet packet;
    bool is_open = xim->grammar.has_method;
    const char *fault = cx11_xim_packet_check(&xim->grammar, bytes, size, is_exact, &packet);
    if (fault) return refuse(xim, fault);
    // Xlib reads what follows by the first.
    if (packet.request == CX11_XIM_REQUEST_OPEN_REPLY && is_open) return False;
    xim->transport_window = event->xclient.window;
    if (packet.is_reply) {
        // Sent twice, or for a call that was left: the next call must not take it for its own.
        if (xim->call == XIM_CALL_NONE) return False;
        struct context *c = xim->calling;
        if (packet.request == CX11_XIM_REQUEST_CREATE_IC_REPLY) {
            if (xim->call != XIM_CALL_CREATE || c->number) return False;
            // What comes for it could not be told from what is for nobody, or for another.
            if (packet.context == 0 || cx11_xim_find_numbered(xim, packet.context)) {
                return refuse(xim, "a context without a number of its own");
            }
            c->number = packet.context;
        } else if (packet.has_context && c && c->number && packet.context != c->number) {
            return refuse(xim, "a reply about another context");
        }
    }
    fault = cx11_xim_deliver(xim, event, &packet, bytes);
    return fault ? refuse(xim, fault) : True;
}

// The versions of the transport that use no notices of properties, which would not pass here.
static Bool check_transport(cx11_xim *xim, const XClientMessageEvent *message) {
    if (xim->call != XIM_CALL_OPEN) return False;
    bool is_known = message->format == 32 && message->data.l[0] != 0 && message->data.l[1] == 0 &&
                    message->data.l[2] >= 0 && message->data.l[2] <= 2;
    return is_known ? True : refuse(xim, "a transport that was not asked for");
}

static Bool on_client_message(Display *display, XEvent *event, xEvent *wire) {
    cx11_xim *xim = here;
    if (!xim->message_to_event(display, event, wire)) return False;
    const XClientMessageEvent *message = &event->xclient;
    bool is_part = message->message_type == xim->more_data;
    if (message->message_type == xim->connect) return check_transport(xim, message);
    if (!is_part && message->message_type != xim->protocol) return True;
    // What comes of an input method that is closed is for nobody.
    if (xim->refusal || xim->is_starved || (!xim->im && xim->call != XIM_CALL_OPEN)) return False;
    size_t size = 0;
    const char *fault = NULL;
    if (message->format == 8) {
        fault = assemble(xim, message);
        if (fault) return refuse(xim, fault);
        if (is_part) return False;
        size = xim->assembled;
        xim->assembled = 0;
        return receive(xim, event, xim->assembly, size, false);
    }
    if (is_part || message->format != 32 || xim->assembled) return refuse(xim, "a message of no known form");
    uint8_t *packet = take_packet(xim, message, &size, &fault);
    if (!packet) return refuse(xim, fault);
    Bool is_taken = receive(xim, event, packet, size, true);
    free(packet);
    return is_taken;
}

// MARK: Selections

// Whether the transport that Xlib is about to choose is the one by X messages.
static bool offers_messages(const char *list, size_t size) {
    static const char category[] = "@transport=";
    const size_t length = sizeof category - 1;
    if (size < length || memcmp(list, category, length) != 0) return false;
    for (size_t at = length - 1; at + 2 < size; at++) {
        if ((at == length - 1 || list[at] == ',') && list[at + 1] == 'X' && list[at + 2] == '/') return true;
    }
    return false;
}

// Whether the answer that is said to be there is there, as text of its own type.
static bool has_answer(cx11_xim *xim, Window window, Atom target) {
    enum { LIMIT = 1 << 16 };
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        xim->reader,
        xcb_get_property(xim->reader, false, (xcb_window_t)window, (xcb_atom_t)target, XCB_ATOM_ANY, 0, LIMIT / 4), NULL);
    bool is_there = reply && reply->type == target && reply->format == 8 && reply->bytes_after == 0;
    if (is_there && target == xim->transport) {
        is_there = offers_messages(xcb_get_property_value(reply), (size_t)xcb_get_property_value_length(reply));
    }
    free(reply);
    return is_there;
}

// Trap “unread answers”: Xlib asks the server for its locales and its transport before it opens it. It takes the length of
// what is not there, and frees the locale's name twice if there is no transport (`_XimPreConnectionIM`).
static Bool on_selection(Display *display, XEvent *event, xEvent *wire) {
    cx11_xim *xim = here;
    if (!xim->selection_to_event(display, event, wire)) return False;
    XSelectionEvent *answer = &event->xselection;
    if (answer->requestor == xim->own_window) return True;
    if (xim->call != XIM_CALL_OPEN || xim->refusal || xim->is_starved) return False;
    if (answer->requestor != xim->asking_window) {
        xim->asking_window = answer->requestor;
        xim->answer_count = 0;
    }
    if (xim->answer_count >= 2) return False;
    bool is_there = answer->property != None &&
                    has_answer(xim, answer->requestor, xim->answer_count == 0 ? xim->locales : xim->transport);
    if (!is_there && xim->answer_count == 1) return refuse(xim, "no transport");
    xim->answer_count++;
    if (!is_there) answer->property = None;
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
    xim->selection_to_event = XESetWireToEvent(xim->display, SelectionNotify, on_selection);
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
