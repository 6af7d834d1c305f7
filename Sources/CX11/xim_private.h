// What the files of xim*.c share of a connection to an input method.
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

// The data of one message without a property, in bytes; and how many properties packets go through in turn, as with libX11:
// servers read one packet from a property, whatever else is in it.
enum { CHUNK = 20, PROPERTY_COUNT = 21 };

struct context {
    Window window;
    // The server's number for it; 0 until it has told it.
    uint16_t number;
    // Whether its preedit is drawn here.
    bool has_callbacks;
    // The keys that the server wants (X11's KeyPressMask and KeyReleaseMask), and those of them that it answers one by one; as the
    // input method has them unless the server has said otherwise for this context.
    bool has_masks;
    uint32_t forward_mask, synchronous_mask;
    struct context *next;
};

// A key that switches the input method on or off. State: of the modifiers of `mask`, exactly `modifiers` are down.
struct trigger {
    uint32_t symbol, modifiers, mask;
};

// What is waited for: an answer to a question by selection, the transport's reply, or a packet.
enum wait_kind { WAIT_NOTHING, WAIT_LOCALES, WAIT_TRANSPORT, WAIT_CONNECTION, WAIT_PACKET };

struct wait {
    enum wait_kind kind;
    // The packet that is the answer, and the context that it has to be about; null: none.
    uint8_t request;
    struct context *context;
    bool is_over, has_succeeded;
};

// Bytes that were read from a property and are not announced yet: `size` from `start`. A free slot has 0.
struct unread {
    xcb_atom_t property;
    uint8_t *bytes;
    size_t start, size;
};

struct cx11_xim {
    cx11_xim_callback callback;
    void *context;
    xcb_connection_t *connection;
    // Xlib's, for what is only in Xlib: converting texts, and making a font set.
    Display *display;
    XFontSet font_set;
    xcb_window_t root;
    // Of ours: for the owner's notices and pings; and, while an input method is open, where its packets come.
    xcb_window_t own_window, window;
    // The owner of the selection, and where the server takes packets; 0 while no input method is open.
    xcb_window_t server_window, server;
    xcb_atom_t selection, locales, transport, connect, protocol, more_data, compound_text;
    xcb_atom_t properties[PROPERTY_COUNT];
    int next_property;
    uint8_t fixes_event;
    bool has_fixes;
    // An event that was read to see whether there is one.
    xcb_generic_event_t *peeked;
    // The minor version of the transport, and up to what size it takes packets in several messages.
    uint32_t transport_minor, dividing_size;
    // The beginning of a packet that comes in several messages.
    uint8_t *assembly;
    size_t assembled;
    struct unread unread[PROPERTY_COUNT];
    cx11_xim_grammar grammar;
    bool is_utf8;
    // Why the connection was ended for what the server sent; null if it was not.
    const char *refusal;
    // The connection was ended: by us, from outside, or by the X server.
    bool is_lost;
    // The server that was opened, or was being opened, is gone.
    bool is_server_gone;
    struct wait wait;
    // What has come as an answer: styles, a context's state.
    unsigned long *styles;
    int style_limit, style_count;
    bool has_state;
    uint32_t state;
    // For contexts without masks of their own.
    uint32_t forward_mask, synchronous_mask;
    struct trigger *triggers[2];
    size_t trigger_counts[2];
    struct context *contexts;
};

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

// MARK: Connection (xim.c)

// Ends the connection; for what the server has sent, or because there is no memory.
void cx11_xim_lose(cx11_xim *xim);
void cx11_xim_refuse(cx11_xim *xim, const char *why);

// Says what is waited for. To be called before the question is sent.
void cx11_xim_expect(cx11_xim *xim, enum wait_kind kind, uint8_t request, struct context *context);

// Handles what comes until the answer is there. FAILED if it is an error, or the server is gone.
cx11_xim_result cx11_xim_wait(cx11_xim *xim);

// The answer has come.
static inline void cx11_xim_end_wait(cx11_xim *xim, bool has_succeeded) {
    xim->wait.is_over = true;
    xim->wait.has_succeeded = has_succeeded;
}

// MARK: Wire (xim_wire.c)

// Forgets what was read of properties.
void cx11_xim_forget_unread(cx11_xim *xim);

// Handles an event of the X server.
void cx11_xim_handle(cx11_xim *xim, const xcb_generic_event_t *event);

// Asks the server for one of its properties, in the name of a window of ours.
void cx11_xim_ask(cx11_xim *xim, xcb_window_t window, xcb_atom_t target);

// The answer to that, terminated, to be freed with `free`; null if it is not there as text of its own type.
char *cx11_xim_take_property(cx11_xim *xim, xcb_window_t window, xcb_atom_t target);

// Sends an event that is a message of 20 bytes.
void cx11_xim_send_message(cx11_xim *xim, xcb_window_t window, xcb_atom_t type, uint8_t format, const void *data);

// A packet that is being written; see xim_requests.c.
struct packet {
    uint8_t bytes[512];
    size_t size;
};

// Sends a packet, padded, with its size filled in.
void cx11_xim_send(cx11_xim *xim, struct packet *packet);

// MARK: Requests (xim_requests.c)

// A packet with its header, the input method's number and, if not null, a context's.
struct packet cx11_xim_begin_packet(const cx11_xim *xim, uint8_t request);
struct packet cx11_xim_begin_for(const cx11_xim *xim, uint8_t request, uint16_t context);
void cx11_xim_put16(struct packet *packet, uint32_t value);
void cx11_xim_put32(struct packet *packet, uint32_t value);

// MARK: Answers (xim_answers.c)

// Does what a checked packet asks for.
void cx11_xim_receive(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes);

// MARK: Texts (xim_text.c)

// A text of the server's as UTF-8, terminated, to be freed with `free`. Null if it cannot be converted.
char *cx11_xim_decode(cx11_xim *xim, const uint8_t *bytes, size_t size, size_t *length);

#endif
