// The state of a connection to an input method, which the files xim*.c share.
#ifndef CX11_XIM_PRIVATE_H
#define CX11_XIM_PRIVATE_H

#include <X11/Xlib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xcb/xcb.h>

#include "include/cx11_xim.h"
#include "include/cx11_xim_packet.h"

// The number of data bytes in one message (CHUNK), and the number of properties that are used in turn for packets
// (PROPERTY_COUNT). It is the same as in libX11: some servers read only one packet from a property, even if it contains
// more.
enum { CHUNK = 20, PROPERTY_COUNT = 21 };

struct context {
    Window window;
    // The server's number for the context; 0 before the server has sent it.
    uint16_t number;
    // Whether the client draws the preedit of the context.
    bool has_callbacks;
    // The keys that the server wants (X11's KeyPressMask and KeyReleaseMask), and those among them that it answers
    // one by one. Used only with `has_masks`; otherwise the masks of the input method apply.
    bool has_masks;
    uint32_t forward_mask, synchronous_mask;
    struct context *next;
};

// A key that switches the input method on or off. The key applies if exactly `modifiers` of the modifiers in `mask`
// are down.
struct trigger {
    uint32_t symbol, modifiers, mask;
};

// The kinds of answers to wait for: to a query by selection, the reply of the transport, or a packet.
enum wait_kind { WAIT_NOTHING, WAIT_LOCALES, WAIT_TRANSPORT, WAIT_CONNECTION, WAIT_PACKET };

struct wait {
    enum wait_kind kind;
    // The packet that is the answer, and the context that it must be about; null for no context.
    uint8_t request;
    struct context *context;
    bool is_over, has_succeeded;
};

// Bytes that were read from a property and not announced yet: `size` bytes from `start`. A free slot has size 0.
struct unread {
    xcb_atom_t property;
    uint8_t *bytes;
    size_t start, size;
};

struct cx11_xim {
    cx11_xim_callback callback;
    void *context;
    xcb_connection_t *connection;
    // Xlib's connection, for tasks that only Xlib can do: converting texts, and creating a font set.
    Display *display;
    // The font set for the style “preedit position”; null before it is needed.
    XFontSet font_set;
    xcb_window_t root;
    // Our two windows. `own_window` gets notices about the selection's owner, and the answers to pings. `window`
    // receives the packets of the input method, while one is open.
    xcb_window_t own_window, window;
    // The owner of the selection, and the window to which packets for the server are sent; 0 while no input method
    // is open.
    xcb_window_t server_window, server;
    xcb_atom_t selection, locales, transport, connect, protocol, more_data, compound_text;
    xcb_atom_t properties[PROPERTY_COUNT];
    // The index of the property to use for the next packet.
    int next_property;
    // The number of the first event of the extension XFixes; used only with `has_fixes`.
    uint8_t fixes_event;
    bool has_fixes;
    // The event that `cx11_xim_has_events` has read and that is not handled yet; null for none.
    xcb_generic_event_t *peeked;
    // The minor version of the transport, and the maximum size of a packet that the server accepts in several messages.
    // A larger packet is sent in a property.
    uint32_t transport_minor, dividing_size;
    // The beginning of a packet that arrives in several messages.
    uint8_t *assembly;
    size_t assembled;
    struct unread unread[PROPERTY_COUNT];
    cx11_xim_grammar grammar;
    // Whether texts are in UTF-8; otherwise they are in COMPOUND_TEXT.
    bool is_utf8;
    // The reason if the connection was ended because of data that the server sent; otherwise null.
    const char *refusal;
    // Whether the connection was ended: by us, by another thread or by the X server.
    bool is_lost;
    // Whether the server has gone whose input method was open, or was being opened.
    bool is_server_gone;
    struct wait wait;
    // The contents of an answer: the styles, or the state of a context.
    unsigned long *styles;
    int style_limit, style_count;
    bool has_state;
    uint32_t state;
    // The masks of the keys that the server wants, for contexts without masks of their own.
    uint32_t forward_mask, synchronous_mask;
    // The keys that switch the input method on (index 0) and off (index 1), and their numbers.
    struct trigger *triggers[2];
    size_t trigger_counts[2];
    struct context *contexts;
};

// Returns the context of a window; null if there is none.
static inline struct context *cx11_xim_find(const cx11_xim *xim, Window window) {
    struct context *c = xim->contexts;
    while (c && c->window != window) c = c->next;
    return c;
}

// Returns the context to which the server gave a number; null if there is none. The number 0 stands for no context.
static inline struct context *cx11_xim_find_numbered(const cx11_xim *xim, uint16_t number) {
    struct context *c = xim->contexts;
    while (c && (c->number == 0 || c->number != number)) c = c->next;
    return c;
}

// MARK: Connection (xim.c)

// Ends the connection: `cx11_xim_refuse` because of data that the server has sent, `cx11_xim_lose` for any other
// reason, for example if there is no memory.
void cx11_xim_lose(cx11_xim *xim);
void cx11_xim_refuse(cx11_xim *xim, const char *why);

// Sets the answer to wait for. Call it before the request is sent.
void cx11_xim_expect(cx11_xim *xim, enum wait_kind kind, uint8_t request, struct context *context);

// Handles events until the answer has come. FAILED if the answer is an error, or if the server is gone.
cx11_xim_result cx11_xim_wait(cx11_xim *xim);

// Records that the answer has come.
static inline void cx11_xim_end_wait(cx11_xim *xim, bool has_succeeded) {
    xim->wait.is_over = true;
    xim->wait.has_succeeded = has_succeeded;
}

// MARK: Transport of packets and events (xim_wire.c)

// Forgets the bytes that were read from properties.
void cx11_xim_forget_unread(cx11_xim *xim);

// Handles an event of the X server.
void cx11_xim_handle(cx11_xim *xim, const xcb_generic_event_t *event);

// Asks the server for a target of its selection, on behalf of a window of ours: its locales or its transports.
void cx11_xim_ask(cx11_xim *xim, xcb_window_t window, xcb_atom_t target);

// Returns the property with the answer to `cx11_xim_ask`, terminated by a NUL, to be freed with `free`. Null if the
// property is missing, if its type is not `target`, or if it is longer than 64 KiB.
char *cx11_xim_take_property(cx11_xim *xim, xcb_window_t window, xcb_atom_t target);

// Sends a message of 20 bytes as an event.
void cx11_xim_send_message(cx11_xim *xim, xcb_window_t window, xcb_atom_t type, uint8_t format, const void *data);

// A packet that is being written; see xim_requests.c.
struct packet {
    uint8_t bytes[512];
    size_t size;
};

// Pads a packet, fills in its size, and sends it.
void cx11_xim_send(cx11_xim *xim, struct packet *packet);

// MARK: Requests (xim_requests.c)

// Begins a packet with its header and the input method's number; `cx11_xim_begin_for` adds the number of a context.
struct packet cx11_xim_begin_packet(const cx11_xim *xim, uint8_t request);
struct packet cx11_xim_begin_for(const cx11_xim *xim, uint8_t request, uint16_t context);
void cx11_xim_put16(struct packet *packet, uint32_t value);
void cx11_xim_put32(struct packet *packet, uint32_t value);

// MARK: Answers (xim_answers.c)

// Handles a checked packet.
void cx11_xim_receive(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes);

// MARK: Texts (xim_text.c)

// Returns a text of the server as UTF-8, terminated by a NUL, to be freed with `free`. Null if there is no memory.
char *cx11_xim_decode(cx11_xim *xim, const uint8_t *bytes, size_t size, size_t *length);

#endif
