// Handles the requests of clients: logs them, and answers as the script or the mode demands.
//
// Some requests are not visible through the public interface of libxcb-imdkit: SYNC_REPLY other than to XIM_SYNC,
// GET_IM_VALUES, QUERY_EXTENSION, and requests for the targets of the selection. They are read from the X events
// before the library gets these.
#include "server.h"

#include <stdlib.h>
#include <string.h>

static unsigned context_count;

static void log_spot(const struct context *c) {
    uint32_t mask = xcb_im_input_context_get_preedit_attr_mask(c->ic);
    const xcb_im_preedit_attr_t *preedit = xcb_im_input_context_get_preedit_attr(c->ic);
    log_number("window", xcb_im_input_context_get_focus_window(c->ic));
    if (mask & XCB_XIM_XNSpotLocation_MASK) log_pair("spot", preedit->spot_location.x, preedit->spot_location.y);
    log_preedit_state(c);
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
    if (script_run(press ? "key" : "release", name, r, &drop)) return;
    // Perform the actions that wait for the end of a reset before the answer to a later key, because real servers
    // handle one request after the other.
    script_run_due();
    compose_key(c, key, keysym);
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

// Called by the library for each request that it has parsed, before it answers the request.
void request_came(xcb_im_t *server, xcb_im_client_t *client, xcb_im_input_context_t *ic,
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

// Returns the opcode of a message that the library has not read yet; -1 if it cannot be read. If `start` is not
// null, also copies the first four words of 16 bits: the header, and the two numbers after it.
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

// Handles events before the library does: the requests that the library answers without a callback, and those that
// a rule drops. Returns true if the event is dropped.
bool peek(const xcb_generic_event_t *any) {
    int type = any->response_type & 0x7f;
    struct request r = {.context = NULL};
    bool drop = false;
    if (type == XCB_SELECTION_REQUEST) {
        xcb_atom_t target = ((const xcb_selection_request_event_t *)any)->target;
        // Perform the actions of this rule in the context that had the focus last.
        r.context = current;
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
