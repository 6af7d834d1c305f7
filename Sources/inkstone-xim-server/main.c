// A scripted XIM server for tests: answers each key and request as a script says, exactly and as hostile as wished, and
// logs every request of its clients as JSON lines. `--help` describes options and script.
//
// On libxcb-imdkit's public interface. What that does not show (SYNC_REPLY outside of XIM_SYNC, GET_IM_VALUES,
// QUERY_EXTENSION, the selection's targets) is peeked at in the X events before the library gets them.
#include "server.h"

#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options options = {
    .server_name = "inkstone",
    .locales = XCB_IM_ALL_LOCALES,
    .event_mask = XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE,
    .synchronous_replies = true,
    .mode = MODE_KANA,
    .on_reset = ENDING_EMPTY,
    .on_unset = ENDING_CLEAR,
};
xcb_connection_t *connection;
xcb_im_t *im;
struct context *contexts, *current;
static unsigned context_count;
static xcb_atom_t protocol_atom, xconnect_atom, locales_atom, transport_atom, raw_atom;
// Where the client that connected last gets its messages.
static xcb_window_t client_window;

static const char usage[] =
    "Usage: inkstone-xim-server [OPTIONS]\n"
    "  --server-name NAME     own the selection @server=NAME (inkstone); clients use XMODIFIERS=@im=NAME\n"
    "  --display NAME         X display ($DISPLAY)\n"
    "  --script FILE|-        rules and actions, see below\n"
    "  --check                judge the script and end: 0 if it can be done, 2 and the line that cannot\n"
    "  --log FILE|fd:N|-      JSON lines, one for each request: t (CLOCK_MONOTONIC, ms), request, context, and more\n"
    "  --mode NAME            answer to keys without a rule: kana-like (default: letters compose, space converts to two\n"
    "                         clauses, arrows and BackSpace edit, Return commits, Escape cancels), commit-each,\n"
    "                         forward-each, swallow\n"
    "  --flow NAME            event flow: async (default), sync, dynamic (ctrl+space switches on and off)\n"
    "  --styles LIST          what XNQueryInputStyle offers, e.g. callbacks+nothing,position+nothing (default: callbacks,\n"
    "                         position, nothing, each with nothing and callbacks for the status); or none\n"
    "  --locales LIST         locales served (all)\n"
    "  --keys press|both      which key events the client is to forward (both)\n"
    "  --no-sync-flag         FORWARD_EVENT and COMMIT without the SYNCHRONOUS flag, so that they are not paced\n"
    "  --commit-order ORDER   kana-like: commit-first (default) or done-first\n"
    "  --on-reset HOW         kana-like: text (as reply), empty (default: forget), clear (empty, then draw and done),\n"
    "                         late (as clear, then a commit)\n"
    "  --on-unset HOW         kana-like on loss of focus: clear (default), commit, keep\n"
    "  --preedit-state        serve XNPreeditState: on at first, off after each reset\n"
    "  --fuzz SEED:N          damage about one in N of the messages sent, the same ones for the same seed\n"
    "`ready @server=NAME` is printed when the selection is owned and XIM_SERVERS names it.\n\n";

double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct context *context_numbered(unsigned number) {
    struct context *c = contexts;
    while (c && c->number != number) c = c->next;
    return c;
}

// MARK: Sending

void send_commit(struct context *c, uint32_t flag, const char *text, uint32_t keysym) {
    size_t size = 0;
    char *ct = text ? xcb_utf8_to_compound_text(text, strlen(text), &size) : NULL;
    xcb_im_commit_string(im, c->ic, flag, ct ? ct : "", (uint32_t)size, keysym);
    free(ct);
}

void send_draw(struct context *c, int32_t first, int32_t length, int32_t caret, const char *text,
               const uint32_t *feedback, int feedback_count) {
    size_t size = 0;
    char *ct = text ? xcb_utf8_to_compound_text(text, strlen(text), &size) : NULL;
    xcb_im_preedit_draw_fr_t frame = {
        .caret = (uint32_t)caret, .chg_first = (uint32_t)first, .chg_length = (uint32_t)length};
    // The wire's bits: 1 no string, 2 no feedback.
    frame.status = (text ? 0 : 1u) | (feedback_count < 0 || !text ? 2u : 0);
    frame.preedit_string = (uint8_t *)ct;
    frame.length_of_preedit_string = (uint16_t)size;
    if (!(frame.status & 2)) {
        frame.feedback_array.size = (uint32_t)feedback_count;
        frame.feedback_array.items = (uint32_t *)(uintptr_t)feedback;
    }
    xcb_im_preedit_draw_callback(im, c->ic, &frame);
    free(ct);
}

void send_caret(struct context *c, int32_t direction, int32_t position, int32_t style) {
    xcb_im_preedit_caret_fr_t frame = {
        .position = (uint32_t)position, .direction = (uint32_t)direction, .style = (uint32_t)style};
    xcb_im_preedit_caret_callback(im, c->ic, &frame);
}

void send_start(struct context *c) { xcb_im_preedit_start_callback(im, c->ic); }
void send_done(struct context *c) { xcb_im_preedit_done_callback(im, c->ic); }

void send_bytes(const uint8_t *packet, size_t size, size_t announced) {
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE, .format = 8, .window = client_window, .type = protocol_atom};
    if (announced <= sizeof event.data && size <= sizeof event.data) {
        memcpy(event.data.data8, packet, size);
    } else {
        xcb_change_property(connection, XCB_PROP_MODE_APPEND, client_window, raw_atom, XCB_ATOM_STRING, 8,
                            (uint32_t)size, packet);
        event.format = 32;
        event.data.data32[0] = (uint32_t)announced;
        event.data.data32[1] = raw_atom;
    }
    xcb_send_event(connection, false, client_window, XCB_EVENT_MASK_NO_EVENT, (const char *)&event);
}

static void send_raw(const uint8_t *packet, size_t size) { send_bytes(packet, size, size); }

void send_packet(struct context *c, uint8_t opcode, const uint16_t *words, int count) {
    uint16_t packet[10] = {opcode, (uint16_t)(1 + (count + 1) / 2), c->method_id, c->context_id};
    for (int i = 0; i < count; i++) packet[4 + i] = words[i];
    send_raw((const uint8_t *)packet, (size_t)(8 + (count + 1) / 2 * 4));
}

// XIM_ERROR as the answer to a request that begins with these numbers: no detail.
static void send_error(uint16_t method, uint16_t context, bool is_about_context) {
    const uint16_t packet[8] = {XCB_XIM_ERROR, 3, method, context, is_about_context ? 3 : 1, 999};
    send_raw((const uint8_t *)packet, sizeof packet);
}

void set_reset_reply(struct request *r, const char *text) {
    size_t size = 0;
    if (!r->reset || !text) return;
    free(r->reset->committed_string);
    r->reset->committed_string = (uint8_t *)xcb_utf8_to_compound_text(text, strlen(text), &size);
    r->reset->byte_length_of_committed_string = (uint16_t)size;
}

// MARK: Requests

// The library does not know XNPreeditState: an attribute of the same kind that no client uses carries it, under its
// name.
#define PREEDIT_STATE(attributes) ((attributes)->bg_pixmap)
enum { PREEDIT_STATE_MASK = XCB_XIM_XNBackgroundPixmap_MASK, PREEDIT_ON = 1, PREEDIT_OFF = 2 };

static void set_preedit_state(const struct context *c, uint32_t state) {
    if (options.has_preedit_state) {
        PREEDIT_STATE((xcb_im_preedit_attr_t *)(uintptr_t)xcb_im_input_context_get_preedit_attr(c->ic)) = state;
    }
}

static uint16_t preedit_state_id;

// Gives the attribute in the library's own list its new name.
static void serve_preedit_state(void) {
    static char name[] = "preeditState";
    const size_t length = strlen(XCB_XIM_XNBackgroundPixmap);
    char *end = (char *)im + malloc_usable_size(im);
    for (char *at = (char *)im; at + sizeof(xcb_im_xicattr_fr_t) <= end; at += sizeof(void *)) {
        xcb_im_xicattr_fr_t *a = (xcb_im_xicattr_fr_t *)(void *)at;
        if (a->type_of_the_value != 3 || a->length_of_ic_attribute != length || !a->ic_attribute) continue;
        if (memcmp(a->ic_attribute, XCB_XIM_XNBackgroundPixmap, length) != 0) continue;
        preedit_state_id = a->attribute_ID;
        a->ic_attribute = (uint8_t *)name;
        a->length_of_ic_attribute = (uint16_t)strlen(name);
        return;
    }
    fprintf(stderr, "inkstone-xim-server: --preedit-state does not work with this version of libxcb-imdkit\n");
    exit(1);
}

// The library answers nothing when that attribute is asked for: true if this request asks for it, and has been answered
// here.
static bool answer_preedit_state(const uint16_t *packet) {
    const uint16_t *ids = packet + 5, count = packet[4] / 2;
    struct context *c = contexts;
    while (c && c->context_id != packet[3]) c = c->next;
    if (!c || count < 2 || count > 5 || ids[1] != preedit_state_id) return false;
    const xcb_im_preedit_attr_t *preedit = xcb_im_input_context_get_preedit_attr(c->ic);
    const uint16_t state = (uint16_t)PREEDIT_STATE(preedit);
    // One attribute that holds another, each with its number and length.
    const uint16_t reply[12] = {XCB_XIM_GET_IC_VALUES_REPLY, 5, packet[2], packet[3], 12, 0,
                                ids[0], 8, preedit_state_id, 4, state, 0};
    send_raw((const uint8_t *)reply, sizeof reply);
    return true;
}

static void log_spot(const struct context *c) {
    uint32_t mask = xcb_im_input_context_get_preedit_attr_mask(c->ic);
    const xcb_im_preedit_attr_t *preedit = xcb_im_input_context_get_preedit_attr(c->ic);
    log_number("window", xcb_im_input_context_get_focus_window(c->ic));
    if (mask & XCB_XIM_XNSpotLocation_MASK) log_pair("spot", preedit->spot_location.x, preedit->spot_location.y);
    if (options.has_preedit_state && mask & PREEDIT_STATE_MASK) log_number("preeditState", PREEDIT_STATE(preedit));
    if (mask & XCB_XIM_XNArea_MASK) {
        log_pair("area", preedit->area.x, preedit->area.y);
        log_pair("areaSize", preedit->area.width, preedit->area.height);
    }
}

static void forget_context(struct context *c) {
    struct context **at = &contexts;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    if (current == c) current = contexts;
    free(c);
}

static void key_came(struct context *c, const xcb_key_press_event_t *key, struct request *r) {
    bool press = (key->response_type & 0x7f) == XCB_KEY_PRESS, drop = false;
    uint32_t keysym = keysym_of(key);
    char name[64];
    strcpy(name, keysym_name(keysym, key->state));
    current = c;
    log_begin("forward_event", c);
    log_text("key", name);
    log_text("phase", press ? "press" : "release");
    log_number("keycode", key->detail);
    log_number("state", key->state);
    log_number("time", key->time);
    log_end();
    r->key = key;
    if (!script_run(press ? "key" : "release", name, r, &drop)) compose_key(c, key, keysym);
}

static const char *request_name(int opcode) {
    switch (opcode) {
    case XCB_XIM_CONNECT: return "connect";
    case XCB_XIM_DISCONNECT: return "disconnect";
    case XCB_XIM_OPEN: return "open";
    case XCB_XIM_CLOSE: return "close";
    case XCB_XIM_TRIGGER_NOTIFY: return "trigger_notify";
    case XCB_XIM_ENCODING_NEGOTIATION: return "encoding";
    case XCB_XIM_QUERY_EXTENSION: return "query_extension";
    case XCB_XIM_GET_IM_VALUES: return "get_im_values";
    case XCB_XIM_CREATE_IC: return "create_ic";
    case XCB_XIM_DESTROY_IC: return "destroy_ic";
    case XCB_XIM_SET_IC_VALUES: return "set_ic_values";
    case XCB_XIM_GET_IC_VALUES: return "get_ic_values";
    case XCB_XIM_SET_IC_FOCUS: return "set_ic_focus";
    case XCB_XIM_UNSET_IC_FOCUS: return "unset_ic_focus";
    case XCB_XIM_FORWARD_EVENT: return "forward_event";
    case XCB_XIM_SYNC_REPLY: return "sync_reply";
    case XCB_XIM_RESET_IC: return "reset_ic";
    case XCB_XIM_PREEDIT_START_REPLY: return "start_reply";
    case XCB_XIM_PREEDIT_CARET_REPLY: return "caret_reply";
    case XCB_XIM_EXTENSION: return "extension";
    case XCB_XIM_ERROR: return "error";
    case XCB_XIM_STR_CONVERSION_REPLY: return "str_conversion_reply";
    default: return "other";
    }
}

// Called by the library after it has understood a request and before it answers.
static void request_came(xcb_im_t *server, xcb_im_client_t *client, xcb_im_input_context_t *ic,
                         const xcb_im_packet_header_fr_t *header, void *frame, void *arg, void *data) {
    (void)server, (void)client, (void)data;
    struct context *c = ic ? xcb_im_input_context_get_data(ic) : NULL;
    struct request r = {.context = c};
    const char *name = request_name(header->major_opcode);
    bool drop = false;
    if (header->major_opcode == XCB_XIM_FORWARD_EVENT || header->major_opcode == XCB_XIM_EXTENSION) {
        if (c && arg) key_came(c, arg, &r);
        return;
    }
    if (header->major_opcode == XCB_XIM_SYNC_REPLY) return;  // logged when peeked at
    if (header->major_opcode == XCB_XIM_CREATE_IC) {
        c = calloc(1, sizeof *c);
        *c = (struct context){.number = ++context_count, .ic = ic, .next = contexts, .target = -1};
        contexts = c;
        r.context = c;
        if (!current) current = c;
        xcb_im_input_context_set_data(ic, c, NULL);
    }
    log_begin(name, c);
    switch (header->major_opcode) {
    case XCB_XIM_CREATE_IC:
        log_number("style", xcb_im_input_context_get_input_style(ic));
        log_number("clientWindow", xcb_im_input_context_get_client_window(ic));
        log_spot(c);
        break;
    case XCB_XIM_SET_IC_VALUES: log_spot(c); break;
    case XCB_XIM_PREEDIT_START_REPLY:
        log_number("value", (int32_t)((xcb_im_preedit_start_reply_fr_t *)frame)->return_value);
        break;
    case XCB_XIM_PREEDIT_CARET_REPLY:
        log_number("position", (int32_t)((xcb_im_preedit_caret_reply_fr_t *)frame)->position);
        break;
    default: break;
    }
    log_end();
    if (header->major_opcode == XCB_XIM_SET_IC_FOCUS) {
        current = c;
        c->method_id = ((const xcb_im_set_ic_focus_fr_t *)frame)->input_method_ID;
        c->context_id = ((const xcb_im_set_ic_focus_fr_t *)frame)->input_context_ID;
    }
    if (header->major_opcode == XCB_XIM_CREATE_IC) set_preedit_state(c, PREEDIT_ON);
    if (header->major_opcode == XCB_XIM_RESET_IC) {
        r.reset = arg;
        set_preedit_state(c, PREEDIT_OFF);
    }
    bool answered = script_run(name, "", &r, &drop);
    if (!answered && c && header->major_opcode == XCB_XIM_RESET_IC) compose_reset(&r);
    if (!answered && c && header->major_opcode == XCB_XIM_UNSET_IC_FOCUS) compose_unset(c);
    if (c && header->major_opcode == XCB_XIM_DESTROY_IC) forget_context(c);
}

// The opcode of a message that the library has not read yet, -1 if it cannot be seen; with the two numbers after the
// header, if wanted, which is 4 words of 16 bits in all.
static int peeked_opcode(const xcb_client_message_event_t *event, bool delete, uint16_t *start) {
    if (event->format == 8) {
        if (start) memcpy(start, event->data.data8, 8);
        return event->data.data8[0];
    }
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        connection,
        xcb_get_property(connection, delete, event->window, event->data.data32[1], XCB_ATOM_ANY, 0,
                         delete ? 100000 : 2),
        NULL);
    int opcode = reply && xcb_get_property_value_length(reply) ? *(uint8_t *)xcb_get_property_value(reply) : -1;
    if (start && opcode >= 0 && xcb_get_property_value_length(reply) >= 8) {
        memcpy(start, xcb_get_property_value(reply), 8);
    }
    free(reply);
    return opcode;
}

// Requests that the library answers without asking us, and those that are to be dropped. True to drop.
static bool peek(const xcb_generic_event_t *any) {
    int type = any->response_type & 0x7f;
    struct request r = {.context = NULL};
    bool drop = false;
    if (type == XCB_SELECTION_REQUEST) {
        xcb_atom_t target = ((const xcb_selection_request_event_t *)any)->target;
        const char *name = target == locales_atom ? "locales" : target == transport_atom ? "transport" : "selection";
        log_begin(name, NULL);
        log_end();
        script_run(name, "", &r, &drop);
        return drop;
    }
    if (type != XCB_CLIENT_MESSAGE) return false;
    const xcb_client_message_event_t *event = (const xcb_client_message_event_t *)any;
    if (event->type == xconnect_atom) {
        client_window = event->data.data32[0];
        log_begin("xconnect", NULL);
        log_end();
        script_run("xconnect", "", &r, &drop);
        return drop;
    }
    if (event->type != protocol_atom) return false;
    bool hidden = script_has("query_extension") || script_has("get_im_values") || script_has("error") ||
                  script_has_drop(NULL);
    uint16_t start[4] = {0};
    int opcode = event->format == 8 || hidden ? peeked_opcode(event, false, start) : -1;
    const char *name = request_name(opcode);
    if (options.has_preedit_state && opcode == XCB_XIM_GET_IC_VALUES && event->format == 8) {
        uint16_t packet[10];
        memcpy(packet, event->data.data8, sizeof packet);
        if (answer_preedit_state(packet)) return true;
    }
    bool unasked = opcode == XCB_XIM_SYNC_REPLY || opcode == XCB_XIM_QUERY_EXTENSION ||
                   opcode == XCB_XIM_GET_IM_VALUES || opcode == XCB_XIM_ERROR || opcode == XCB_XIM_STR_CONVERSION_REPLY;
    if (!unasked && !script_has_drop(name)) return false;
    log_begin(name, NULL);
    log_end();
    script_run(name, "", &r, &drop);
    if (drop && !overlooks && event->format == 32) peeked_opcode(event, true, NULL);
    if (r.refused) send_error(start[2], start[3], opcode != XCB_XIM_CREATE_IC);
    return drop;
}

// MARK: Start and loop

static uint32_t style_bits(const char *name, bool status) {
    static const struct {
        const char *name;
        uint32_t preedit, status;
    } styles[] = {
        {"area", XCB_IM_PreeditArea, XCB_IM_StatusArea},
        {"callbacks", XCB_IM_PreeditCallbacks, XCB_IM_StatusCallbacks},
        {"position", XCB_IM_PreeditPosition, 0},
        {"nothing", XCB_IM_PreeditNothing, XCB_IM_StatusNothing},
        {"none", XCB_IM_PreeditNone, XCB_IM_StatusNone},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (strcmp(styles[i].name, name) == 0) return status ? styles[i].status : styles[i].preedit;
    }
    fprintf(stderr, "inkstone-xim-server: unknown style: %s\n", name);
    exit(2);
}

static void parse_styles(char *list) {
    options.style_count = 0;
    if (strcmp(list, "none") == 0) return;
    for (char *item = strtok(list, ","); item && options.style_count < 32; item = strtok(NULL, ",")) {
        char *status = strchr(item, '+');
        if (status) *status++ = 0;
        options.styles[options.style_count++] =
            style_bits(item, false) | style_bits(status ? status : "nothing", true);
    }
}

static int one_of(const char *option, const char *value, const char *const *names, const int *values) {
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], value) == 0) return values[i];
    }
    fprintf(stderr, "inkstone-xim-server: --%s: unknown value %s\n", option, value);
    exit(2);
}

static const char *display_name;
static bool only_checks;

static void parse_options(int argc, char **argv) {
    static const char *const modes[] = {"swallow", "commit-each", "forward-each", "kana-like", NULL};
    static const char *const flows[] = {"async", "sync", "dynamic", NULL};
    static const char *const endings[] = {"text", "empty", "clear", "late", "commit", "keep", NULL};
    static const char *const keys[] = {"both", "press", NULL}, *const orders[] = {"commit-first", "done-first", NULL};
    static const int numbers[] = {0, 1, 2, 3, 4, 5};
    static const struct option names[] = {
        {"server-name", 1, 0, 'n'}, {"display", 1, 0, 'd'},      {"script", 1, 0, 's'},  {"log", 1, 0, 'l'},
        {"mode", 1, 0, 'm'},        {"flow", 1, 0, 'f'},         {"styles", 1, 0, 'y'},  {"locales", 1, 0, 'L'},
        {"keys", 1, 0, 'k'},        {"no-sync-flag", 0, 0, 'S'}, {"commit-order", 1, 0, 'o'},
        {"on-reset", 1, 0, 'r'},    {"on-unset", 1, 0, 'u'},     {"help", 0, 0, 'h'},    {"preedit-state", 0, 0, 'p'},
        {"check", 0, 0, 'c'},       {"fuzz", 1, 0, 'z'},        {0, 0, 0, 0},
    };
    char styles[] = "callbacks+nothing,callbacks+callbacks,position+nothing,position+callbacks,nothing+nothing,"
                    "nothing+callbacks";
    parse_styles(styles);
    for (int c, index; (c = getopt_long(argc, argv, "", names, &index)) != -1;) {
        switch (c) {
        case 'n': options.server_name = optarg; break;
        case 'd': display_name = optarg; break;
        case 's': options.script = optarg; break;
        case 'l':
            if (log_open(optarg)) break;
            fprintf(stderr, "inkstone-xim-server: %s: %s\n", optarg, strerror(errno));
            exit(1);
        case 'm': options.mode = (enum mode)one_of("mode", optarg, modes, numbers); break;
        case 'f': {
            int flow = one_of("flow", optarg, flows, numbers);
            options.synchronous_events = flow == 1;
            options.dynamic = flow == 2;
            break;
        }
        case 'y': parse_styles(optarg); break;
        case 'L': options.locales = optarg; break;
        case 'k': if (one_of("keys", optarg, keys, numbers)) options.event_mask = XCB_EVENT_MASK_KEY_PRESS; break;
        case 'S': options.synchronous_replies = false; break;
        case 'o': options.done_before_commit = one_of("commit-order", optarg, orders, numbers); break;
        case 'r': options.on_reset = (enum ending)one_of("on-reset", optarg, endings, numbers); break;
        case 'u': options.on_unset = (enum ending)one_of("on-unset", optarg, endings, numbers); break;
        case 'p': options.has_preedit_state = true; break;
        case 'c': only_checks = true; break;
        case 'z':
            if (fuzz_start(optarg)) break;
            fprintf(stderr, "inkstone-xim-server: --fuzz: not SEED:N: %s\n", optarg);
            exit(2);
        case 'h': printf("%s%s", usage, script_help); exit(0);
        default: exit(2);
        }
    }
    if (optind == argc) return;
    fprintf(stderr, "inkstone-xim-server: unknown argument: %s\n", argv[optind]);
    exit(2);
}

static xcb_atom_t atom(const char *name) {
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
        connection, xcb_intern_atom(connection, false, (uint16_t)strlen(name), name), NULL);
    xcb_atom_t result = reply ? reply->atom : 0;
    free(reply);
    return result;
}

static void start(void) {
    int screen_number = 0;
    connection = xcb_connect(display_name, &screen_number);
    if (xcb_connection_has_error(connection)) {
        fprintf(stderr, "inkstone-xim-server: cannot open display %s\n", display_name ? display_name : getenv("DISPLAY"));
        exit(1);
    }
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    xcb_window_t window = xcb_generate_id(connection);
    xcb_create_window(connection, 0, window, screen->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      screen->root_visual, 0, NULL);
    protocol_atom = atom("_XIM_PROTOCOL");
    xconnect_atom = atom("_XIM_XCONNECT");
    locales_atom = atom("LOCALES");
    transport_atom = atom("TRANSPORT");
    raw_atom = atom("INKSTONE_XIM_SERVER_RAW");
    keysyms_load();
    xcb_compound_text_init();

    char compound[] = "COMPOUND_TEXT", *encoding = compound;
    xcb_im_encodings_t encodings = {1, &encoding};
    xcb_im_styles_t styles = {options.style_count, options.styles};
    xcb_im_ximtriggerkey_fr_t trigger = {' ', XCB_MOD_MASK_CONTROL, XCB_MOD_MASK_CONTROL};
    xcb_im_trigger_keys_t triggers = {1, &trigger};
    const xcb_im_trigger_keys_t *dynamic = options.dynamic ? &triggers : NULL;
    im = xcb_im_create(connection, screen_number, window, options.server_name, options.locales, &styles, dynamic,
                       dynamic, &encodings, options.event_mask, request_came, NULL);
    if (options.has_preedit_state) serve_preedit_state();
    xcb_im_set_use_sync_mode(im, options.synchronous_replies);
    xcb_im_set_use_sync_event(im, options.synchronous_events);
    if (!xcb_im_open_im(im)) {
        fprintf(stderr, "inkstone-xim-server: @server=%s is taken\n", options.server_name);
        exit(1);
    }
    // The answer tells that the server has done all that went before.
    free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), NULL));
    printf("ready @server=%s\n", options.server_name);
    fflush(stdout);
}

// Reads what has come on standard input and does the whole lines of it. Ends the server at the end of input.
static void read_commands(void) {
    static char buffer[ACTION_SIZE];
    static size_t used;
    static int lines;
    ssize_t n = read(STDIN_FILENO, buffer + used, sizeof buffer - used - 1);
    if (n <= 0) {
        xcb_im_close_im(im);
        xcb_flush(connection);
        exit(0);
    }
    used += (size_t)n;
    buffer[used] = 0;
    for (char *newline; (newline = memchr(buffer, '\n', used));) {
        *newline = 0;
        script_line(buffer, ++lines);
        used -= (size_t)(newline + 1 - buffer);
        memmove(buffer, newline + 1, used + 1);
    }
    if (used < sizeof buffer - 1) return;
    fprintf(stderr, "inkstone-xim-server: script, line %d: more than %zu bytes\n", lines + 1, sizeof buffer - 2);
    exit(SCRIPT_MISTAKE);
}

// Does the lines of a file, or only judges them.
static void read_script(const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        fprintf(stderr, "inkstone-xim-server: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    for (int number = 1; getline(&line, &size, file) >= 0; number++) {
        line[strcspn(line, "\n")] = 0;
        const char *mistake = strlen(line) + 2 > ACTION_SIZE ? "too long" : only_checks ? check_line(line) : NULL;
        if (mistake) {
            fprintf(stderr, "inkstone-xim-server: script, line %d: %s: %.200s\n", number, mistake, line);
            exit(SCRIPT_MISTAKE);
        }
        if (!only_checks) script_line(line, number);
    }
    free(line);
    if (file != stdin) fclose(file);
}

// Deals with an event, after the one that has been overlooked.
static void take(xcb_generic_event_t *event) {
    static xcb_generic_event_t *overlooked;
    if (overlooked) {
        xcb_im_filter_event(im, overlooked);
        free(overlooked);
        overlooked = NULL;
    }
    if (!peek(event)) xcb_im_filter_event(im, event);
    if (overlooks) overlooked = event; else free(event);
    overlooks = false;
}

int main(int argc, char **argv) {
    parse_options(argc, argv);
    if (only_checks) {
        read_script(options.script ? options.script : "-");
        return 0;
    }
    bool commands = options.script && strcmp(options.script, "-") == 0;
    if (options.script && !commands) read_script(options.script);
    start();
    struct pollfd inputs[2] = {{xcb_get_file_descriptor(connection), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    for (;;) {
        xcb_generic_event_t *event;
        while ((event = xcb_poll_for_event(connection))) {
            if ((event->response_type & 0x7f) == XCB_MAPPING_NOTIFY) keysyms_load();
            take(event);
        }
        if (xcb_connection_has_error(connection)) return 0;
        int timeout = script_run_due();
        xcb_flush(connection);
        // Round trips inside of sending may have read events already.
        if ((event = xcb_poll_for_queued_event(connection))) {
            take(event);
            continue;
        }
        poll(inputs, commands ? 2 : 1, timeout);
        if (commands && inputs[1].revents) read_commands();
    }
}
