// The client: what a session does with a connection, in any order and at any time.
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <X11/Xlib.h>
#include <X11/keysym.h>

#include "cx11_xim.h"
#include "cx11_xim_packet.h"
#include "method.h"

enum { WINDOWS = 3, STYLES = 64 };
// In milliseconds, how long a server may say nothing. Nothing is lost if it is not its fault: that connection ends early. A good server
// may take its time on a slow machine.
enum { REPLY_TIMEOUT = 40, PLAIN_REPLY_TIMEOUT = 20000 };

atomic_long client_received;
static const char *display_name;
static xcb_connection_t *host;
static Window windows[WINDOWS];

// One connection.
static struct {
    bool is_open, has_pong, has_fonts;
    int draws, commits;
    bool has_text;
} seen;

const char *__real_cx11_xim_packet_check(cx11_xim_grammar *, const uint8_t *, size_t, bool, cx11_xim_packet *);

// What comes off the wire as a packet passes here (`--wrap`).
const char *__wrap_cx11_xim_packet_check(
    cx11_xim_grammar *grammar, const uint8_t *bytes, size_t size, bool is_exact, cx11_xim_packet *packet) {
    atomic_fetch_add(&client_received, 1);
    guard_note();
    return __real_cx11_xim_packet_check(grammar, bytes, size, is_exact, packet);
}

static int receive(const cx11_xim_message *m, void *context) {
    static const char kana[] = "\xe3\x81\x82";
    (void)context;
    volatile unsigned long sum = 0;
    for (int i = 0; i < m->text_length; i++) sum += (unsigned char)m->text[i];
    for (int i = 0; i < m->feedback_count; i++) sum += m->feedback[i];
    if (m->text_length < 0 || m->feedback_count < 0) fail("a text of negative length");
    if (m->kind == CX11_XIM_DESTROYED) seen.is_open = false;
    if (m->kind == CX11_XIM_PONG) seen.has_pong = true;
    if (m->kind == CX11_XIM_COMMIT || m->kind == CX11_XIM_PREEDIT_DRAW) {
        seen.has_text = m->text_length == 3 && memcmp(m->text, kana, 3) == 0;
        if (seen.has_text) *(m->kind == CX11_XIM_COMMIT ? &seen.commits : &seen.draws) += 1;
    }
    return m->caret;
}

void client_start(const char *display) {
    display_name = display;
    host = xcb_connect(display, NULL);
    if (xcb_connection_has_error(host)) fail("no display");
    xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(host)).data->root;
    for (int i = 0; i < WINDOWS; i++) {
        windows[i] = xcb_generate_id(host);
        xcb_create_window(host, 0, (xcb_window_t)windows[i], root, 0, 0, 9, 9, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                          XCB_COPY_FROM_PARENT, 0, NULL);
    }
    free(xcb_get_input_focus_reply(host, xcb_get_input_focus(host), NULL));
}

// MARK: Steps

// Handles what has come, and what comes within some milliseconds.
static cx11_xim_result pump(cx11_xim *xim, int milliseconds) {
    cx11_xim_result result = cx11_xim_pump(xim);
    struct pollfd input = {cx11_xim_descriptor(xim), POLLIN, 0};
    if (result == CX11_XIM_OK && milliseconds > 0 && poll(&input, 1, milliseconds) > 0) result = cx11_xim_pump(xim);
    return result;
}

static cx11_xim_result open_method(cx11_xim *xim, unsigned long *styles, int *count) {
    cx11_xim_result result = cx11_xim_open(xim, "C.UTF-8", styles, STYLES, count);
    seen.is_open = result == CX11_XIM_OK;
    return result;
}

static cx11_xim_result type(cx11_xim *xim, Window window, chance *c) {
    cx11_xim_result result = CX11_XIM_OK;
    XKeyEvent key = {.window = window, .keycode = 10 + chance_below(c, 50), .same_screen = True};
    for (int i = 0; i < 2 && result == CX11_XIM_OK; i++) {
        bool is_consumed;
        key.type = i == 0 ? KeyPress : KeyRelease;
        result = cx11_xim_key(xim, window, key, XK_a, &is_consumed);
    }
    return result;
}

static cx11_xim_result step(cx11_xim *xim, chance *c, const unsigned long *styles, int count) {
    Window window = windows[chance_below(c, 4) ? 0 : chance_below(c, WINDOWS)];
    XPoint spot = {(short)chance_below(c, 500), (short)chance_below(c, 500)};
    XRectangle area = {0, 0, 100, 20};
    bool pending;
    cx11_xim_result result = CX11_XIM_OK;
    // As the session does, a window has a context and the focus before it has anything else.
    if (!seen.is_open || count == 0) return CX11_XIM_FAILED;
    unsigned long style = chance_below(c, 4) ? styles[0] : styles[chance_below(c, (uint32_t)count)];
    if ((style & XIMPreeditPosition) && !seen.has_fonts) style = XIMPreeditNothing | XIMStatusNothing;
    result = cx11_xim_context_create(xim, window, style, spot);
    if (result != CX11_XIM_OK) return result;
    switch (chance_below(c, 16)) {
    case 0: return cx11_xim_context_focus(xim, window, false);
    case 1: return cx11_xim_context_destroy(xim, window);
    case 2: return cx11_xim_context_set_spot(xim, window, spot, chance_below(c, 2) ? &area : NULL);
    case 3: case 4: return cx11_xim_context_reset(xim, window);
    case 5: return chance_below(c, 2) ? cx11_xim_ping(xim) : cx11_xim_nudge(xim);
    case 6: return cx11_xim_has_events(xim, &pending);
    case 7: case 8: return pump(xim, 2);
    default: break;
    }
    result = cx11_xim_context_focus(xim, window, true);
    for (uint32_t n = 1 + chance_below(c, 4); n > 0 && result == CX11_XIM_OK; n--) result = type(xim, window, c);
    if (result == CX11_XIM_OK && chance_below(c, 2)) result = pump(xim, (int)chance_below(c, 3));
    return result;
}

// With a server that damages nothing a key is drawn and committed, as often as it is typed.
static cx11_xim_result compose(cx11_xim *xim, const unsigned long *styles, int count, chance *c) {
    enum { KEYS = 3 };
    cx11_xim_result result = count ? cx11_xim_context_create(xim, windows[0], styles[0], (XPoint){1, 1}) : CX11_XIM_FAILED;
    if (result != CX11_XIM_OK) fail("no context of a good server");
    if (cx11_xim_context_focus(xim, windows[0], true) != CX11_XIM_OK) fail("no focus of a good server");
    // Until it has answered it may not have output which keys it wants.
    seen.has_pong = false;
    if (cx11_xim_ping(xim) != CX11_XIM_OK) fail("a good server is lost");
    for (int i = 0; i < PLAIN_REPLY_TIMEOUT && !seen.has_pong; i++) {
        if (pump(xim, 1) != CX11_XIM_OK) fail("a good server is lost");
        guard_note();
    }
    for (int i = 0; i < KEYS; i++) {
        if (type(xim, windows[0], c) != CX11_XIM_OK) fail("a good server is lost at a key");
    }
    for (int i = 0; i < PLAIN_REPLY_TIMEOUT && (seen.draws < KEYS || seen.commits < KEYS); i++) {
        if (pump(xim, 1) != CX11_XIM_OK) fail("a good server is lost in a composition");
        guard_note();
    }
    if (seen.draws != KEYS || seen.commits != KEYS) fail("a good server does not compose");
    return cx11_xim_context_reset(xim, windows[0]);
}

static cx11_xim_result converse(cx11_xim *xim, chance *c, bool is_plain) {
    unsigned long styles[STYLES];
    int count = 0;
    cx11_xim_result result = cx11_xim_ping(xim);
    if (result == CX11_XIM_OK && !is_plain && chance_below(c, 2)) result = pump(xim, 2);
    if (result == CX11_XIM_OK) result = open_method(xim, styles, &count);
    if (is_plain) {
        const char *refusal = cx11_xim_refusal(xim);
        if (result != CX11_XIM_OK) fail(refusal ? refusal : "a good server is not opened");
        return compose(xim, styles, count, c);
    }
    // The session asks only whether it succeeded.
    if (result == CX11_XIM_OK && chance_once_in(c, 16)) seen.has_fonts = cx11_xim_load_font_set(xim) == CX11_XIM_OK;
    for (uint32_t n = 10 + chance_below(c, 60); n > 0 && result == CX11_XIM_OK; n--) {
        guard_note();
        result = step(xim, c, styles, count);
        // What is about a context fails where there is none any more.
        if (result == CX11_XIM_FAILED && seen.is_open && count > 0) result = CX11_XIM_OK;
        if (result == CX11_XIM_OK && chance_once_in(c, 50)) {
            if (chance_below(c, 3)) result = cx11_xim_close(xim);
            else cx11_xim_abandon(xim);
            seen.is_open = false;
            if (result == CX11_XIM_OK) result = open_method(xim, styles, &count);
        }
    }
    return result;
}

run_end client_run(uint64_t seed, bool is_plain) {
    chance c = {seed};
    Window owner;
    memset(&seen, 0, sizeof seen);
    heap_begin();
    cx11_xim *xim = cx11_xim_create(receive, NULL);
    const char *name = is_plain ? PLAIN_SERVER_NAME : SERVER_NAME;
    if (!xim || cx11_xim_connect(xim, display_name, name) != CX11_XIM_OK) fail("no connection");
    guard_begin((int[2]){cx11_xim_descriptor(xim), cx11_xim_text_descriptor(xim)},
                is_plain ? PLAIN_REPLY_TIMEOUT : REPLY_TIMEOUT);
    cx11_xim_result result = cx11_xim_owner(xim, &owner);
    if (result == CX11_XIM_OK) result = converse(xim, &c, is_plain);
    if (result != CX11_XIM_LOST) {
        bool abandons = !is_plain && chance_once_in(&c, 4);
        if (abandons) cx11_xim_abandon(xim);
        else result = cx11_xim_close(xim);
    }
    bool is_refused = cx11_xim_refusal(xim) != NULL, is_shed = guard_end();
    cx11_xim_destroy(xim);
    heap_end();
    guard_note();
    if (is_plain && result != CX11_XIM_OK) fail("a good server is lost at the end");
    return result != CX11_XIM_LOST ? RUN_CLOSED : is_refused ? RUN_REFUSED : is_shed ? RUN_SHED : RUN_LOST;
}
