// Requests about input contexts, and the writing of packets.
#include <X11/X.h>
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// The values of XIM's style constants, which only the headers for Xlib's own input methods declare.
enum { PREEDIT_CALLBACKS = 0x0002, PREEDIT_POSITION = 0x0004, PREEDIT_NOTHING = 0x0008 };
enum { STATE_ENABLED = 1, STATE_DISABLED = 2 };

// The fonts that a server may use to draw over the text, as a base font name list.
static const char fonts[] = "-misc-fixed-medium-r-normal--*-130-75-75-c-*-*-*,-*-*-medium-r-normal--*-*-*-*-*-*-*-*";

// MARK: Building packets

static void put(struct packet *packet, const void *bytes, size_t count) {
    // Check the limit, although the sizes of all packets are known and far below it.
    if (packet->size + count > sizeof packet->bytes) return;
    memcpy(packet->bytes + packet->size, bytes, count);
    packet->size += count;
}

void cx11_xim_put16(struct packet *packet, uint32_t value) {
    uint16_t half = (uint16_t)value;
    put(packet, &half, 2);
}

void cx11_xim_put32(struct packet *packet, uint32_t value) { put(packet, &value, 4); }

struct packet cx11_xim_begin_packet(const cx11_xim *xim, uint8_t request) {
    struct packet packet = {.size = 0};
    put(&packet, (uint8_t[4]){request}, 4);
    cx11_xim_put16(&packet, xim->grammar.method);
    return packet;
}

struct packet cx11_xim_begin_for(const cx11_xim *xim, uint8_t request, uint16_t context) {
    struct packet packet = cx11_xim_begin_packet(xim, request);
    cx11_xim_put16(&packet, context);
    return packet;
}

// Begins a value or a list of values with an attribute's number and a length, which `end_value` fills in. Returns
// false if the server does not know the attribute.
static bool begin_value(const cx11_xim *xim, struct packet *packet, cx11_xim_attribute attribute, size_t *at) {
    if (!xim->grammar.used[attribute].is_declared) return false;
    cx11_xim_put16(packet, xim->grammar.used[attribute].id);
    *at = packet->size;
    cx11_xim_put16(packet, 0);
    return true;
}

static void end_value(struct packet *packet, size_t at) {
    uint16_t length = (uint16_t)(packet->size - at - 2);
    memcpy(packet->bytes + at, &length, 2);
    while (packet->size % 4) put(packet, "", 1);
}

static void put_number(const cx11_xim *xim, struct packet *packet, cx11_xim_attribute attribute, uint32_t value) {
    size_t at;
    if (!begin_value(xim, packet, attribute, &at)) return;
    cx11_xim_put32(packet, value);
    end_value(packet, at);
}

static void put_spot(const cx11_xim *xim, struct packet *packet, XPoint spot) {
    size_t at;
    if (!begin_value(xim, packet, CX11_XIM_SPOT_LOCATION, &at)) return;
    cx11_xim_put16(packet, (uint16_t)spot.x);
    cx11_xim_put16(packet, (uint16_t)spot.y);
    end_value(packet, at);
}

// Adds the callbacks of the context. Their values are pointers in Xlib's client and mean nothing to a server, but
// nabi calls only the callbacks that are named here.
static void put_callbacks(const cx11_xim *xim, struct packet *packet) {
    for (int callback = CX11_XIM_START_CALLBACK; callback <= CX11_XIM_DONE_CALLBACK; callback++)
        put_number(xim, packet, (cx11_xim_attribute)callback, 1);
}

static void put_area(const cx11_xim *xim, struct packet *packet, const XRectangle *area) {
    size_t at;
    if (!begin_value(xim, packet, CX11_XIM_AREA, &at)) return;
    cx11_xim_put16(packet, (uint16_t)area->x);
    cx11_xim_put16(packet, (uint16_t)area->y);
    cx11_xim_put16(packet, area->width);
    cx11_xim_put16(packet, area->height);
    end_value(packet, at);
}

static void put_fonts(const cx11_xim *xim, struct packet *packet) {
    size_t at;
    if (!begin_value(xim, packet, CX11_XIM_FONT_SET, &at)) return;
    cx11_xim_put16(packet, sizeof fonts - 1);
    put(packet, fonts, sizeof fonts - 1);
    end_value(packet, at);
}

// Writes the length of a list of values into the two bytes at `at`. The list begins `unused` bytes after them and ends at
// the packet's end.
static void end_list(struct packet *packet, size_t at, size_t unused) {
    uint16_t length = (uint16_t)(packet->size - at - 2 - unused);
    memcpy(packet->bytes + at, &length, 2);
}

// MARK: Contexts

static struct context *add_context(cx11_xim *xim, Window window, unsigned long style) {
    struct context *c = calloc(1, sizeof *c);
    if (!c) {
        cx11_xim_lose(xim);
        return NULL;
    }
    *c = (struct context){
        .window = window, .has_callbacks = (style & PREEDIT_CALLBACKS) != 0, .next = xim->contexts};
    return xim->contexts = c;
}

static void remove_context(cx11_xim *xim, struct context *c) {
    struct context **at = &xim->contexts;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free(c);
}

cx11_xim_result cx11_xim_context_create(cx11_xim *xim, Window window, unsigned long style, XPoint spot) {
    if (xim->is_lost) return CX11_XIM_LOST;
    if (cx11_xim_find(xim, window)) return CX11_XIM_OK;
    if (!xim->server) return CX11_XIM_FAILED;
    struct context *c = add_context(xim, window, style);
    if (!c) return CX11_XIM_LOST;
    struct packet packet = cx11_xim_begin_packet(xim, CX11_XIM_REQUEST_CREATE_IC);
    size_t list = packet.size, nested;
    cx11_xim_put16(&packet, 0);
    put_number(xim, &packet, CX11_XIM_INPUT_STYLE, (uint32_t)style);
    put_number(xim, &packet, CX11_XIM_CLIENT_WINDOW, (uint32_t)window);
    put_number(xim, &packet, CX11_XIM_FOCUS_WINDOW, (uint32_t)window);
    bool has_spot = style & (PREEDIT_CALLBACKS | PREEDIT_POSITION | PREEDIT_NOTHING);
    if (has_spot && begin_value(xim, &packet, CX11_XIM_PREEDIT_ATTRIBUTES, &nested)) {
        if (style & PREEDIT_CALLBACKS) put_callbacks(xim, &packet);
        put_spot(xim, &packet, spot);
        if (style & PREEDIT_POSITION) put_fonts(xim, &packet);
        end_value(&packet, nested);
    }
    end_list(&packet, list, 0);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_CREATE_IC_REPLY, c);
    cx11_xim_send(xim, &packet);
    cx11_xim_result result = cx11_xim_wait(xim);
    if (result != CX11_XIM_OK) remove_context(xim, c);
    return result;
}

cx11_xim_result cx11_xim_context_destroy(cx11_xim *xim, Window window) {
    if (xim->is_lost) return CX11_XIM_LOST;
    struct context *c = cx11_xim_find(xim, window);
    if (!c) return CX11_XIM_OK;
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_DESTROY_IC, c->number);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_DESTROY_IC_REPLY, c);
    cx11_xim_send(xim, &packet);
    cx11_xim_result result = cx11_xim_wait(xim);
    // Remove the context even if the request fails: the server does not have the context then.
    remove_context(xim, c);
    return result == CX11_XIM_LOST ? result : CX11_XIM_OK;
}

cx11_xim_result cx11_xim_context_focus(cx11_xim *xim, Window window, bool focused) {
    if (xim->is_lost) return CX11_XIM_LOST;
    struct context *c = cx11_xim_find(xim, window);
    if (!c) return CX11_XIM_OK;
    uint8_t request = focused ? CX11_XIM_REQUEST_SET_IC_FOCUS : CX11_XIM_REQUEST_UNSET_IC_FOCUS;
    struct packet packet = cx11_xim_begin_for(xim, request, c->number);
    cx11_xim_send(xim, &packet);
    return CX11_XIM_OK;
}

// Sends the values of a context, whose list begins at `list`, and waits for the reply.
static cx11_xim_result set_values(cx11_xim *xim, struct context *c, struct packet *packet, size_t list) {
    end_list(packet, list, 2);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_SET_IC_VALUES_REPLY, c);
    cx11_xim_send(xim, packet);
    return cx11_xim_wait(xim);
}

cx11_xim_result cx11_xim_context_set_spot(cx11_xim *xim, Window window, XPoint spot, const XRectangle *area) {
    if (xim->is_lost) return CX11_XIM_LOST;
    struct context *c = cx11_xim_find(xim, window);
    if (!c) return CX11_XIM_FAILED;
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_SET_IC_VALUES, c->number);
    size_t list = packet.size, nested;
    cx11_xim_put32(&packet, 0);
    if (!begin_value(xim, &packet, CX11_XIM_PREEDIT_ATTRIBUTES, &nested)) return CX11_XIM_OK;
    if (area) put_area(xim, &packet, area);
    put_spot(xim, &packet, spot);
    end_value(&packet, nested);
    return set_values(xim, c, &packet, list);
}

// MARK: Reset

static bool knows_state(const cx11_xim *xim) {
    return xim->grammar.used[CX11_XIM_PREEDIT_ATTRIBUTES].is_declared &&
           xim->grammar.used[CX11_XIM_PREEDIT_STATE].is_declared && xim->grammar.used[CX11_XIM_SEPARATOR].is_declared;
}

// Gets the state of the preedit, enabled or disabled; 0 if the server does not report it.
static cx11_xim_result get_state(cx11_xim *xim, struct context *c, uint32_t *state) {
    *state = 0;
    if (!knows_state(xim)) return CX11_XIM_OK;
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_GET_IC_VALUES, c->number);
    cx11_xim_put16(&packet, 6);
    cx11_xim_put16(&packet, xim->grammar.used[CX11_XIM_PREEDIT_ATTRIBUTES].id);
    cx11_xim_put16(&packet, xim->grammar.used[CX11_XIM_PREEDIT_STATE].id);
    cx11_xim_put16(&packet, xim->grammar.used[CX11_XIM_SEPARATOR].id);
    xim->has_state = false;
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_GET_IC_VALUES_REPLY, c);
    cx11_xim_send(xim, &packet);
    cx11_xim_result result = cx11_xim_wait(xim);
    if (result == CX11_XIM_OK && xim->has_state && (xim->state == STATE_ENABLED || xim->state == STATE_DISABLED)) {
        *state = xim->state;
    }
    // Ignore an error, by which a server answers that does not support this state.
    return result == CX11_XIM_FAILED && !xim->is_server_gone ? CX11_XIM_OK : result;
}

static cx11_xim_result set_state(cx11_xim *xim, struct context *c, uint32_t state) {
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_SET_IC_VALUES, c->number);
    size_t list = packet.size, nested;
    cx11_xim_put32(&packet, 0);
    if (!begin_value(xim, &packet, CX11_XIM_PREEDIT_ATTRIBUTES, &nested)) return CX11_XIM_OK;
    put_number(xim, &packet, CX11_XIM_PREEDIT_STATE, state);
    end_value(&packet, nested);
    return set_values(xim, c, &packet, list);
}

cx11_xim_result cx11_xim_context_reset(cx11_xim *xim, Window window) {
    if (xim->is_lost) return CX11_XIM_LOST;
    struct context *c = cx11_xim_find(xim, window);
    if (!c) return CX11_XIM_FAILED;
    // Restore the state afterwards, because a reset switches some engines off (nabi's always, others by their
    // settings).
    uint32_t before = 0, after = 0;
    cx11_xim_result result = get_state(xim, c, &before);
    if (result != CX11_XIM_OK) return result;
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_RESET_IC, c->number);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_RESET_IC_REPLY, c);
    cx11_xim_send(xim, &packet);
    result = cx11_xim_wait(xim);
    if (result == CX11_XIM_OK && before) {
        result = get_state(xim, c, &after);
        if (result == CX11_XIM_OK && after && after != before) result = set_state(xim, c, before);
    }
    return result;
}

// MARK: Keys

static ptrdiff_t find_trigger(const cx11_xim *xim, int which, const XKeyEvent *key, KeySym symbol) {
    for (size_t i = 0; i < xim->trigger_counts[which]; i++) {
        const struct trigger *t = &xim->triggers[which][i];
        if (t->symbol == symbol && (key->state & t->mask) == t->modifiers) return (ptrdiff_t)i;
    }
    return -1;
}

// Notifies the server that a key was pressed which switches the input method on (0) or off (1).
static cx11_xim_result notify_trigger(cx11_xim *xim, struct context *c, int which, ptrdiff_t index) {
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_TRIGGER_NOTIFY, c->number);
    cx11_xim_put32(&packet, (uint32_t)which);
    cx11_xim_put32(&packet, (uint32_t)index);
    cx11_xim_put32(&packet, KeyPressMask | KeyReleaseMask);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_TRIGGER_NOTIFY_REPLY, c);
    cx11_xim_send(xim, &packet);
    return cx11_xim_wait(xim);
}

static cx11_xim_result forward(cx11_xim *xim, struct context *c, const XKeyEvent *key, bool is_synchronous) {
    xcb_key_press_event_t wire = {
        .response_type = (uint8_t)(key->type | (key->send_event ? 0x80 : 0)),
        .detail = (xcb_keycode_t)key->keycode,
        .sequence = (uint16_t)key->serial,
        .time = (xcb_timestamp_t)key->time,
        .root = (xcb_window_t)key->root,
        .event = (xcb_window_t)c->window,
        .child = (xcb_window_t)key->subwindow,
        .root_x = (int16_t)key->x_root,
        .root_y = (int16_t)key->y_root,
        .event_x = (int16_t)key->x,
        .event_y = (int16_t)key->y,
        .state = (uint16_t)key->state,
        .same_screen = key->same_screen != 0,
    };
    struct packet packet = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_FORWARD_EVENT, c->number);
    cx11_xim_put16(&packet, is_synchronous);
    cx11_xim_put16(&packet, 0);
    put(&packet, &wire, sizeof wire);
    if (is_synchronous) cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_SYNC_REPLY, c);
    cx11_xim_send(xim, &packet);
    return is_synchronous ? cx11_xim_wait(xim) : CX11_XIM_OK;
}

cx11_xim_result cx11_xim_key(cx11_xim *xim, Window window, XKeyEvent key, KeySym symbol, bool *consumed) {
    *consumed = false;
    if (xim->is_lost) return CX11_XIM_LOST;
    struct context *c = cx11_xim_find(xim, window);
    if (!c || xim->is_server_gone) return CX11_XIM_FAILED;
    uint32_t mask = key.type == KeyPress ? KeyPressMask : KeyReleaseMask;
    bool is_wanted = (c->has_masks ? c->forward_mask : xim->forward_mask) & mask;
    bool is_synchronous = (c->has_masks ? c->synchronous_mask : xim->synchronous_mask) & mask;
    if (key.type == KeyPress) {
        int which = is_wanted ? 1 : 0;
        ptrdiff_t index = find_trigger(xim, which, &key, symbol);
        if (index >= 0) {
            cx11_xim_result result = notify_trigger(xim, c, which, index);
            *consumed = result == CX11_XIM_OK;
            return result == CX11_XIM_LOST ? result : CX11_XIM_OK;
        }
    }
    if (!is_wanted) return CX11_XIM_OK;
    cx11_xim_result result = forward(xim, c, &key, is_synchronous);
    *consumed = result == CX11_XIM_OK;
    return result == CX11_XIM_LOST ? result : CX11_XIM_OK;
}
