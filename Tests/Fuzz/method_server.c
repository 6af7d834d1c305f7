// A server of an input method that holds the usual conversation and damages it on the way.
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xfixes.h>

#include "method.h"

atomic_long server_sent, server_damaged;

static xcb_connection_t *connection;
static xcb_window_t root, window, client;
// The selection's name is `selections[0]`, or the other one while nothing is damaged.
static xcb_atom_t selection, selections[2], servers, locales, transport, xconnect, protocol, more_data, data_atom;
static uint8_t fixes_event;
static chance luck;
static uint32_t one_in;
static agreement agreed;
// Sent after the next one.
static packet delayed;
// A new seed comes on the one, its acknowledgement goes on the other.
static int orders[2], answers[2];

static bool hits(void) { return one_in > 0 && chance_once_in(&luck, one_in); }

static xcb_atom_t atom(const char *name) {
    xcb_intern_atom_reply_t *reply =
        xcb_intern_atom_reply(connection, xcb_intern_atom(connection, false, (uint16_t)strlen(name), name), NULL);
    if (!reply) fail("the server's connection to the display is lost");
    xcb_atom_t result = reply->atom;
    free(reply);
    return result;
}

static void sync_server(void) { free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), NULL)); }

// MARK: Sending

static void send_message(xcb_atom_t type, uint8_t format, const void *data, size_t count) {
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE, .format = format, .window = client, .type = type};
    memcpy(event.data.data8, data, count);
    xcb_send_event(connection, false, client, 0, (const char *)&event);
}

// Some event that no server sends, to the window where messages arrive.
static void send_stray_event(void) {
    static const uint8_t types[] = {
        XCB_KEY_PRESS, XCB_KEY_RELEASE, XCB_FOCUS_IN, XCB_DESTROY_NOTIFY, XCB_PROPERTY_NOTIFY, XCB_SELECTION_CLEAR,
        XCB_SELECTION_REQUEST, XCB_SELECTION_NOTIFY, XCB_CLIENT_MESSAGE, XCB_MAPPING_NOTIFY};
    uint32_t words[8];
    for (int i = 0; i < 8; i++) {
        const uint32_t known[] = {window, client, root, selection, locales, transport, protocol, xconnect, 0, 1};
        words[i] = chance_below(&luck, 4) ? known[chance_below(&luck, 10)] : (uint32_t)chance_next(&luck);
    }
    uint8_t *event = (uint8_t *)words;
    event[0] = chance_below(&luck, 8) ? types[chance_below(&luck, sizeof types)] : (uint8_t)(fixes_event + chance_below(&luck, 2));
    if (event[0] == XCB_CLIENT_MESSAGE) event[1] = (uint8_t)(8u << chance_below(&luck, 3));
    if ((event[0] == XCB_KEY_PRESS || event[0] == XCB_KEY_RELEASE) && chance_below(&luck, 2)) event[1] = 0;
    xcb_send_event(connection, false, client, 0, (const char *)event);
}

static void send_in_parts(const packet *p) {
    size_t at = 0;
    for (; at < p->size && at < PACKET_ROOM - 20; at += 20) {
        size_t count = p->size - at < 20 ? p->size - at : 20;
        bool is_last = at + 20 >= p->size;
        if (hits() && chance_once_in(&luck, 30)) is_last = !is_last;
        send_message(is_last ? protocol : more_data, hits() && chance_once_in(&luck, 30) ? 32 : 8, p->bytes + at, count);
    }
}

static void send_in_property(const packet *p) {
    uint32_t words[5] = {(uint32_t)p->size, data_atom};
    if (hits() && chance_once_in(&luck, 4)) {
        uint32_t which = chance_below(&luck, 2);
        words[which] = chance_below(&luck, 2) ? chance_nasty16(&luck) : words[which] + chance_below(&luck, 9) - 4;
    }
    uint32_t trick = hits() ? chance_below(&luck, 12) : 12;
    if (trick == 0) {
        // The property is not there.
    } else if (trick == 1) {
        xcb_change_property(connection, XCB_PROP_MODE_REPLACE, client, data_atom, 1 + chance_below(&luck, 60), 16,
                            (uint32_t)p->size / 2, p->bytes);
    } else {
        xcb_change_property(connection, XCB_PROP_MODE_APPEND, client, data_atom, XCB_ATOM_STRING, 8, (uint32_t)p->size, p->bytes);
    }
    send_message(protocol, 32, words, sizeof words);
}

static void deliver(const packet *p) {
    atomic_fetch_add(&server_sent, 1);
    // How long it is cannot be reported from outside otherwise.
    if (p->size <= 20 && !(one_in > 0 && chance_once_in(&luck, 8))) send_message(protocol, 8, p->bytes, p->size);
    else if (chance_once_in(&luck, 4)) send_in_parts(p);
    else send_in_property(p);
}

// Gives the selection up, or its window, or takes it for another.
static void leave(void) {
    uint32_t how = chance_below(&luck, 3);
    if (how == 0) xcb_destroy_window(connection, window);
    else xcb_set_selection_owner(connection, how == 1 ? XCB_NONE : client, selection, XCB_CURRENT_TIME);
}

// Another declaration of attributes, in good form.
static void declare_again(void) {
    static packet again;
    agreement other = agreed;
    other.first_attribute = (uint16_t)(1 + chance_below(&luck, 200));
    if (chance_once_in(&luck, 6)) other.method++;
    packet_make(&again, OPEN_REPLY, &luck, &other, NULL, 0);
    deliver(&again);
}

static void send_packet(packet *p) {
    if (hits()) {
        atomic_fetch_add(&server_damaged, 1);
        switch (chance_below(&luck, 16)) {
        case 0: return;
        case 1:
            for (uint32_t n = chance_once_in(&luck, 16) ? 400 : 1 + chance_below(&luck, 4); n > 0; n--) deliver(p);
            break;
        case 2: {
            bool waits = delayed.size > 0;
            if (!waits) {
                delayed.size = p->size;
                memcpy(delayed.bytes, p->bytes, p->size);
                return;
            }
            break;
        }
        case 3: declare_again(); break;
        case 4: send_stray_event(); break;
        case 5: {
            if (chance_once_in(&luck, 8)) leave();
            break;
        }
        default: packet_damage(p, &luck, &agreed);
        }
    }
    deliver(p);
    if (delayed.size > 0) {
        deliver(&delayed);
        delayed.size = 0;
    }
}

static void say(uint8_t request, const uint8_t *question, size_t size) {
    static packet p;
    packet_make(&p, request, &luck, &agreed, question, size);
    send_packet(&p);
}

// What a server says by itself, now and then.
static void chatter(uint32_t most) {
    if (one_in == 0) return;
    for (uint32_t n = chance_below(&luck, most + 1); n > 0; n--) say(packet_choose(&luck), NULL, 0);
}

// MARK: Requests

static void answer_key(const uint8_t *question, size_t size) {
    bool is_waited_for = size >= 10 && (question[8] & 1);
    if (one_in == 0) {
        static packet p;
        if (size > 12 && question[12] == XCB_KEY_PRESS) {
            packet_make_draw(&p, &agreed);
            deliver(&p);
            packet_make_commit(&p, &agreed);
            deliver(&p);
        }
    } else {
        chatter(8);
    }
    if (is_waited_for) say(SYNC_REPLY, question, size);
}

static void create_context(void) {
    agreed.context = (uint16_t)(agreed.context + 1);
    agreed.contexts[agreed.context_count % 8] = agreed.context;
    if (agreed.context_count < 8) agreed.context_count++;
}

static void answer(const uint8_t *question, size_t size) {
    if (size < 4) return;
    if (size >= 8 && question[0] >= DESTROY_IC && question[0] <= STR_CONVERSION) memcpy(&agreed.context, question + 6, 2);
    uint8_t request = question[0];
    switch (request) {
    case SET_IC_FOCUS: case UNSET_IC_FOCUS: chatter(3); return;
    case FORWARD_EVENT: answer_key(question, size); return;
    case SYNC_REPLY: case PREEDIT_START_REPLY: case PREEDIT_CARET_REPLY: case ERROR: case TRIGGER_NOTIFY: return;
    case SYNC: say(SYNC_REPLY, question, size); return;
    case OPEN: agreed.first_attribute = one_in && chance_once_in(&luck, 8) ? (uint16_t)(1 + chance_below(&luck, 50)) : 1; break;
    case CREATE_IC: create_context(); break;
    case RESET_IC: chatter(4); break;
    case SET_IC_VALUES: case DESTROY_IC: case CLOSE: chatter(2); break;
    default: break;
    }
    if (one_in > 0 && chance_once_in(&luck, 40)) request = ERROR - 1;
    say(request + 1, question, size);
    // Of a context that it knows: which keys are wanted.
    if (request == CREATE_IC) say(SET_EVENT_MASK, NULL, 0);
    if (request == CREATE_IC || request == RESET_IC) chatter(2);
}

static void take_request(const xcb_client_message_event_t *event) {
    if (event->format == 8) {
        answer(event->data.data8, sizeof event->data.data8);
        return;
    }
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        connection, xcb_get_property(connection, true, window, event->data.data32[1], XCB_ATOM_ANY, 0, 1 << 16), NULL);
    const uint8_t *bytes = reply ? xcb_get_property_value(reply) : NULL;
    size_t size = reply ? (size_t)xcb_get_property_value_length(reply) : 0;
    // A fast client has put the next one into the same property.
    while (size >= 4) {
        uint16_t words;
        memcpy(&words, bytes + 2, 2);
        size_t count = 4 + 4 * (size_t)words;
        if (count > size) count = size;
        answer(bytes, count);
        bytes += count;
        size -= count;
    }
    free(reply);
}

static void take_connection(const xcb_client_message_event_t *event) {
    client = event->data.data32[0];
    uint32_t words[5] = {window};
    if (hits() && chance_once_in(&luck, 8)) {
        words[chance_below(&luck, 5)] = chance_once_in(&luck, 2) ? 1 : (uint32_t)chance_next(&luck);
    }
    if (hits() && chance_once_in(&luck, 16)) return;
    send_message(xconnect, hits() && chance_once_in(&luck, 16) ? 8 : 32, words, sizeof words);
}

static void take_selection(const xcb_selection_request_event_t *request) {
    static const char good_locales[] = "@locale=C,en,en_US.UTF-8,C.UTF-8", good_transport[] = "@transport=X/";
    static const char *const odd[] = {"", "@", "@locale=", "@transport=", "@transport=tcp/host:1,X/", "@transport=,X/", "@locale=,,,", "X/"};
    const char *text = request->target == locales ? good_locales : good_transport;
    size_t size = strlen(text);
    xcb_selection_notify_event_t notice = {
        .response_type = XCB_SELECTION_NOTIFY, .time = request->time, .requestor = request->requestor,
        .selection = request->selection, .target = request->target, .property = request->property};
    xcb_atom_t type = request->target;
    uint8_t format = 8;
    bool is_there = true;
    int times = 1;
    if (hits() && chance_once_in(&luck, 6)) {
        switch (chance_below(&luck, 7)) {
        case 0: notice.property = 0; break;
        case 1: notice.target = chance_below(&luck, 80); break;
        case 2: text = odd[chance_below(&luck, sizeof odd / sizeof *odd)]; size = strlen(text); break;
        case 3: type = chance_below(&luck, 80); format = 16; size /= 2; break;
        case 4: is_there = false; break;
        case 5: size = chance_below(&luck, (uint32_t)size); break;
        default: times = (int)chance_below(&luck, 4);
        }
    }
    if (is_there) {
        xcb_change_property(connection, XCB_PROP_MODE_REPLACE, request->requestor, request->property, type, format,
                            (uint32_t)size, text);
    }
    for (; times > 0; times--) xcb_send_event(connection, false, request->requestor, 0, (const char *)&notice);
}

static void take_event(const xcb_generic_event_t *event) {
    guard_note();
    int type = event->response_type & 0x7f;
    if (type == XCB_SELECTION_REQUEST) take_selection((const xcb_selection_request_event_t *)event);
    if (type != XCB_CLIENT_MESSAGE) return;
    const xcb_client_message_event_t *message = (const xcb_client_message_event_t *)event;
    if (message->window != window) return;
    if (message->type == xconnect) take_connection(message);
    else if (message->type == protocol) take_request(message);
}

// MARK: Thread

static void begin(uint64_t seed, uint32_t rate) {
    xcb_generic_event_t *event;
    sync_server();
    while ((event = xcb_poll_for_event(connection))) free(event);
    // What is left in the last one's properties goes with it.
    if (window) xcb_destroy_window(connection, window);
    window = xcb_generate_id(connection);
    xcb_create_window(connection, 0, window, root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0,
                      NULL);
    selection = selections[rate == 0];
    xcb_set_selection_owner(connection, window, selection, XCB_CURRENT_TIME);
    sync_server();
    while ((event = xcb_poll_for_event(connection))) free(event);
    luck = (chance){seed};
    one_in = rate;
    client = 0;
    delayed.size = 0;
    agreed = (agreement){.method = 1, .first_attribute = 1, .is_careless = rate > 0};
    agreed.is_synchronous = rate > 0 && chance_once_in(&luck, 3);
}

typedef struct { uint64_t seed; uint32_t one_in; } order;

static void *serve(void *unused) {
    (void)unused;
    struct pollfd inputs[2] = {{xcb_get_file_descriptor(connection), POLLIN, 0}, {orders[0], POLLIN, 0}};
    for (;;) {
        xcb_generic_event_t *event;
        while ((event = xcb_poll_for_event(connection))) {
            take_event(event);
            free(event);
        }
        if (xcb_connection_has_error(connection)) fail("the server's connection to the display is lost");
        xcb_flush(connection);
        poll(inputs, 2, -1);
        order next;
        if (!inputs[1].revents) continue;
        if (read(orders[0], &next, sizeof next) != sizeof next) return NULL;
        begin(next.seed, next.one_in);
        if (write(answers[1], "", 1) != 1) return NULL;
    }
}

void server_start(const char *display_name) {
    pthread_t thread;
    connection = xcb_connect(display_name, NULL);
    if (xcb_connection_has_error(connection)) fail("no display");
    root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
    selections[0] = atom("@server=" SERVER_NAME);
    selections[1] = atom("@server=" PLAIN_SERVER_NAME);
    servers = atom("XIM_SERVERS");
    locales = atom("LOCALES");
    transport = atom("TRANSPORT");
    xconnect = atom("_XIM_XCONNECT");
    protocol = atom("_XIM_PROTOCOL");
    more_data = atom("_XIM_MOREDATA");
    data_atom = atom("INKSTONE_FUZZ");
    const xcb_query_extension_reply_t *fixes = xcb_get_extension_data(connection, &xcb_xfixes_id);
    fixes_event = fixes ? fixes->first_event : XCB_SELECTION_NOTIFY;
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, root, servers, XCB_ATOM_ATOM, 32, 2, selections);
    if (pipe(orders) != 0 || pipe(answers) != 0 || pthread_create(&thread, NULL, serve, NULL) != 0) fail("no thread");
    pthread_detach(thread);
}

void server_reset(uint64_t seed, uint32_t rate) {
    char answer;
    if (write(orders[1], &(order){seed, rate}, sizeof(order)) != sizeof(order) || read(answers[0], &answer, 1) != 1) fail("no server");
}
