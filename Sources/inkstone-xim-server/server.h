// What the parts of the scripted XIM server share: main.c (start and loop), options.c (command line), requests.c (what clients ask),
// send.c (what they are sent), preedit_state.c, script.c (rules and actions), check.c and words.c (what a script may say), compose.c
// (the built-in ways of answering keys), log.c (JSON lines), keysyms.c, fuzz.c (damage on the wire). One process, one thread, one set of globals.
#ifndef INKSTONE_XIM_SERVER_H
#define INKSTONE_XIM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xcb-imdkit/encoding.h>
#include <xcb-imdkit/imdkit.h>
#include <xcb/xcb.h>

enum {
    MAXIMUM_PREEDIT = 256,
    // Bytes of an action or of a script's line, with the end.
    ACTION_SIZE = 65536,
    // The exit status after a mistake in a script.
    SCRIPT_MISTAKE = 2,
};

// How keys that no rule names are answered.
enum mode { MODE_SWALLOW, MODE_COMMIT, MODE_FORWARD, MODE_KANA };
// What the built-in kana composition does when it is reset or loses the focus.
enum ending { ENDING_TEXT, ENDING_EMPTY, ENDING_CLEAR, ENDING_LATE, ENDING_COMMIT, ENDING_KEEP };

struct options {
    const char *server_name, *locales, *script, *display_name;
    uint32_t styles[32], style_count;
    uint32_t event_mask;
    bool synchronous_events, dynamic, synchronous_replies, done_before_commit, has_preedit_state, only_checks;
    enum mode mode;
    enum ending on_reset, on_unset;
};

// One input context of a client; number counts from 1 over the life of the server and is never used again.
struct context {
    unsigned number;
    xcb_im_input_context_t *ic;
    // Its numbers in the protocol.
    uint16_t method_id, context_id;
    struct context *next;
    // The kana composition: letters typed (0...25 each), caret among them, clause being converted (-1: none).
    int letters[MAXIMUM_PREEDIT], count, caret, target, drawn;
    bool started;
};

extern struct options options;
extern xcb_connection_t *connection;
extern xcb_im_t *im;
extern struct context *contexts, *current;
extern xcb_atom_t protocol_atom, xconnect_atom, locales_atom, transport_atom, raw_atom;
// Where the client that connected last gets its messages.
extern xcb_window_t client_window;

double now_ms(void);
struct context *context_numbered(unsigned number);

// What an action may need of the request that it answers; all null outside of one.
struct request {
    struct context *context;
    const xcb_key_press_event_t *key;
    xcb_im_reset_ic_reply_fr_t *reset;
    // Out: the request is to be answered with XIM_ERROR.
    bool refused;
};

// options.c
void parse_options(int argc, char **argv);

// requests.c
// Called by the library after it has understood a request and before it answers.
void request_came(xcb_im_t *server, xcb_im_client_t *client, xcb_im_input_context_t *ic,
                  const xcb_im_packet_header_fr_t *header, void *frame, void *arg, void *data);
// Requests that the library answers without asking us, and those that are to be dropped. True to drop.
bool peek(const xcb_generic_event_t *any);

// preedit_state.c
enum { PREEDIT_ON = 1, PREEDIT_OFF = 2 };
void serve_preedit_state(void);
void set_preedit_state(const struct context *c, uint32_t state);
bool answer_preedit_state(const uint16_t *packet);
void log_preedit_state(const struct context *c);

// send.c
// Sends the text as COMPOUND_TEXT: Xlib decodes it as Latin-1 if the server picks UTF-8.
void send_commit(struct context *c, uint32_t flag, const char *text, uint32_t keysym);
void send_draw(struct context *c, int32_t first, int32_t length, int32_t caret, const char *text,
               const uint32_t *feedback, int feedback_count);
void send_caret(struct context *c, int32_t direction, int32_t position, int32_t style);
void send_start(struct context *c);
void send_done(struct context *c);
// Sends a packet that the library has no words for: up to 6 numbers of 16 bits after the context's own two.
void send_packet(struct context *c, uint8_t opcode, const uint16_t *words, int count);
// Sends bytes that are said to be a packet of `announced`.
void send_bytes(const uint8_t *packet, size_t size, size_t announced);
// Sends bytes as the packet that they are.
void send_raw(const uint8_t *packet, size_t size);
// XIM_ERROR as the answer to a request that begins with these numbers: no detail.
void send_error(uint16_t method, uint16_t context, bool is_about_context);
void set_reset_reply(struct request *r, const char *text);

// script.c
extern const char script_help[];
// Whether the event being looked at is to wait until another comes.
extern bool overlooks;
// Reads one line: a rule, or actions to do at once. Ends the server after a mistake, having said on standard error what is
// wrong; lines are counted from 1.
void script_line(const char *line, int number);
// The number of a mode, -1 if there is none of the name.
int mode_named(const char *name);
// Runs the first rule for a trigger such as `key` with `name`; false if there is none. `*drop` tells that the request
// is not to be answered.
bool script_run(const char *trigger, const char *name, struct request *r, bool *drop);
bool script_has(const char *trigger);
// Whether the next rule for the trigger (any rule, if null) drops or refuses the request.
bool script_has_drop(const char *trigger);
// Runs what a delay held back, and says how many milliseconds to sleep at most, -1 for no limit.
int script_run_due(void);
// Runs an action line after the present request has been answered.
void script_later(struct context *c, const char *action);

// check.c
// What is wrong with a line of a script, null if nothing; valid until the next call.
const char *check_line(const char *line);
// Whether an action changes an answer or must happen inside it: such a one never waits behind another rule's delay.
bool is_immediate(const char *verb);

// words.c: each reads at `*p` and moves it on. What is wrong is kept for words_mistake(), the first mistake only.
const char *words_mistake(void);
void words_forgive(void);
__attribute__((format(printf, 1, 2))) void words_blame(const char *format, ...);
const char *skip_space(const char *p);
char *word(const char **p, char *out, size_t size);
int32_t number(const char **p);
// A quoted text, or null. `out` holds as much as `*p`.
const char *text(const char **p, char *out);
// Fills `out` and returns how many; -1 for `none`.
int feedback(const char *list, uint32_t *out, int limit);
// The next of some actions, which semicolons part; null after the last. `out` holds ACTION_SIZE bytes.
const char *next_action(const char **p, char *out);

// compose.c
void compose_key(struct context *c, const xcb_key_press_event_t *key, uint32_t keysym);
void compose_reset(struct request *r);
void compose_unset(struct context *c);

// fuzz.c
// Damages what is sent from now on; `SEED:N` for about one in N. False if it is not of that form.
bool fuzz_start(const char *seed_and_rate);

// log.c
bool log_open(const char *target);
void log_begin(const char *request, const struct context *c);
void log_number(const char *name, long value);
void log_pair(const char *name, long x, long y);
void log_text(const char *name, const char *value);
void log_end(void);

// keysyms.c
void keysyms_load(void);
uint32_t keysym_of(const xcb_key_press_event_t *key);
uint32_t keysym_named(const char *name);
uint8_t keycode_of(uint32_t keysym, bool *shift);
// `a`, `space`, `Return`, `ctrl+c`, `0x1234`; shift is in the symbol itself. Valid until the next call.
const char *keysym_name(uint32_t keysym, uint16_t state);

#endif
