// Checked packets on their way into Xlib's queue.
#include <X11/Xlibint.h>
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// Xlib copes with packets that fit into its buffer of 2,048 bytes with their first message beside them.
enum { PACKET_LIMIT = 2048 - CHUNK };

// Puts an event at the end of Xlib's queue, behind which the one comes that Xlib is reading. Xlib's `_XEnq` does the same.
static bool append(Display *display, const XEvent *event) {
    _XQEvent *entry = display->qfree;
    if (entry) {
        display->qfree = entry->next;
    } else {
        entry = malloc(sizeof *entry);
        if (!entry) return false;
    }
    entry->next = NULL;
    entry->event = *event;
    entry->qserial_num = display->next_event_serial_num++;
    if (display->tail) display->tail->next = entry; else display->head = entry;
    display->tail = entry;
    display->qlen++;
    return true;
}

// What Xlib is given of a packet: all texts under names, no feedback, no status, no extensions. Returns its size; 0 if it
// cannot be given.
static size_t prepare(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes, uint8_t *out) {
    enum { NO_FEEDBACK = 2, NO_TEXT = 1, DRAW_STATUS = 20, STATUS_STATUS = 12 };
    size_t size = packet->text_at ? packet->text_at : packet->size;
    if (packet->request == CX11_XIM_REQUEST_QUERY_EXTENSION_REPLY) {
        // The extension has Xlib select events of our windows for this connection.
        size = 6;
    }
    if (size > PACKET_LIMIT - TEXT_NAME) return 0;
    memcpy(out, bytes, size);
    if (packet->request == CX11_XIM_REQUEST_QUERY_EXTENSION_REPLY) {
        memset(out + size, 0, 2);
        size += 2;
    } else if (packet->request == CX11_XIM_REQUEST_STATUS_DRAW && packet->text_at) {
        out[STATUS_STATUS] |= NO_TEXT | NO_FEEDBACK;
        cx11_xim_write16(out + size - 2, 0);
    } else if (packet->text_at) {
        // Nobody takes up what is for a context that is gone, nor a drawing that is not called back for.
        const struct context *c = cx11_xim_find_numbered(xim, packet->context);
        bool is_draw = packet->request == CX11_XIM_REQUEST_PREEDIT_DRAW;
        // An empty commit has a name too: it leads to an event.
        bool is_commit = packet->request == CX11_XIM_REQUEST_COMMIT;
        bool is_kept = c && (packet->text_size > 0 || is_commit) && (c->has_callbacks || !is_draw);
        cx11_xim_write16(out + size - 2, is_kept ? TEXT_NAME : 0);
        if (is_draw) out[DRAW_STATUS] |= NO_FEEDBACK;
        if (is_kept) {
            uint32_t name = cx11_xim_keep_text(xim, packet, bytes);
            if (name == 0) return 0;
            cx11_xim_write_name(out + size, name);
            size += TEXT_NAME;
        }
    }
    while (size % 4) out[size++] = 0;
    cx11_xim_write16(out + 2, (unsigned)(size / 4 - 1));
    return size;
}

const char *cx11_xim_deliver(cx11_xim *xim, XEvent *event, const cx11_xim_packet *packet, const uint8_t *bytes) {
    uint8_t out[PACKET_LIMIT + CHUNK] = {0};
    size_t size = prepare(xim, packet, bytes, out);
    if (size == 0) return "more than can be kept";
    event->xclient.format = 8;
    for (size_t at = 0; at < size; at += CHUNK) {
        bool is_last = at + CHUNK >= size;
        event->xclient.message_type = is_last ? xim->protocol : xim->more_data;
        memcpy(event->xclient.data.b, out + at, CHUNK);
        if (!is_last && !append(xim->display, event)) {
            cx11_xim_starve(xim);
            return "no memory";
        }
    }
    return NULL;
}

// Trap “held-back callbacks”: preedit messages that come while Xlib waits for the answer to XSetICValues, XCreateIC or
// a reset are held back until the next one comes, which may be after the next key. A made-up one that means nothing
// sets them free.
void cx11_xim_release_held_back(cx11_xim *xim, const struct context *c) {
    if (!xim->im || !c || !c->number || !xim->transport_window) return;
    XEvent event = {.xclient = {
        .type = ClientMessage,
        .display = xim->display,
        .window = xim->transport_window,
        .message_type = xim->protocol,
        .format = 8,
    }};
    uint8_t *packet = (uint8_t *)event.xclient.data.b;
    packet[0] = CX11_XIM_REQUEST_GEOMETRY;
    cx11_xim_write16(packet + 2, 1);
    cx11_xim_write16(packet + 4, xim->grammar.method);
    cx11_xim_write16(packet + 6, c->number);
    XFilterEvent(&event, None);
}
