// What the parts of `scripts/fuzz-method` share: method.c (rounds, counts), method_client.c (the real client), method_guard.c,
// method_heap.c, method_server.c (a made-up server that holds the usual conversation), method_packets.c (what it says) and method_damage.c
// (what becomes of that). A round is a process: client and guard, and the server on a thread and an X connection of its own.
#ifndef INKSTONE_FUZZ_METHOD_H
#define INKSTONE_FUZZ_METHOD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xcb/xcb.h>

// MARK: Chance

// SplitMix64.
typedef struct { uint64_t state; } chance;
uint64_t chance_next(chance *c);
uint32_t chance_below(chance *c, uint32_t limit);
static inline bool chance_once_in(chance *c, uint32_t n) { return chance_below(c, n) == 0; }
// A number that a reader of sizes is likely to get wrong.
uint16_t chance_nasty16(chance *c);

// MARK: Packets

enum { PACKET_ROOM = 1 << 17, REQUEST_COUNT = 32 };

typedef struct {
    uint8_t bytes[PACKET_ROOM];
    size_t size;
} packet;

// What the client and the server have agreed on.
typedef struct {
    uint16_t method, context, contexts[8];
    int context_count;
    // What the attributes of contexts are numbered from.
    uint16_t first_attribute;
    // Whether values may have other lengths than their types.
    bool is_careless;
    // Whether keys are to be answered before the client goes on.
    bool is_synchronous;
} agreement;

enum {
    CONNECT = 1, CONNECT_REPLY, DISCONNECT, DISCONNECT_REPLY, AUTH_NG = 14, ERROR = 20, OPEN = 30, OPEN_REPLY, CLOSE, CLOSE_REPLY,
    REGISTER_TRIGGERKEYS, TRIGGER_NOTIFY, TRIGGER_NOTIFY_REPLY, SET_EVENT_MASK, ENCODING_NEGOTIATION, ENCODING_NEGOTIATION_REPLY,
    QUERY_EXTENSION, QUERY_EXTENSION_REPLY, SET_IM_VALUES, SET_IM_VALUES_REPLY, GET_IM_VALUES, GET_IM_VALUES_REPLY,
    CREATE_IC = 50, CREATE_IC_REPLY, DESTROY_IC, DESTROY_IC_REPLY, SET_IC_VALUES, SET_IC_VALUES_REPLY, GET_IC_VALUES,
    GET_IC_VALUES_REPLY, SET_IC_FOCUS, UNSET_IC_FOCUS, FORWARD_EVENT, SYNC, SYNC_REPLY, COMMIT, RESET_IC, RESET_IC_REPLY,
    GEOMETRY = 70, STR_CONVERSION, PREEDIT_START = 73, PREEDIT_START_REPLY, PREEDIT_DRAW, PREEDIT_CARET, PREEDIT_CARET_REPLY,
    PREEDIT_DONE, STATUS_START, STATUS_DRAW, STATUS_DONE, PREEDITSTATE, EXT_SET_EVENT_MASK = 128,
};

// Makes a well-formed packet of this kind at random. `question`: what is answered, of `question_size` bytes; may be null.
void packet_make(packet *p, uint8_t request, chance *c, const agreement *a, const uint8_t *question, size_t question_size);
// A request that a server makes at times by itself.
uint8_t packet_choose(chance *c);
// The undamaged commit and drawing that show that the client still works: U+3042 at caret 1.
void packet_make_commit(packet *p, const agreement *a);
void packet_make_draw(packet *p, const agreement *a);

// Damages a packet in place; see there.
void packet_damage(packet *p, chance *c, const agreement *a);

// MARK: Server

// The server's name, and the one that it has while it damages nothing: what a client that is gone has asked of the other may still be
// on its way, and its window's number may be the next one's.
#define SERVER_NAME "fuzz"
#define PLAIN_SERVER_NAME "good"
// Starts the server's thread on `display_name`.
void server_start(const char *display_name);
// Forgets everything, and damages one in `one_in` of its messages from now on; none for 0. Returns when that is done.
void server_reset(uint64_t seed, uint32_t one_in);
// How many messages it has sent, and how many of these it has damaged.
extern atomic_long server_sent, server_damaged;

// MARK: Client

typedef enum { RUN_CLOSED, RUN_LOST, RUN_REFUSED, RUN_SHED } run_end;

// Opens the windows that contexts are for.
void client_start(const char *display_name);
// One connection from its beginning to its end. `is_plain`: the server sends no damage, and text has to come of it.
run_end client_run(uint64_t seed, bool is_plain);
// How many of the server's messages have come as far as the check of packets.
extern atomic_long client_received;

// MARK: Guard

void guard_start(void);
// Watches these sockets, and shuts them down when nothing moves on this connection for so many milliseconds.
void guard_begin(const int sockets[2], long timeout);
// Whether it has done so.
bool guard_end(void);
// Something moved.
void guard_note(void);

// MARK: Heap

// Between these, what the calling thread's own code allocates has to be freed; else the program ends with where it was allocated.
void heap_begin(void);
void heap_end(void);

// MARK: End

// Ends the program with what is wrong and the seed to have it again.
_Noreturn void fail(const char *what);

#endif
