#ifndef CX11_XIM_PACKET_H
#define CX11_XIM_PACKET_H
// A check of the packets that an input method's server sends (X11's specification of XIM, chapter 4 and appendix
// A), before they are used.
//
// In C, because it reads structures of bytes for the client in xim*.c. The functions are pure: they use no display,
// no allocation and no globals. Callable from any thread.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The size in bytes of the largest packet that a header can announce, by the protocol; and the maximum number of
// attributes that a server may declare. A packet that declares more is malformed.
enum { CX11_XIM_LARGEST_PACKET = 4 + 4 * 0xffff, CX11_XIM_ATTRIBUTE_LIMIT = 256 };

// The numbers of the requests of clients and servers.
enum {
    CX11_XIM_REQUEST_CONNECT = 1,
    CX11_XIM_REQUEST_CONNECT_REPLY = 2,
    CX11_XIM_REQUEST_DISCONNECT = 3,
    CX11_XIM_REQUEST_DISCONNECT_REPLY = 4,
    CX11_XIM_REQUEST_ERROR = 20,
    CX11_XIM_REQUEST_OPEN = 30,
    CX11_XIM_REQUEST_OPEN_REPLY = 31,
    CX11_XIM_REQUEST_CLOSE = 32,
    CX11_XIM_REQUEST_CLOSE_REPLY = 33,
    CX11_XIM_REQUEST_REGISTER_TRIGGERKEYS = 34,
    CX11_XIM_REQUEST_TRIGGER_NOTIFY = 35,
    CX11_XIM_REQUEST_TRIGGER_NOTIFY_REPLY = 36,
    CX11_XIM_REQUEST_SET_EVENT_MASK = 37,
    CX11_XIM_REQUEST_ENCODING_NEGOTIATION = 38,
    CX11_XIM_REQUEST_ENCODING_NEGOTIATION_REPLY = 39,
    CX11_XIM_REQUEST_GET_IM_VALUES = 44,
    CX11_XIM_REQUEST_GET_IM_VALUES_REPLY = 45,
    CX11_XIM_REQUEST_CREATE_IC = 50,
    CX11_XIM_REQUEST_CREATE_IC_REPLY = 51,
    CX11_XIM_REQUEST_DESTROY_IC = 52,
    CX11_XIM_REQUEST_DESTROY_IC_REPLY = 53,
    CX11_XIM_REQUEST_SET_IC_VALUES = 54,
    CX11_XIM_REQUEST_SET_IC_VALUES_REPLY = 55,
    CX11_XIM_REQUEST_GET_IC_VALUES = 56,
    CX11_XIM_REQUEST_GET_IC_VALUES_REPLY = 57,
    CX11_XIM_REQUEST_SET_IC_FOCUS = 58,
    CX11_XIM_REQUEST_UNSET_IC_FOCUS = 59,
    CX11_XIM_REQUEST_FORWARD_EVENT = 60,
    CX11_XIM_REQUEST_SYNC = 61,
    CX11_XIM_REQUEST_SYNC_REPLY = 62,
    CX11_XIM_REQUEST_COMMIT = 63,
    CX11_XIM_REQUEST_RESET_IC = 64,
    CX11_XIM_REQUEST_RESET_IC_REPLY = 65,
    CX11_XIM_REQUEST_STR_CONVERSION = 71,
    CX11_XIM_REQUEST_PREEDIT_START = 73,
    CX11_XIM_REQUEST_PREEDIT_START_REPLY = 74,
    CX11_XIM_REQUEST_PREEDIT_DRAW = 75,
    CX11_XIM_REQUEST_PREEDIT_CARET = 76,
    CX11_XIM_REQUEST_PREEDIT_CARET_REPLY = 77,
    CX11_XIM_REQUEST_PREEDIT_DONE = 78,
};

// The attributes that the client sets or queries, in the order of the table in xim_packet.c.
typedef enum {
    CX11_XIM_INPUT_STYLES,
    CX11_XIM_INPUT_STYLE,
    CX11_XIM_CLIENT_WINDOW,
    CX11_XIM_FOCUS_WINDOW,
    CX11_XIM_FILTER_EVENTS,
    CX11_XIM_PREEDIT_STATE,
    CX11_XIM_PREEDIT_ATTRIBUTES,
    CX11_XIM_STATUS_ATTRIBUTES,
    CX11_XIM_SPOT_LOCATION,
    CX11_XIM_AREA,
    CX11_XIM_AREA_NEEDED,
    CX11_XIM_FONT_SET,
    CX11_XIM_SEPARATOR,
    CX11_XIM_START_CALLBACK,
    CX11_XIM_DRAW_CALLBACK,
    CX11_XIM_CARET_CALLBACK,
    CX11_XIM_DONE_CALLBACK,
    CX11_XIM_ATTRIBUTE_COUNT,
} cx11_xim_attribute;

// The number of an attribute that the client uses, if the server has declared the attribute.
typedef struct {
    bool is_declared;
    uint16_t id;
} cx11_xim_used_attribute;

// The declarations of the first OPEN_REPLY of a connection; later replies change nothing. All zero at first.
typedef struct {
    bool has_method;
    uint16_t method;
    // The number of attributes declared in OPEN_REPLY, and their declarations. In a list of values, the type declared
    // for an attribute ID determines the form of the value with this ID.
    int attribute_count;
    struct {
        uint16_t id, type;
        bool is_of_context;
    } attributes[CX11_XIM_ATTRIBUTE_LIMIT];
    // The numbers of the attributes that the client uses, as far as the server has declared them. Callbacks are
    // included only if they have four bytes.
    cx11_xim_used_attribute used[CX11_XIM_ATTRIBUTE_COUNT];
} cx11_xim_grammar;

// The positions of the parts of a well-formed packet. Offsets are in bytes from the packet's start.
typedef struct {
    uint8_t request;
    // Whether the packet answers a request of the client. Without such a request, it has no meaning.
    bool is_reply;
    // Whether the packet begins with the number of an input method, and with that of a context. A missing number is
    // 0.
    bool has_method, has_context;
    uint16_t method, context;
    // The number of bytes that have a meaning: a multiple of 4, never more than the bytes received.
    size_t size;
    // For COMMIT, RESET_IC_REPLY, PREEDIT_DRAW and STATUS_DRAW: the text, in the encoding agreed on. `text_at` is 0
    // if there is none.
    size_t text_at, text_size;
    // For COMMIT: the key symbol, 0 if there is none.
    uint32_t symbol;
    // For GET_IM_VALUES_REPLY and GET_IC_VALUES_REPLY: the list of values.
    size_t list_at, list_size;
    // For REGISTER_TRIGGERKEYS: the keys that switch the input method on (index 0) and off (index 1), 12 bytes
    // each.
    size_t keys_at[2], key_counts[2];
    // For PREEDIT_DRAW and STATUS_DRAW: the position and number of the feedbacks, of 32 bits each.
    size_t feedback_at, feedback_count;
} cx11_xim_packet;

// Checks whether `size` bytes are one packet, and finds its parts. `is_exact` is whether the server has stated this
// size; otherwise it is rounded up to whole messages. Returns null if the packet is well formed, else the fault, as
// a static string; in that case `grammar` is unchanged.
const char *_Nullable cx11_xim_packet_check(
    cx11_xim_grammar *grammar, const uint8_t *bytes, size_t size, bool is_exact, cx11_xim_packet *packet);

// Finds the value of an attribute in a list of values of a checked packet. The list has `size` bytes at `at`.
// Returns false if the list does not contain the attribute.
bool cx11_xim_find_value(
    const cx11_xim_grammar *grammar, const uint8_t *bytes, size_t at, size_t size, cx11_xim_attribute attribute,
    size_t *value_at, size_t *value_size);

// Reads a number of a checked packet, in this machine's byte order, which the server uses as well.
static inline uint16_t cx11_xim_read16(const uint8_t *bytes) {
    uint16_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t cx11_xim_read32(const uint8_t *bytes) {
    uint32_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

#pragma clang assume_nonnull end
#endif
