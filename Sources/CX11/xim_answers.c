// The packets of the server: answers to requests, and messages for a window.
#include <X11/X.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// MARK: Messages

// Handles a commit, or the reply to a reset.
static void receive_text(
    cx11_xim *xim, const struct context *c, const cx11_xim_packet *packet, const uint8_t *bytes, cx11_xim_kind kind) {
    size_t length = 0;
    char *text = packet->text_at ? cx11_xim_decode(xim, bytes + packet->text_at, packet->text_size, &length) : NULL;
    if (xim->is_lost) return free(text);
    xim->callback(
        &(cx11_xim_message){
            .kind = kind, .window = c->window, .text = text, .text_length = (int)length, .value = packet->symbol},
        xim->context);
    free(text);
}

static void receive_draw(cx11_xim *xim, const struct context *c, const cx11_xim_packet *packet, const uint8_t *bytes) {
    size_t length = 0;
    char *text = packet->text_at ? cx11_xim_decode(xim, bytes + packet->text_at, packet->text_size, &length) : NULL;
    uint32_t *feedback = packet->feedback_count ? calloc(packet->feedback_count, sizeof *feedback) : NULL;
    if (packet->feedback_count && !feedback) cx11_xim_lose(xim);
    if (feedback) memcpy(feedback, bytes + packet->feedback_at, packet->feedback_count * sizeof *feedback);
    cx11_xim_message message = {
        .kind = CX11_XIM_PREEDIT_DRAW,
        .window = c->window,
        .caret = (int32_t)cx11_xim_read32(bytes + 8),
        .change_first = (int32_t)cx11_xim_read32(bytes + 12),
        .change_length = (int32_t)cx11_xim_read32(bytes + 16),
        .text = text,
        .text_length = (int)length,
        .feedback = feedback,
        .feedback_count = feedback ? (int)packet->feedback_count : 0,
    };
    if (!xim->is_lost) xim->callback(&message, xim->context);
    free(text);
    free(feedback);
}

static void receive_caret(cx11_xim *xim, const struct context *c, const uint8_t *bytes) {
    int position = (int32_t)cx11_xim_read32(bytes + 8);
    if (c->has_callbacks) {
        position = xim->callback(
            &(cx11_xim_message){
                .kind = CX11_XIM_PREEDIT_CARET,
                .window = c->window,
                .caret = position,
                .direction = (int32_t)cx11_xim_read32(bytes + 12),
                .style = (int32_t)cx11_xim_read32(bytes + 16),
            },
            xim->context);
    }
    struct packet reply = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_PREEDIT_CARET_REPLY, c->number);
    cx11_xim_put32(&reply, (uint32_t)position);
    cx11_xim_send(xim, &reply);
}

static void receive_key(cx11_xim *xim, const struct context *c, const uint8_t *bytes) {
    xcb_key_press_event_t wire;
    memcpy(&wire, bytes + 12, sizeof wire);
    // Ignore an event with the code 0, which no key has.
    if (wire.detail == 0) return;
    cx11_xim_message message = {
        .kind = CX11_XIM_KEY,
        .window = c->window,
        .key = {
            .type = wire.response_type & 0x7f,
            .serial = (unsigned long)cx11_xim_read16(bytes + 10) << 16 | wire.sequence,
            .send_event = (wire.response_type & 0x80) != 0,
            .window = c->window,
            .root = wire.root,
            .subwindow = wire.child,
            .time = wire.time,
            .x = wire.event_x,
            .y = wire.event_y,
            .x_root = wire.root_x,
            .y_root = wire.root_y,
            .state = wire.state,
            .keycode = wire.detail,
            .same_screen = wire.same_screen,
        },
    };
    xim->callback(&message, xim->context);
}

static void report(cx11_xim *xim, const struct context *c, cx11_xim_kind kind) {
    if (c->has_callbacks) xim->callback(&(cx11_xim_message){.kind = kind, .window = c->window}, xim->context);
}

// MARK: Requests of the server

// Stores which keys the server wants: for one context, or for all contexts without masks of their own.
static void receive_masks(cx11_xim *xim, struct context *c, const uint8_t *bytes) {
    uint32_t forward = cx11_xim_read32(bytes + 8), synchronous = cx11_xim_read32(bytes + 12);
    if (c) {
        c->has_masks = true;
        c->forward_mask = forward;
        c->synchronous_mask = synchronous;
    } else if (cx11_xim_read16(bytes + 6) == 0) {
        xim->forward_mask = forward;
        xim->synchronous_mask = synchronous;
    }
}

static void receive_triggers(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    for (int i = 0; i < 2; i++) {
        size_t count = packet->key_counts[i];
        free(xim->triggers[i]);
        xim->trigger_counts[i] = 0;
        xim->triggers[i] = count ? calloc(count, sizeof *xim->triggers[i]) : NULL;
        if (!xim->triggers[i]) continue;
        memcpy(xim->triggers[i], bytes + packet->keys_at[i], count * sizeof *xim->triggers[i]);
        xim->trigger_counts[i] = count;
    }
}

static void answer(cx11_xim *xim, uint8_t request, uint16_t context) {
    struct packet reply = cx11_xim_begin_for(xim, request, context);
    cx11_xim_send(xim, &reply);
}

// Refuses string conversion. (Other requests that the client does not support need no answer.) Trap “broken string
// conversion”: Xlib's answers to this request are useless, so servers do not rely on them.
static void refuse_conversion(cx11_xim *xim, uint16_t context) {
    enum { BOTH_NUMBERS = 3, BAD_SOMETHING = 999 };
    struct packet reply = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_ERROR, context);
    cx11_xim_put16(&reply, BOTH_NUMBERS);
    cx11_xim_put16(&reply, BAD_SOMETHING);
    cx11_xim_put32(&reply, 0);
    cx11_xim_send(xim, &reply);
}

static void receive_message(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    struct context *c = packet->has_context ? cx11_xim_find_numbered(xim, packet->context) : NULL;
    bool is_synchronous = false;
    switch (packet->request) {
    case CX11_XIM_REQUEST_REGISTER_TRIGGERKEYS: receive_triggers(xim, packet, bytes); return;
    case CX11_XIM_REQUEST_SET_EVENT_MASK: receive_masks(xim, c, bytes); return;
    case CX11_XIM_REQUEST_STR_CONVERSION: refuse_conversion(xim, packet->context); return;
    case CX11_XIM_REQUEST_SYNC: is_synchronous = true; break;
    case CX11_XIM_REQUEST_COMMIT:
    case CX11_XIM_REQUEST_FORWARD_EVENT: is_synchronous = cx11_xim_read16(bytes + 8) & 1; break;
    default: break;
    }
    // Ignore messages for a context that is gone.
    if (c) {
        switch (packet->request) {
        case CX11_XIM_REQUEST_COMMIT: receive_text(xim, c, packet, bytes, CX11_XIM_COMMIT); break;
        case CX11_XIM_REQUEST_FORWARD_EVENT: receive_key(xim, c, bytes); break;
        case CX11_XIM_REQUEST_PREEDIT_START: {
            // Reply that the length of the preedit is not limited.
            struct packet reply = cx11_xim_begin_for(xim, CX11_XIM_REQUEST_PREEDIT_START_REPLY, c->number);
            cx11_xim_put32(&reply, UINT32_MAX);
            cx11_xim_send(xim, &reply);
            report(xim, c, CX11_XIM_PREEDIT_START);
            break;
        }
        case CX11_XIM_REQUEST_PREEDIT_DRAW: if (c->has_callbacks) receive_draw(xim, c, packet, bytes); break;
        case CX11_XIM_REQUEST_PREEDIT_CARET: receive_caret(xim, c, bytes); break;
        case CX11_XIM_REQUEST_PREEDIT_DONE: report(xim, c, CX11_XIM_PREEDIT_DONE); break;
        default: break;
        }
    }
    // Reply also to a message for a context that is gone: a server that sends messages one by one waits for the reply.
    if (is_synchronous && !xim->is_lost) answer(xim, CX11_XIM_REQUEST_SYNC_REPLY, packet->context);
}

// MARK: Answers

static void receive_styles(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    size_t at, size;
    if (!cx11_xim_find_value(
            &xim->grammar, bytes, packet->list_at, packet->list_size, CX11_XIM_INPUT_STYLES, &at, &size)) {
        return;
    }
    // The number of styles has two bytes, and two unused bytes follow. The packet was checked already.
    uint16_t count = size >= 4 ? cx11_xim_read16(bytes + at) : 0;
    for (int i = 0; i < count && xim->style_count < xim->style_limit && 8 + 4 * (size_t)i <= size; i++) {
        xim->styles[xim->style_count++] = cx11_xim_read32(bytes + at + 4 + 4 * (size_t)i);
    }
}

static void receive_state(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    size_t at, size, value_at, value_size;
    xim->has_state =
        cx11_xim_find_value(
            &xim->grammar, bytes, packet->list_at, packet->list_size, CX11_XIM_PREEDIT_ATTRIBUTES, &at, &size) &&
        cx11_xim_find_value(&xim->grammar, bytes, at, size, CX11_XIM_PREEDIT_STATE, &value_at, &value_size) &&
        value_size == 4;
    if (xim->has_state) xim->state = cx11_xim_read32(bytes + value_at);
}

static void receive_encoding(cx11_xim *xim, const uint8_t *bytes) {
    // The reply has a category, which must be 0, and the index of the chosen encoding in the list that the client
    // offered: 0 is COMPOUND_TEXT, 1 is UTF-8.
    xim->is_utf8 = cx11_xim_read16(bytes + 6) == 0 && cx11_xim_read16(bytes + 8) == 1;
}

static void receive_answer(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    struct context *c = xim->wait.context;
    if (packet->request == CX11_XIM_REQUEST_CREATE_IC_REPLY) {
        // Refuse a number that is 0 or in use: without a number of its own, later messages for the context could not be
        // recognized.
        if (packet->context == 0 || cx11_xim_find_numbered(xim, packet->context)) {
            cx11_xim_refuse(xim, "a context without a number of its own");
            return;
        }
        c->number = packet->context;
    } else if (packet->has_context && c && packet->context != c->number) {
        cx11_xim_refuse(xim, "a reply about another context");
        return;
    }
    switch (packet->request) {
    case CX11_XIM_REQUEST_ENCODING_NEGOTIATION_REPLY: receive_encoding(xim, bytes); break;
    case CX11_XIM_REQUEST_GET_IM_VALUES_REPLY: receive_styles(xim, packet, bytes); break;
    case CX11_XIM_REQUEST_GET_IC_VALUES_REPLY: receive_state(xim, packet, bytes); break;
    case CX11_XIM_REQUEST_RESET_IC_REPLY:
        if (c) receive_text(xim, c, packet, bytes, CX11_XIM_RESET_REPLY);
        break;
    default: break;
    }
    cx11_xim_end_wait(xim, true);
}

void cx11_xim_receive(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    bool is_awaited = xim->wait.kind == WAIT_PACKET && !xim->wait.is_over;
    if (packet->request == CX11_XIM_REQUEST_ERROR) {
        if (is_awaited) cx11_xim_end_wait(xim, false);
        return;
    }
    if (packet->request == CX11_XIM_REQUEST_SYNC_REPLY) {
        // Ignore a reply about another context: it was sent before that context was destroyed.
        if (is_awaited && xim->wait.request == packet->request && packet->context == xim->wait.context->number) {
            cx11_xim_end_wait(xim, true);
        }
        return;
    }
    if (packet->is_reply) {
        // Ignore a reply that is sent twice.
        if (is_awaited && packet->request == xim->wait.request) receive_answer(xim, packet, bytes);
        return;
    }
    // Do not check the number of trigger keys: they may come before the reply to the opening, which contains the input
    // method's number. (libxcb-imdkit 1.0.9 sends them with the number 0.)
    bool has_number = packet->has_method && packet->request != CX11_XIM_REQUEST_REGISTER_TRIGGERKEYS;
    if (has_number && packet->method != xim->grammar.method) return;
    receive_message(xim, packet, bytes);
}
