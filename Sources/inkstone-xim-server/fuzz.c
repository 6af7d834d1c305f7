// Damages the server's output at random, but reproducibly (`--fuzz SEED:N`). About one in N of the messages,
// properties and selection answers that libxcb-imdkit sends to clients is changed, truncated, extended, sent twice,
// or not sent.
//
// The library calls `xcb_send_event` and `xcb_change_property`. The dynamic linker finds an executable's functions
// first, so the functions of these names below are called for every message.
#define _GNU_SOURCE
#include "server.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAMAGE_ROOM = 64 };

static uint64_t state;
static uint32_t one_in;

bool fuzz_start(const char *seed_and_rate) {
    unsigned long long seed = 0;
    return sscanf(seed_and_rate, "%llu:%u", &seed, &one_in) == 2 && one_in > 0 && ((state = seed), true);
}

// Returns the next random number (SplitMix64).
static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(uint32_t limit) { return (uint32_t)(next() % limit); }

static bool hits(void) { return one_in > 0 && below(one_in) == 0; }

static void note(const char *what) {
    log_begin("fuzz", NULL);
    log_text("damage", what);
    log_end();
}

// Returns a number that code reading sizes is likely to handle wrongly.
static uint16_t nasty16(void) {
    static const uint16_t values[] = {0, 1, 3, 0x7ffc, 0x7fff, 0x8000, 0xfffc, 0xffff, 500, 2040};
    return below(3) ? values[below(sizeof values / sizeof *values)] : (uint16_t)next();
}

static void put16(uint8_t *at, uint16_t value) { memcpy(at, &value, sizeof value); }

// Damages a packet of `size` bytes, in a buffer that has DAMAGE_ROOM more bytes. Returns the new size of the
// packet.
static uint32_t damage(uint8_t *packet, uint32_t size) {
    if (size == 0) return size;
    switch (below(6)) {
    case 0:
        note("bytes");
        for (uint32_t n = 1 + below(4); n > 0; n--) packet[below(size)] = (uint8_t)next();
        return size;
    case 1:
        note("opcode");
        packet[0] = below(4) ? (uint8_t)below(90) : (uint8_t)next();
        return size;
    case 2:
        note("length");
        if (size >= 4) put16(packet + 2, nasty16());
        return size;
    case 3:
        note("number");
        if (size >= 6) put16(packet + 4 + 2 * below((size - 4) / 2), nasty16());
        return size;
    case 4:
        note("cut");
        return below(size);
    default: {
        uint32_t more = 1 + below(DAMAGE_ROOM);
        note("stretched");
        for (uint32_t i = 0; i < more; i++) packet[size + i] = (uint8_t)next();
        return size + more;
    }
    }
}

typedef xcb_void_cookie_t send_event(xcb_connection_t *, uint8_t, xcb_window_t, uint32_t, const char *);
typedef xcb_void_cookie_t change_property(xcb_connection_t *, uint8_t, xcb_window_t, xcb_atom_t, xcb_atom_t, uint8_t,
                                          uint32_t, const void *);

xcb_void_cookie_t xcb_send_event(xcb_connection_t *c, uint8_t propagate, xcb_window_t destination, uint32_t event_mask,
                                 const char *event) {
    static send_event *original;
    if (!original) original = (send_event *)dlsym(RTLD_NEXT, "xcb_send_event");
    if (!hits()) return original(c, propagate, destination, event_mask, event);
    union {
        char bytes[32 + DAMAGE_ROOM];
        xcb_client_message_event_t message;
        xcb_selection_notify_event_t notice;
    } copy = {{0}};
    memcpy(copy.bytes, event, 32);
    uint32_t kind = below(8);
    if (kind == 0) {
        note("dropped");
        return (xcb_void_cookie_t){0};
    }
    if (kind == 1) {
        note("repeated");
        original(c, propagate, destination, event_mask, event);
    } else if (copy.notice.response_type == XCB_SELECTION_NOTIFY) {
        note("refused");
        if (below(2)) copy.notice.property = 0; else copy.notice.target = below(80);
    } else if (copy.message.response_type == XCB_CLIENT_MESSAGE && copy.message.format == 8) {
        uint32_t size = damage(copy.message.data.data8, 20);
        // A message without a property does not contain its size. Fill the part that is cut off with zeros.
        if (size < 20) memset(copy.message.data.data8 + size, 0, 20 - size);
    } else if (copy.message.response_type == XCB_CLIENT_MESSAGE && copy.message.format == 32) {
        note("announcement");
        uint32_t which = below(5);
        copy.message.data.data32[which] = below(2) ? nasty16() : copy.message.data.data32[which] + below(9) - 4;
    }
    return original(c, propagate, destination, event_mask, copy.bytes);
}

xcb_void_cookie_t xcb_change_property(xcb_connection_t *c, uint8_t mode, xcb_window_t window, xcb_atom_t property,
                                      xcb_atom_t type, uint8_t format, uint32_t count, const void *data) {
    static change_property *original;
    if (!original) original = (change_property *)dlsym(RTLD_NEXT, "xcb_change_property");
    // Do not damage XIM_SERVERS on the root window, which has 32-bit values: clients find the server by it.
    if (format != 8 || !hits()) return original(c, mode, window, property, type, format, count, data);
    uint8_t *copy = calloc(1, (size_t)count + DAMAGE_ROOM + 1);
    if (!copy) abort();
    if (count) memcpy(copy, data, count);
    xcb_void_cookie_t cookie = {0};
    switch (below(6)) {
    case 0: note("property dropped"); break;
    case 1:
        note("property repeated");
        original(c, mode, window, property, type, format, count, copy);
        cookie = original(c, XCB_PROP_MODE_APPEND, window, property, type, format, count, copy);
        break;
    case 2:
        note("property of another type");
        cookie = original(c, XCB_PROP_MODE_REPLACE, window, property, 1 + below(60), 16, count / 2, copy);
        break;
    default: cookie = original(c, mode, window, property, type, format, damage(copy, count), copy);
    }
    free(copy);
    return cookie;
}
