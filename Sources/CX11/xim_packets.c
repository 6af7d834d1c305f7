// The packets of the XIM protocol (X11's specification of the same name) that Xlib has to be helped with.
#include <X11/Xatom.h>
#include <X11/Xutil.h>
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// Of the XIM protocol: sizes and the requests whose packets are looked into.
enum {
    CHUNK = 20,
    XIM_SET_EVENT_MASK_REQUEST = 37,
    XIM_CREATE_IC_REPLY = 51,
    XIM_FORWARD_EVENT_REQUEST = 60,
    XIM_COMMIT_REQUEST = 63,
    XIM_RESET_IC_REPLY = 65,
    XIM_GEOMETRY_REQUEST = 70,
    XIM_PREEDIT_DRAW_REQUEST = 75,
    XIM_STATUS_DONE_REQUEST = 81,
};

void cx11_xim_forget_noted(cx11_xim *xim) {
    free(xim->noted.text);
    free(xim->noted.feedback);
    memset(&xim->noted, 0, sizeof xim->noted);
}

// Takes the packet that a message announces from its property; freed with `free`. Null if it is not there.
static uint8_t *take_packet(cx11_xim *xim, const XClientMessageEvent *message, size_t *size) {
    Atom type;
    int format;
    unsigned long count, rest;
    unsigned char *data = NULL;
    size_t length = (size_t)message->data.l[0];
    Atom property = (Atom)message->data.l[1];
    if (XGetWindowProperty(xim->display, message->window, property, 0, 0x100000, True, AnyPropertyType, &type, &format,
                           &count, &rest, &data) != Success || !data) {
        return NULL;
    }
    uint8_t *packet = NULL;
    if (format == 8 && count >= length && length >= 4) {
        packet = malloc(length + CHUNK);
        if (!packet) abort();
        memcpy(packet, data, length);
        memset(packet + length, 0, CHUNK);
        // A fast server has put its next packets into the same property.
        if (count > length) {
            XChangeProperty(xim->display, message->window, property, XA_STRING, 8, PropModePrepend, data + length,
                            (int)(count - length));
        }
        *size = length;
    }
    XFree(data);
    return packet;
}

static unsigned read16(const uint8_t *p) { return *(const uint16_t *)(const void *)p; }
static int read32(const uint8_t *p) { return *(const int32_t *)(const void *)p; }
static void write16(uint8_t *p, unsigned value) { *(uint16_t *)(void *)p = (uint16_t)value; }

// Compound text of any length as UTF-8; freed with `free`. Null if it cannot be converted.
static char *decode(cx11_xim *xim, const uint8_t *bytes, size_t size, int *length) {
    XTextProperty property = {(unsigned char *)(uintptr_t)bytes, xim->compound_text, 8, size};
    char **list = NULL, *result = NULL;
    int count = 0;
    if (Xutf8TextPropertyToTextList(xim->display, &property, &list, &count) >= 0 && list && count > 0) {
        result = strdup(list[0]);
        *length = (int)strlen(list[0]);
    }
    if (list) XFreeStringList(list);
    return result;
}

// Puts a one-byte string in the place of the one of `old` bytes at `at`, whose length stands 2 bytes before it.
static size_t shorten(uint8_t *packet, size_t at, size_t old, size_t size) {
    size_t end = (at + old + 3) & ~(size_t)3, new_end = (at + 1 + 3) & ~(size_t)3;
    write16(packet + at - 2, 1);
    packet[at] = '?';
    memset(packet + at + 1, 0, new_end - at - 1);
    memmove(packet + new_end, packet + end, size - end);
    return size - (end - new_end);
}

// Traps “untold feedback” and “large packets”: Xlib does not tell how long a draw's feedback is, and gets stuck for
// good at a packet of more than XIM_PACKET_LIMIT bytes (`_XimFilterWaitEvent` reads it again into a buffer that lacks
// what it holds back). So what is in such packets is noted, and Xlib gets a short one that leads to the same callback
// or event. Returns the packet's new size.
static size_t note_packet(cx11_xim *xim, uint8_t *packet, size_t size) {
    cx11_xim_forget_noted(xim);
    if (packet[0] == XIM_PREEDIT_DRAW_REQUEST && size >= 28) {
        size_t length = read16(packet + 24), after = (26 + length + 3) & ~(size_t)3;
        bool has_string = !(packet[20] & 1), has_feedback = !(packet[20] & 2);
        if (!has_string || after > size) return size;
        xim->noted.is_draw = true;
        xim->noted.caret = read32(packet + 8);
        xim->noted.change_first = read32(packet + 12);
        xim->noted.change_length = read32(packet + 16);
        if (has_feedback && after + 4 <= size) {
            size_t count = read16(packet + after) / 4;
            if (count > (size - after - 4) / 4) count = (size - after - 4) / 4;
            xim->noted.feedback = calloc(count + 1, sizeof *xim->noted.feedback);
            if (!xim->noted.feedback) abort();
            for (size_t i = 0; i < count; i++) {
                xim->noted.feedback[i] = (uint32_t)read32(packet + after + 4 + i * 4);
            }
            xim->noted.feedback_count = (int)count;
        }
        if (size <= XIM_PACKET_LIMIT) return size;
        xim->noted.text = decode(xim, packet + 26, length, &xim->noted.text_length);
        // The feedback ends the packet: without it, it needs to be said that there is none.
        packet[20] |= 2;
        size = shorten(packet, 26, length, after);
    } else if (packet[0] == XIM_COMMIT_REQUEST && size > XIM_PACKET_LIMIT) {
        // With a key symbol: unused, the symbol, then the text.
        size_t at = (read16(packet + 8) & 6) == 6 ? 18 : 12, length = read16(packet + at - 2);
        if (at + length > size) return size;
        xim->noted.text = decode(xim, packet + at, length, &xim->noted.text_length);
        size = shorten(packet, at, length, size);
    }
    write16(packet + 2, (unsigned)(size / 4 - 1));
    return size;
}

// Learns the server's numbers for a context from a packet: it belongs to the only context whose numbers are not known.
static void learn_numbers(cx11_xim *xim, const uint8_t *packet, size_t size) {
    int request = packet[0];
    bool has_context = request == XIM_SET_EVENT_MASK_REQUEST || request == XIM_CREATE_IC_REPLY ||
                       request == XIM_FORWARD_EVENT_REQUEST || request == XIM_COMMIT_REQUEST ||
                       (request >= XIM_GEOMETRY_REQUEST && request <= XIM_STATUS_DONE_REQUEST);
    struct context *unknown = NULL;
    if (!has_context || size < 8) return;
    for (struct context *c = xim->contexts; c; c = c->next) {
        if (c->number == read16(packet + 6)) return;
        if (c->number == 0) {
            if (unknown) return;
            unknown = c;
        }
    }
    if (!unknown) return;
    unknown->method_number = read16(packet + 4);
    unknown->number = read16(packet + 6);
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
    packet[0] = XIM_GEOMETRY_REQUEST;
    write16(packet + 2, 1);
    write16(packet + 4, c->method_number);
    write16(packet + 6, c->number);
    XFilterEvent(&event, None);
}

// Gives Xlib a packet in the form that needs no property: messages of up to CHUNK bytes, the first through the filter,
// the others on top of the queue, where it looks for them. False if Xlib could not make anything of it.
bool cx11_xim_feed(cx11_xim *xim, XEvent *event) {
    size_t size = 0;
    uint8_t *packet = take_packet(xim, &event->xclient, &size);
    if (!packet) return true;
    learn_numbers(xim, packet, size);
    size = note_packet(xim, packet, size);
    if (size > XIM_PACKET_LIMIT) {
        free(packet);
        return false;
    }
    event->xclient.format = 8;
    for (size_t last = (size - 1) / CHUNK + 1; last-- > 0;) {
        event->xclient.message_type = last == (size - 1) / CHUNK ? xim->protocol : xim->more_data;
        size_t length = size - last * CHUNK < CHUNK ? size - last * CHUNK : CHUNK;
        memset(event->xclient.data.b, 0, CHUNK);
        memcpy(event->xclient.data.b, packet + last * CHUNK, length);
        if (last > 0) XPutBackEvent(xim->display, event);
    }
    free(packet);
    return XFilterEvent(event, None);
}

void cx11_xim_learn(cx11_xim *xim, const XClientMessageEvent *message) {
    xim->transport_window = message->window;
    if (message->format == 8 && !xim->was_more_data) learn_numbers(xim, (const uint8_t *)message->data.b, CHUNK);
}

bool cx11_xim_has_set_reply_aside(const cx11_xim *xim) { return xim->large_reply.type != 0; }

// The request of the packet that a message announces, which stays where it is; 0 if there is none.
static int peek_request(cx11_xim *xim, const XClientMessageEvent *message) {
    Atom type;
    int format, request = 0;
    unsigned long count, rest;
    unsigned char *start = NULL;
    if (message->format == 8) return (uint8_t)message->data.b[0];
    XGetWindowProperty(xim->display, message->window, (Atom)message->data.l[1], 0, 1, False, AnyPropertyType, &type, &format,
                       &count, &rest, &start);
    if (start && count > 0) request = start[0];
    if (start) XFree(start);
    return request;
}

bool cx11_xim_take_reply(cx11_xim *xim, const XEvent *event, char **reply) {
    XEvent set_aside = {.xclient = xim->large_reply};
    const XClientMessageEvent *message = &(event ? event : &set_aside)->xclient;
    *reply = NULL;
    if (!event) xim->large_reply = (XClientMessageEvent){0};
    if (message->type != ClientMessage) return false;
    if (message->message_type != xim->protocol && message->message_type != xim->set_aside) return false;
    int request = peek_request(xim, message);
    if (request != XIM_RESET_IC_REPLY && request != XIM_ERROR_MESSAGE) {
        if (!event) XPutBackEvent(xim->display, &set_aside);
        return false;
    }
    size_t size = sizeof message->data;
    uint8_t *large = message->format == 32 ? take_packet(xim, message, &size) : NULL;
    const uint8_t *packet = message->format == 32 ? large : (const uint8_t *)message->data.b;
    int length;
    if (packet && request == XIM_RESET_IC_REPLY && size >= 10 && 10 + (size_t)read16(packet + 8) <= size) {
        *reply = decode(xim, packet + 10, read16(packet + 8), &length);
    }
    free(large);
    return true;
}
