// A connection to an X server for one input method: making and ending the connection, and opening and closing the
// input method.
#define _GNU_SOURCE
#include "include/cx11_xim.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <xcb/xfixes.h>

#include "include/cx11_connection.h"
#include "include/cx11_handlers.h"
#include "opening.h"
#include "xim_private.h"

// MARK: Connection

cx11_xim *cx11_xim_create(cx11_xim_callback callback, void *context) {
    cx11_xim *xim = calloc(1, sizeof *xim);
    if (!xim) return NULL;
    xim->callback = callback;
    xim->context = context;
    return xim;
}

static bool on_error(Display *display, const XErrorEvent *error, void *context) {
    (void)display, (void)error, (void)context;
    return true;
}

static bool open_text_display(cx11_xim *xim, const char *name) {
    CX11_OPENING(false);
    xim->display = XOpenDisplay(name);
    CX11_OPENED();
    if (!xim->display) return false;
    if (!cx11_handlers_add_own(xim->display)) {
        XCloseDisplay(xim->display);
        xim->display = NULL;
        return false;
    }
    cx11_handlers_set_error(xim->display, on_error, xim);
    return true;
}

// Interns the atoms of these names, in one round trip. Returns false if the connection is lost.
static bool intern(cx11_xim *xim, const char *const *names, xcb_atom_t *const *atoms, int count) {
    enum { LIMIT = 64 };
    xcb_intern_atom_cookie_t cookies[LIMIT];
    bool is_whole = count <= LIMIT;
    for (int i = 0; i < count && i < LIMIT; i++) {
        cookies[i] = xcb_intern_atom(xim->connection, false, (uint16_t)strlen(names[i]), names[i]);
    }
    for (int i = 0; i < count && i < LIMIT; i++) {
        xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(xim->connection, cookies[i], NULL);
        if (reply) *atoms[i] = reply->atom;
        else is_whole = false;
        free(reply);
    }
    return is_whole;
}

static bool intern_all(cx11_xim *xim, const char *selection) {
    enum { NAMED = 7 };
    const char *names[NAMED + PROPERTY_COUNT] = {
        selection, "LOCALES", "TRANSPORT", "_XIM_XCONNECT", "_XIM_PROTOCOL", "_XIM_MOREDATA", "COMPOUND_TEXT"};
    xcb_atom_t *atoms[NAMED + PROPERTY_COUNT] = {
        &xim->selection, &xim->locales, &xim->transport, &xim->connect, &xim->protocol, &xim->more_data,
        &xim->compound_text};
    char properties[PROPERTY_COUNT][16];
    for (int i = 0; i < PROPERTY_COUNT; i++) {
        snprintf(properties[i], sizeof properties[i], "_client%d", i);
        names[NAMED + i] = properties[i];
        atoms[NAMED + i] = &xim->properties[i];
    }
    return intern(xim, names, atoms, NAMED + PROPERTY_COUNT);
}

static xcb_window_t make_window(cx11_xim *xim) {
    xcb_window_t window = xcb_generate_id(xim->connection);
    xcb_create_window(
        xim->connection, XCB_COPY_FROM_PARENT, window, xim->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
        XCB_COPY_FROM_PARENT, 0, NULL);
    return window;
}

static void watch_owner(cx11_xim *xim) {
    const xcb_query_extension_reply_t *fixes = xcb_get_extension_data(xim->connection, &xcb_xfixes_id);
    xim->has_fixes = fixes && fixes->present;
    if (!xim->has_fixes) return;
    xim->fixes_event = fixes->first_event;
    // Query the version of XFixes, which it requires before its first request.
    xcb_discard_reply(xim->connection, xcb_xfixes_query_version(xim->connection, 1, 0).sequence);
    xcb_xfixes_select_selection_input(
        xim->connection, xim->own_window, xim->selection,
        XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER |
            XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_WINDOW_DESTROY |
            XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_CLIENT_CLOSE);
}

cx11_xim_result cx11_xim_connect(cx11_xim *xim, const char *display_name, const char *server_name) {
    char name[256];
    int screen = 0;
    snprintf(name, sizeof name, "@server=%s", server_name);
    xim->connection = xcb_connect(display_name, &screen);
    if (xcb_connection_has_error(xim->connection) || !open_text_display(xim, display_name)) return CX11_XIM_FAILED;
    xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(xim->connection));
    while (screen-- > 0 && screens.rem > 1) xcb_screen_next(&screens);
    xim->root = screens.data->root;
    if (!intern_all(xim, name)) return CX11_XIM_FAILED;
    xim->own_window = make_window(xim);
    watch_owner(xim);
    xcb_flush(xim->connection);
    return CX11_XIM_OK;
}

int cx11_xim_descriptor(const cx11_xim *xim) {
    return xim->connection ? xcb_get_file_descriptor(xim->connection) : -1;
}

int cx11_xim_text_descriptor(const cx11_xim *xim) { return xim->display ? ConnectionNumber(xim->display) : -1; }

const char *cx11_xim_refusal(const cx11_xim *xim) { return xim->refusal; }

void cx11_xim_lose(cx11_xim *xim) {
    xim->is_lost = true;
    if (xim->connection) shutdown(xcb_get_file_descriptor(xim->connection), SHUT_RDWR);
}

void cx11_xim_refuse(cx11_xim *xim, const char *why) {
    // Do not blame the server for data that is cut off because the connection has ended.
    if (!xim->refusal && !xim->is_lost && !xcb_connection_has_error(xim->connection)) xim->refusal = why;
    cx11_xim_lose(xim);
}

static bool is_lost(cx11_xim *xim) {
    if (!xim->is_lost && (!xim->connection || xcb_connection_has_error(xim->connection))) xim->is_lost = true;
    return xim->is_lost;
}

// Frees everything that belongs to the input method.
static void forget_method(cx11_xim *xim) {
    while (xim->contexts) {
        struct context *c = xim->contexts;
        xim->contexts = c->next;
        free(c);
    }
    for (int i = 0; i < 2; i++) {
        free(xim->triggers[i]);
        xim->triggers[i] = NULL;
        xim->trigger_counts[i] = 0;
    }
    xim->wait = (struct wait){0};
    xim->assembled = 0;
    cx11_xim_forget_unread(xim);
    xim->server = xim->server_window = 0;
    xim->forward_mask = xim->synchronous_mask = 0;
    xim->is_utf8 = xim->is_server_gone = false;
    xim->grammar = (cx11_xim_grammar){0};
}

void cx11_xim_destroy(cx11_xim *xim) {
    if (!xim) return;
    forget_method(xim);
    if (xim->display) {
        if (xim->font_set) XFreeFontSet(xim->display, xim->font_set);
        cx11_handlers_close(xim->display);
    }
    free(xim->peeked);
    free(xim->assembly);
    if (xim->connection) xcb_disconnect(xim->connection);
    free(xim);
}

// MARK: Events

static xcb_generic_event_t *next_event(cx11_xim *xim) {
    xcb_generic_event_t *event = xim->peeked;
    xim->peeked = NULL;
    return event ? event : xcb_poll_for_event(xim->connection);
}

cx11_xim_result cx11_xim_pump(cx11_xim *xim) {
    xcb_generic_event_t *event;
    while (!is_lost(xim) && (event = next_event(xim))) {
        cx11_xim_handle(xim, event);
        free(event);
    }
    return is_lost(xim) ? CX11_XIM_LOST : CX11_XIM_OK;
}

cx11_xim_result cx11_xim_has_events(cx11_xim *xim, bool *pending) {
    if (is_lost(xim)) return CX11_XIM_LOST;
    if (!xim->peeked) xim->peeked = xcb_poll_for_event(xim->connection);
    *pending = xim->peeked != NULL;
    return is_lost(xim) ? CX11_XIM_LOST : CX11_XIM_OK;
}

void cx11_xim_expect(cx11_xim *xim, enum wait_kind kind, uint8_t request, struct context *context) {
    xim->wait = (struct wait){.kind = kind, .request = request, .context = context};
}

static cx11_xim_result wait_for_answer(cx11_xim *xim) {
    for (;;) {
        xcb_generic_event_t *event;
        while (!is_lost(xim) && !xim->wait.is_over && (event = next_event(xim))) {
            cx11_xim_handle(xim, event);
            free(event);
        }
        if (is_lost(xim)) return CX11_XIM_LOST;
        if (xim->wait.is_over) return xim->wait.has_succeeded ? CX11_XIM_OK : CX11_XIM_FAILED;
        if (xim->is_server_gone) return CX11_XIM_FAILED;
        struct pollfd input = {xcb_get_file_descriptor(xim->connection), POLLIN, 0};
        if (poll(&input, 1, -1) < 0 && errno != EINTR) {
            cx11_xim_lose(xim);
            return CX11_XIM_LOST;
        }
    }
}

cx11_xim_result cx11_xim_wait(cx11_xim *xim) {
    cx11_xim_result result = wait_for_answer(xim);
    xim->wait = (struct wait){0};
    return result;
}

// MARK: Queries

cx11_xim_result cx11_xim_owner(cx11_xim *xim, Window *owner) {
    if (is_lost(xim)) return CX11_XIM_LOST;
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
        xim->connection, xcb_get_selection_owner(xim->connection, xim->selection), NULL);
    *owner = reply ? reply->owner : 0;
    free(reply);
    return is_lost(xim) ? CX11_XIM_LOST : CX11_XIM_OK;
}

cx11_xim_result cx11_xim_ping(cx11_xim *xim) {
    if (is_lost(xim)) return CX11_XIM_LOST;
    cx11_xim_ask(xim, xim->own_window, xim->locales);
    return CX11_XIM_OK;
}

// Trap “overlooked events”: some servers check their queue only when their socket is readable (fcitx5 before 5.1.13).
// Such a server overlooks events that one of its own calls has read from the socket, until the next event comes.
cx11_xim_result cx11_xim_nudge(cx11_xim *xim) {
    if (is_lost(xim)) return CX11_XIM_LOST;
    cx11_xim_ask(xim, xim->own_window, xim->transport);
    return CX11_XIM_OK;
}

// MARK: Opening the input method

// Returns the first entry of a server's list, such as `@locale=en,ja_JP`, that is among the names; null if there is
// none.
static const char *find_listed(const char *list, const char *category, const char *const *names, int count) {
    size_t length = strlen(category);
    if (strncmp(list, category, length) != 0) return NULL;
    for (const char *at = list + length; at;) {
        size_t size = strcspn(at, ",");
        for (int i = 0; i < count; i++) {
            if (strlen(names[i]) == size && memcmp(names[i], at, size) == 0) return names[i];
        }
        at = at[size] ? at + size + 1 : NULL;
    }
    return NULL;
}

// Whether the server's list of transports contains the transport by X messages.
static bool offers_messages(const char *list) {
    static const char category[] = "@transport=";
    if (strncmp(list, category, sizeof category - 1) != 0) return false;
    for (const char *at = list + sizeof category - 1; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (at[0] == 'X' && at[1] == '/') return true;
    }
    return false;
}

struct locale_names {
    // The locale with territory and codeset, then with the territory only, then the language alone: `ja_JP.UTF-8`,
    // `ja_JP`, `ja`.
    char full[64], territory[48], language[32];
};

// Makes the names by which a server may know a locale. A locale without a language counts as English, as in
// libX11's list of aliases. Returns false if the locale has no name, or one that is too long.
static bool make_names(const char *locale, struct locale_names *names) {
    if (strcmp(locale, "POSIX") == 0 || strcmp(locale, "C") == 0 || strncmp(locale, "C.", 2) == 0) {
        locale = "en_US.UTF-8";
    }
    size_t end = strcspn(locale, ".@"), language = strcspn(locale, "_.@");
    if (end == 0 || end >= sizeof names->territory || language >= sizeof names->language) return false;
    snprintf(names->territory, sizeof names->territory, "%.*s", (int)end, locale);
    snprintf(names->language, sizeof names->language, "%.*s", (int)language, locale);
    // Use the codeset UTF-8, the only one in which this client accepts texts.
    snprintf(names->full, sizeof names->full, "%.*s.UTF-8", (int)end, locale);
    return true;
}

// Sends a query by selection and returns the answer. Returns null, with a result, if there is no answer.
static char *ask(cx11_xim *xim, enum wait_kind kind, xcb_atom_t target, cx11_xim_result *result) {
    cx11_xim_expect(xim, kind, 0, NULL);
    cx11_xim_ask(xim, xim->window, target);
    *result = cx11_xim_wait(xim);
    if (*result != CX11_XIM_OK) return NULL;
    char *answer = cx11_xim_take_property(xim, xim->window, target);
    if (!answer) *result = is_lost(xim) ? CX11_XIM_LOST : CX11_XIM_FAILED;
    return answer;
}

// Finds the name of the locale among those that the server supports.
static cx11_xim_result choose_locale(cx11_xim *xim, const struct locale_names *names, const char **chosen) {
    cx11_xim_result result;
    char *list = ask(xim, WAIT_LOCALES, xim->locales, &result);
    if (!list) return result;
    *chosen = find_listed(list, "@locale=", (const char *[]){names->full, names->territory, names->language}, 3);
    free(list);
    return *chosen ? CX11_XIM_OK : CX11_XIM_FAILED;
}

static cx11_xim_result check_transport(cx11_xim *xim) {
    cx11_xim_result result;
    char *list = ask(xim, WAIT_TRANSPORT, xim->transport, &result);
    bool is_known = list && offers_messages(list);
    free(list);
    if (is_known || result == CX11_XIM_LOST || xim->is_server_gone) return result;
    cx11_xim_refuse(xim, "no transport");
    return CX11_XIM_LOST;
}

static cx11_xim_result connect_to_server(cx11_xim *xim) {
    // Request version 0.0 of the transport, in which a packet that is longer than a message is sent in a property.
    uint32_t data[5] = {xim->window};
    cx11_xim_expect(xim, WAIT_CONNECTION, 0, NULL);
    cx11_xim_send_message(xim, xim->server_window, xim->connect, 32, data);
    xcb_flush(xim->connection);
    cx11_xim_result result = cx11_xim_wait(xim);
    if (result != CX11_XIM_OK) return result;
    if (xim->server != xim->server_window) {
        uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
        xcb_change_window_attributes(xim->connection, xim->server, XCB_CW_EVENT_MASK, &mask);
    }
    struct packet packet = {.size = 0};
    uint16_t one = 1;
    packet.bytes[packet.size] = CX11_XIM_REQUEST_CONNECT;
    packet.size += 4;
    // State the byte order of the numbers: this machine's.
    packet.bytes[packet.size] = *(uint8_t *)&one ? 'l' : 'B';
    packet.size += 2;
    cx11_xim_put16(&packet, 1);
    cx11_xim_put32(&packet, 0);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_CONNECT_REPLY, NULL);
    cx11_xim_send(xim, &packet);
    return cx11_xim_wait(xim);
}

static void put_string(struct packet *packet, const char *text) {
    size_t length = strlen(text);
    packet->bytes[packet->size++] = (uint8_t)length;
    memcpy(packet->bytes + packet->size, text, length);
    packet->size += length;
}

static cx11_xim_result open_method(cx11_xim *xim, const char *locale) {
    struct packet packet = {.size = 4};
    packet.bytes[0] = CX11_XIM_REQUEST_OPEN;
    put_string(&packet, locale);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_OPEN_REPLY, NULL);
    cx11_xim_send(xim, &packet);
    return cx11_xim_wait(xim);
}

static cx11_xim_result agree_on_encoding(cx11_xim *xim) {
    struct packet packet = cx11_xim_begin_packet(xim, CX11_XIM_REQUEST_ENCODING_NEGOTIATION);
    size_t at = packet.size;
    cx11_xim_put16(&packet, 0);
    // The server answers with an index into this list: see `receive_encoding`.
    put_string(&packet, "COMPOUND_TEXT");
    put_string(&packet, "UTF-8");
    uint16_t size = (uint16_t)(packet.size - at - 2);
    memcpy(packet.bytes + at, &size, 2);
    while (packet.size % 4) packet.bytes[packet.size++] = 0;
    cx11_xim_put32(&packet, 0);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_ENCODING_NEGOTIATION_REPLY, NULL);
    cx11_xim_send(xim, &packet);
    return cx11_xim_wait(xim);
}

static cx11_xim_result get_styles(cx11_xim *xim) {
    if (!xim->grammar.used[CX11_XIM_INPUT_STYLES].is_declared) return CX11_XIM_OK;
    struct packet packet = cx11_xim_begin_packet(xim, CX11_XIM_REQUEST_GET_IM_VALUES);
    cx11_xim_put16(&packet, 2);
    cx11_xim_put16(&packet, xim->grammar.used[CX11_XIM_INPUT_STYLES].id);
    cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_GET_IM_VALUES_REPLY, NULL);
    cx11_xim_send(xim, &packet);
    return cx11_xim_wait(xim);
}

static cx11_xim_result open_server(cx11_xim *xim, const char *locale) {
    struct locale_names names;
    const char *chosen = NULL;
    Window owner = 0;
    uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    cx11_xim_result result = cx11_xim_owner(xim, &owner);
    if (result != CX11_XIM_OK || owner == 0 || !make_names(locale, &names)) {
        return result == CX11_XIM_OK ? CX11_XIM_FAILED : result;
    }
    xim->server_window = (xcb_window_t)owner;
    xcb_change_window_attributes(xim->connection, xim->server_window, XCB_CW_EVENT_MASK, &mask);
    result = choose_locale(xim, &names, &chosen);
    if (result == CX11_XIM_OK) result = check_transport(xim);
    if (result == CX11_XIM_OK) result = connect_to_server(xim);
    if (result == CX11_XIM_OK) result = open_method(xim, chosen);
    if (result == CX11_XIM_OK) result = agree_on_encoding(xim);
    if (result == CX11_XIM_OK) result = get_styles(xim);
    return result;
}

cx11_xim_result cx11_xim_open(cx11_xim *xim, const char *locale, unsigned long *styles, int limit, int *count) {
    *count = 0;
    if (is_lost(xim)) return CX11_XIM_LOST;
    cx11_xim_abandon(xim);
    // Use a new window for each input method: an earlier input method may still send to its own window, which is
    // destroyed.
    xim->window = make_window(xim);
    xim->styles = styles;
    xim->style_limit = limit;
    xim->style_count = 0;
    cx11_xim_result result = open_server(xim, locale);
    xim->styles = NULL;
    *count = xim->style_count;
    if (result == CX11_XIM_FAILED) cx11_xim_abandon(xim);
    return result;
}

cx11_xim_result cx11_xim_load_font_set(cx11_xim *xim) {
    char **missing = NULL, *fallback = NULL;
    int missing_count = 0;
    if (is_lost(xim)) return CX11_XIM_LOST;
    if (!xim->font_set) {
        cx11_quiet_begin();
        xim->font_set = XCreateFontSet(
            xim->display, "-misc-fixed-medium-r-normal--*-130-75-75-c-*-*-*,-*-*-medium-r-normal--*-*-*-*-*-*-*-*",
            &missing, &missing_count, &fallback);
        cx11_quiet_end();
        if (missing) XFreeStringList(missing);
    }
    return xim->font_set ? CX11_XIM_OK : CX11_XIM_FAILED;
}

void cx11_xim_abandon(cx11_xim *xim) {
    forget_method(xim);
    if (xim->window == 0 || is_lost(xim)) return;
    xcb_destroy_window(xim->connection, xim->window);
    xcb_flush(xim->connection);
    xim->window = 0;
}

cx11_xim_result cx11_xim_close(cx11_xim *xim) {
    if (is_lost(xim)) return CX11_XIM_LOST;
    if (!xim->server) return CX11_XIM_OK;
    while (xim->contexts && !xim->is_server_gone) {
        if (cx11_xim_context_destroy(xim, xim->contexts->window) == CX11_XIM_LOST) return CX11_XIM_LOST;
    }
    if (!xim->is_server_gone) {
        struct packet packet = cx11_xim_begin_packet(xim, CX11_XIM_REQUEST_CLOSE);
        cx11_xim_put16(&packet, 0);
        cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_CLOSE_REPLY, NULL);
        cx11_xim_send(xim, &packet);
        if (cx11_xim_wait(xim) == CX11_XIM_LOST) return CX11_XIM_LOST;
    }
    if (!xim->is_server_gone) {
        struct packet packet = {.size = 4};
        packet.bytes[0] = CX11_XIM_REQUEST_DISCONNECT;
        cx11_xim_expect(xim, WAIT_PACKET, CX11_XIM_REQUEST_DISCONNECT_REPLY, NULL);
        cx11_xim_send(xim, &packet);
        if (cx11_xim_wait(xim) == CX11_XIM_LOST) return CX11_XIM_LOST;
    }
    cx11_xim_abandon(xim);
    return CX11_XIM_OK;
}

// MARK: Name of the thread

void cx11_xim_name_thread(void) { pthread_setname_np(pthread_self(), "inkstone-xim"); }
