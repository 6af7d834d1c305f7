// Sends messages to clients, by functions of libxcb-imdkit or as bytes.
#include "server.h"

#include <stdlib.h>
#include <string.h>

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
    // The status bits of the protocol: 1 for no string, 2 for no feedback.
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

void send_raw(const uint8_t *packet, size_t size) { send_bytes(packet, size, size); }

void send_packet(struct context *c, uint8_t opcode, const uint16_t *words, int count) {
    uint16_t packet[10] = {opcode, (uint16_t)(1 + (count + 1) / 2), c->method_id, c->context_id};
    for (int i = 0; i < count; i++) packet[4 + i] = words[i];
    send_raw((const uint8_t *)packet, (size_t)(8 + (count + 1) / 2 * 4));
}

// Sends XIM_ERROR, without details, as the answer to a request that begins with these two numbers.
void send_error(uint16_t method, uint16_t context, bool is_about_context) {
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
