// The transport of XIM over X (X11's specification of XIM, appendix D): messages and properties, in both
// directions. Received data is checked before it is used; malformed data ends the connection.
#include <stdlib.h>
#include <string.h>
#include <xcb/xfixes.h>

#include "xim_private.h"

// The maximum number of bytes of a property that are kept until they are announced, and the maximum size of a property
// with an answer. A larger property counts as missing. A property contains several packets if the server is fast.
enum { PROPERTY_LIMIT = 1 << 22, ANSWER_LIMIT = 1 << 16 };

// MARK: Sending

void cx11_xim_ask(cx11_xim *xim, xcb_window_t window, xcb_atom_t target) {
    // Use the same atom for target and property, because uim answers by the name of the property instead of that of the
    // target.
    xcb_convert_selection(xim->connection, window, xim->selection, target, target, XCB_CURRENT_TIME);
    xcb_flush(xim->connection);
}

void cx11_xim_send_message(cx11_xim *xim, xcb_window_t window, xcb_atom_t type, uint8_t format, const void *data) {
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE, .format = format, .window = window, .type = type};
    memcpy(event.data.data8, data, CHUNK);
    xcb_send_event(xim->connection, false, window, XCB_EVENT_MASK_NO_EVENT, (const char *)&event);
}

static void send_in_parts(cx11_xim *xim, const struct packet *packet) {
    for (size_t at = 0; at < packet->size; at += CHUNK) {
        uint8_t part[CHUNK] = {0};
        bool is_last = at + CHUNK >= packet->size;
        memcpy(part, packet->bytes + at, is_last ? packet->size - at : CHUNK);
        cx11_xim_send_message(xim, xim->server, is_last ? xim->protocol : xim->more_data, 8, part);
    }
}

static void send_in_property(cx11_xim *xim, const struct packet *packet) {
    xcb_atom_t property = xim->properties[xim->next_property];
    uint32_t data[5] = {(uint32_t)packet->size, property};
    xim->next_property = (xim->next_property + 1) % PROPERTY_COUNT;
    xcb_change_property(
        xim->connection, XCB_PROP_MODE_APPEND, xim->server, property, XCB_ATOM_STRING, 8, (uint32_t)packet->size,
        packet->bytes);
    cx11_xim_send_message(xim, xim->server, xim->protocol, 32, data);
}

void cx11_xim_send(cx11_xim *xim, struct packet *packet) {
    while (packet->size % 4) packet->bytes[packet->size++] = 0;
    uint16_t words = (uint16_t)(packet->size / 4 - 1);
    memcpy(packet->bytes + 2, &words, 2);
    bool takes_parts = xim->transport_minor == 1 ||
                       (xim->transport_minor == 2 && packet->size <= xim->dividing_size);
    if (packet->size <= CHUNK || takes_parts) send_in_parts(xim, packet);
    else send_in_property(xim, packet);
    xcb_flush(xim->connection);
}

// MARK: Receiving packets

// Returns the bytes that were read of a property, or a free slot for them if there are none. Null if the server has
// filled all slots.
static struct unread *find_unread(cx11_xim *xim, xcb_atom_t property) {
    struct unread *place = NULL;
    for (int i = 0; i < PROPERTY_COUNT; i++) {
        struct unread *unread = &xim->unread[i];
        if (unread->size > 0 && unread->property == property) return unread;
        if (unread->size == 0) place = unread;
    }
    if (place) place->property = property;
    return place;
}

static void forget_unread(struct unread *unread) {
    free(unread->bytes);
    *unread = (struct unread){0};
}

void cx11_xim_forget_unread(cx11_xim *xim) {
    for (int i = 0; i < PROPERTY_COUNT; i++) forget_unread(&xim->unread[i]);
}

// Reads and deletes a property, and appends its bytes to those that were read of it before.
static void read_property(cx11_xim *xim, xcb_window_t window, struct unread *unread) {
    uint32_t room = (uint32_t)(PROPERTY_LIMIT - unread->size) / 4;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        xim->connection, xcb_get_property(xim->connection, true, window, unread->property, XCB_ATOM_ANY, 0, room),
        NULL);
    size_t count = reply && reply->format == 8 && reply->bytes_after == 0
                       ? (size_t)xcb_get_property_value_length(reply) : 0;
    if (count > 0) {
        uint8_t *bytes = malloc(unread->size + count);
        if (bytes) {
            if (unread->size > 0) memcpy(bytes, unread->bytes + unread->start, unread->size);
            memcpy(bytes + unread->size, xcb_get_property_value(reply), count);
            free(unread->bytes);
            *unread = (struct unread){
                .property = unread->property, .bytes = bytes, .size = unread->size + count};
        } else {
            cx11_xim_lose(xim);
        }
    }
    free(reply);
}

// Takes from a property the packet that a message announces; to be freed with `free`. Null, with a reason, if the
// packet is not there.
static uint8_t *take_packet(cx11_xim *xim, const xcb_client_message_event_t *message, size_t *size, const char **fault) {
    size_t announced = message->data.data32[0];
    *fault = "an announcement of no packet";
    if (announced < 4 || announced > CX11_XIM_LARGEST_PACKET) return NULL;
    struct unread *unread = find_unread(xim, message->data.data32[1]);
    if (unread && unread->size < announced) read_property(xim, message->window, unread);
    *fault = "a packet shorter than announced";
    if (!unread || unread->size < announced) return NULL;
    uint8_t *packet = malloc(announced);
    if (!packet) {
        cx11_xim_lose(xim);
        return NULL;
    }
    memcpy(packet, unread->bytes + unread->start, announced);
    *size = announced;
    unread->start += announced;
    unread->size -= announced;
    if (unread->size == 0) forget_unread(unread);
    return packet;
}

// Appends a message's data to those of the previous messages.
static bool assemble(cx11_xim *xim, const uint8_t *data) {
    if (xim->assembled + CHUNK > CX11_XIM_LARGEST_PACKET + CHUNK) {
        cx11_xim_refuse(xim, "a packet without an end");
        return false;
    }
    if (!xim->assembly) xim->assembly = malloc(CX11_XIM_LARGEST_PACKET + CHUNK);
    if (!xim->assembly) {
        cx11_xim_lose(xim);
        return false;
    }
    memcpy(xim->assembly + xim->assembled, data, CHUNK);
    xim->assembled += CHUNK;
    return true;
}

static void receive(cx11_xim *xim, const uint8_t *bytes, size_t size, bool is_exact) {
    cx11_xim_packet packet;
    const char *fault = cx11_xim_packet_check(&xim->grammar, bytes, size, is_exact, &packet);
    if (fault) cx11_xim_refuse(xim, fault);
    else cx11_xim_receive(xim, &packet, bytes);
}

static void receive_part(cx11_xim *xim, const xcb_client_message_event_t *message) {
    bool is_last = message->type == xim->protocol;
    if (message->format == 8) {
        if (!assemble(xim, message->data.data8) || !is_last) return;
        size_t size = xim->assembled;
        xim->assembled = 0;
        receive(xim, xim->assembly, size, false);
        return;
    }
    if (!is_last || message->format != 32 || xim->assembled) {
        cx11_xim_refuse(xim, "a message of no known form");
        return;
    }
    size_t size = 0;
    const char *fault = NULL;
    uint8_t *packet = take_packet(xim, message, &size, &fault);
    if (!packet) {
        cx11_xim_refuse(xim, fault);
        return;
    }
    receive(xim, packet, size, true);
    free(packet);
}

// Handles the server's answer to the connection: its window, and the version of the transport. Only versions
// without PropertyNotify events are accepted.
static void receive_connection(cx11_xim *xim, const xcb_client_message_event_t *message) {
    const uint32_t *data = message->data.data32;
    if (xim->wait.kind != WAIT_CONNECTION || xim->wait.is_over) return;
    if (message->format != 32 || data[0] == 0 || data[1] != 0 || data[2] > 2) {
        cx11_xim_refuse(xim, "a transport that was not asked for");
        return;
    }
    xim->server = data[0];
    xim->transport_minor = data[2];
    xim->dividing_size = data[3];
    cx11_xim_end_wait(xim, true);
}

// MARK: Answers about selections

char *cx11_xim_take_property(cx11_xim *xim, xcb_window_t window, xcb_atom_t target) {
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        xim->connection, xcb_get_property(xim->connection, true, window, target, XCB_ATOM_ANY, 0, ANSWER_LIMIT / 4),
        NULL);
    bool is_there = reply && reply->type == target && reply->format == 8 && reply->bytes_after == 0;
    char *text = is_there ? strndup(xcb_get_property_value(reply), (size_t)xcb_get_property_value_length(reply)) : NULL;
    free(reply);
    return text;
}

static void receive_answer(cx11_xim *xim, const xcb_selection_notify_event_t *answer) {
    if (answer->selection != xim->selection) return;
    if (answer->requestor == xim->own_window) {
        // Ignore a refusal, which the X server sends if the selection has no owner.
        if (answer->property == XCB_NONE) return;
        xcb_delete_property(xim->connection, xim->own_window, answer->property);
        xcb_flush(xim->connection);
        if (answer->property == xim->locales) {
            xim->callback(&(cx11_xim_message){.kind = CX11_XIM_PONG}, xim->context);
        }
        return;
    }
    if (answer->requestor != xim->window || xim->wait.is_over) return;
    bool is_expected = (xim->wait.kind == WAIT_LOCALES && answer->target == xim->locales) ||
                       (xim->wait.kind == WAIT_TRANSPORT && answer->target == xim->transport);
    if (is_expected) cx11_xim_end_wait(xim, answer->property != XCB_NONE);
}

static void receive_owner(cx11_xim *xim, const xcb_xfixes_selection_notify_event_t *notice) {
    if (notice->selection != xim->selection) return;
    Window owner = notice->subtype == XCB_XFIXES_SELECTION_EVENT_SET_SELECTION_OWNER ? notice->owner : 0;
    xim->callback(&(cx11_xim_message){.kind = CX11_XIM_OWNER, .value = owner}, xim->context);
    if (xim->server_window && owner != xim->server_window) xim->is_server_gone = true;
}

// MARK: Events

static void receive_loss_of(cx11_xim *xim, xcb_window_t window) {
    if (window == 0 || (window != xim->server_window && window != xim->server) || xim->is_server_gone) return;
    // Accept the loss of the window that receives packets as the answer to a request to disconnect: servers destroy it
    // when they answer, or before.
    if (window != xim->server_window && xim->wait.request == CX11_XIM_REQUEST_DISCONNECT_REPLY) {
        cx11_xim_end_wait(xim, true);
        return;
    }
    xim->is_server_gone = true;
    xim->callback(&(cx11_xim_message){.kind = CX11_XIM_DESTROYED}, xim->context);
}

// Any client can send events to any window. Accept sent events only if they are messages or answers about selections,
// which never come in another way. Keys are not accepted: the server's keys come in packets.
void cx11_xim_handle(cx11_xim *xim, const xcb_generic_event_t *event) {
    uint8_t type = event->response_type & 0x7f;
    bool is_sent = event->response_type & 0x80;
    if (type == 0) {
        const xcb_generic_error_t *error = (const xcb_generic_error_t *)event;
        if (error->error_code == XCB_WINDOW) receive_loss_of(xim, error->resource_id);
    } else if (type == XCB_CLIENT_MESSAGE) {
        const xcb_client_message_event_t *message = (const xcb_client_message_event_t *)event;
        // Ignore messages to the window of an input method that is closed.
        if (xim->window == 0 || message->window != xim->window) return;
        if (message->type == xim->connect) receive_connection(xim, message);
        else if (message->type == xim->protocol || message->type == xim->more_data) receive_part(xim, message);
    } else if (type == XCB_SELECTION_NOTIFY) {
        receive_answer(xim, (const xcb_selection_notify_event_t *)event);
    } else if (type == XCB_DESTROY_NOTIFY && !is_sent) {
        receive_loss_of(xim, ((const xcb_destroy_notify_event_t *)event)->window);
    } else if (xim->has_fixes && type == xim->fixes_event + XCB_XFIXES_SELECTION_NOTIFY && !is_sent) {
        receive_owner(xim, (const xcb_xfixes_selection_notify_event_t *)event);
    }
}
