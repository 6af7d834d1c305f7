#ifndef CX11_XIM_PACKET_H
#define CX11_XIM_PACKET_H
// The grammar of what an input method's server sends (X11's specification of XIM, chapter 4 and appendix A), applied to
// bytes before Xlib reads them: libX11's own parser believes every size and count that it is told.
//
// Why C: it is called from a hook inside of Xlib's reading. Pure functions: no display, no allocation, no globals. Any thread.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Of the protocol: the largest packet that a header can announce, in bytes.
enum { CX11_XIM_LARGEST_PACKET = 4 + 4 * 0xffff, CX11_XIM_ATTRIBUTE_LIMIT = 256 };

// Requests that are named elsewhere.
enum {
    CX11_XIM_REQUEST_ERROR = 20,
    CX11_XIM_REQUEST_OPEN_REPLY = 31,
    CX11_XIM_REQUEST_QUERY_EXTENSION_REPLY = 41,
    CX11_XIM_REQUEST_CREATE_IC_REPLY = 51,
    CX11_XIM_REQUEST_DESTROY_IC_REPLY = 53,
    CX11_XIM_REQUEST_COMMIT = 63,
    CX11_XIM_REQUEST_RESET_IC_REPLY = 65,
    CX11_XIM_REQUEST_GEOMETRY = 70,
    CX11_XIM_REQUEST_PREEDIT_DRAW = 75,
    CX11_XIM_REQUEST_STATUS_DRAW = 80,
};

// What the first OPEN_REPLY of a connection has declared; later ones change nothing. All zero at its beginning.
typedef struct {
    bool has_method;
    uint16_t method;
    // The attributes of OPEN_REPLY: what a value with this number has to look like.
    int attribute_count;
    struct {
        uint16_t id, type;
        bool is_of_context;
    } attributes[CX11_XIM_ATTRIBUTE_LIMIT];
} cx11_xim_grammar;

// Where the parts of a packet are that is well formed. Offsets are in bytes from its start.
typedef struct {
    uint8_t request;
    // Whether a call of the client's is answered by it: it means nothing to anybody who waits for none.
    bool is_reply;
    // Whether it begins with the numbers of an input method and of a context; 0 where it has none.
    bool has_method, has_context;
    uint16_t method, context;
    // How much of it Xlib reads; a multiple of 4, never more than came.
    size_t size;
    // COMMIT, RESET_IC_REPLY, PREEDIT_DRAW, STATUS_DRAW: the text, in COMPOUND_TEXT; `text_at` 0 if there is none.
    size_t text_at, text_size;
    // PREEDIT_DRAW: as many 32-bit feedbacks are there.
    size_t feedback_at, feedback_count;
} cx11_xim_packet;

// Checks `size` bytes that are said to be one packet, and finds its parts. `is_exact`: that number comes from the server,
// else it is rounded up to whole messages. Returns null if it is well formed, else what is wrong, as a static string;
// `grammar` has then learnt nothing from it.
const char *_Nullable cx11_xim_packet_check(
    cx11_xim_grammar *grammar, const uint8_t *bytes, size_t size, bool is_exact, cx11_xim_packet *packet);

// Reads an element of a checked packet's feedback, in this machine's byte order, which the server uses as well.
static inline uint32_t cx11_xim_read32(const uint8_t *bytes) {
    uint32_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

#pragma clang assume_nonnull end
#endif
