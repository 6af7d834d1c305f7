// The check of a server's packets. A table describes the contents of each packet; a reader follows the table, and never
// reads beyond the received bytes.
#include "include/cx11_xim_packet.h"

#include <string.h>

// The letters of a form:
//
//     m c   the number of the input method, of the context
//     2 4   that many bytes of any value
//     T     a text: 2 bytes of length, the bytes, and padding to a multiple of 4
//     K     keys: 4 bytes of length, and 12 bytes for each key
//     I A   attributes of the method (2 bytes of length) or of contexts (2 more unused bytes): number, type, name
//     i a   values of attributes of the method or of contexts: number, value
//     X     extensions: 2 bytes of length, and that many bytes
//     E     a key event as in the X protocol
//     C D S the end of a commit, of a PREEDIT_DRAW, of a STATUS_DRAW
struct form {
    uint8_t request;
    bool is_reply;
    const char *name, *form;
};

static const struct form forms[] = {
    {2, true, "CONNECT_REPLY", "22"},
    {4, true, "DISCONNECT_REPLY", ""},
    {14, false, "AUTH_NG", ""},
    {CX11_XIM_REQUEST_ERROR, false, "ERROR", "mc22"},
    {CX11_XIM_REQUEST_OPEN_REPLY, true, "OPEN_REPLY", "mIA"},
    {33, true, "CLOSE_REPLY", "m"},
    {34, false, "REGISTER_TRIGGERKEYS", "m2KK"},
    {36, true, "TRIGGER_NOTIFY_REPLY", "mc"},
    {37, false, "SET_EVENT_MASK", "mc44"},
    {39, true, "ENCODING_NEGOTIATION_REPLY", "m22"},
    {41, true, "QUERY_EXTENSION_REPLY", "mX"},
    {43, true, "SET_IM_VALUES_REPLY", "m"},
    {45, true, "GET_IM_VALUES_REPLY", "mi"},
    {CX11_XIM_REQUEST_CREATE_IC_REPLY, true, "CREATE_IC_REPLY", "mc"},
    {CX11_XIM_REQUEST_DESTROY_IC_REPLY, true, "DESTROY_IC_REPLY", "mc"},
    {55, true, "SET_IC_VALUES_REPLY", "mc"},
    {57, true, "GET_IC_VALUES_REPLY", "mca"},
    {60, false, "FORWARD_EVENT", "mc22E"},
    {61, false, "SYNC", "mc"},
    {62, false, "SYNC_REPLY", "mc"},
    {CX11_XIM_REQUEST_COMMIT, false, "COMMIT", "mcC"},
    {CX11_XIM_REQUEST_RESET_IC_REPLY, true, "RESET_IC_REPLY", "mcT"},
    {70, false, "GEOMETRY", "mc"},
    {71, false, "STR_CONVERSION", "mc"},
    {73, false, "PREEDIT_START", "mc"},
    {CX11_XIM_REQUEST_PREEDIT_DRAW, false, "PREEDIT_DRAW", "mc444D"},
    {76, false, "PREEDIT_CARET", "mc444"},
    {78, false, "PREEDIT_DONE", "mc"},
    {79, false, "STATUS_START", "mc"},
    {80, false, "STATUS_DRAW", "mcS"},
    {81, false, "STATUS_DONE", "mc"},
    {82, false, "PREEDITSTATE", "mc4"},
};

// The only extension that servers know: five masks for a context. The client does not request it.
static const struct form extension = {128, false, "EXT_SET_EVENT_MASK", "mc44444"};

// The types of attribute values by XIM's numbers; CALLBACK and ANY are the client's own.
enum { CARD8 = 1, CARD16 = 2, CARD32 = 3, WINDOW = 5, STYLES = 10, RECTANGLE = 11, POINT = 12, FONT_SET = 13,
       HOT_KEYS = 15, HOT_KEY_STATE = 16, NEST = 0x7fff, CALLBACK = 0xfffe, ANY = 0xffff };

// The attributes that the client sets or queries, in the order of cx11_xim_attribute.
static const struct {
    const char *name;
    bool is_of_context;
    // The type that the attribute must have. 0: any number. ANY: not checked. CALLBACK: not checked, but the
    // attribute is used only if it has four bytes.
    uint16_t type;
} known[CX11_XIM_ATTRIBUTE_COUNT] = {
    {"queryInputStyle", false, STYLES},
    {"inputStyle", true, 0},
    {"clientWindow", true, 0},
    {"focusWindow", true, 0},
    {"filterEvents", true, 0},
    {"preeditState", true, 0},
    {"preeditAttributes", true, NEST},
    {"statusAttributes", true, NEST},
    {"spotLocation", true, POINT},
    {"area", true, RECTANGLE},
    {"areaNeeded", true, RECTANGLE},
    {"fontSet", true, FONT_SET},
    {"separatorofNestedList", true, ANY},
    {"preeditStartCallback", true, CALLBACK},
    {"preeditDrawCallback", true, CALLBACK},
    {"preeditCaretCallback", true, CALLBACK},
    {"preeditDoneCallback", true, CALLBACK},
};

// MARK: Reader

struct reader {
    const uint8_t *bytes;
    // The position of the next byte, and the end. No byte at or after `end` is read.
    size_t at, end;
};

static size_t left(const struct reader *r) { return r->end - r->at; }

static bool skip(struct reader *r, size_t count) {
    if (count > left(r)) return false;
    r->at += count;
    return true;
}

// Reads a number in this machine's byte order, which the server uses as well.
static bool take16(struct reader *r, uint16_t *value) {
    if (left(r) < 2) return false;
    memcpy(value, r->bytes + r->at, 2);
    r->at += 2;
    return true;
}

static bool take32(struct reader *r, uint32_t *value) {
    if (left(r) < 4) return false;
    *value = cx11_xim_read32(r->bytes + r->at);
    r->at += 4;
    return true;
}

// Makes a reader of the next `count` bytes, and skips them in this one.
static bool take_part(struct reader *r, size_t count, struct reader *part) {
    *part = (struct reader){r->bytes, r->at, r->at + count};
    return skip(r, count);
}

static size_t padding(size_t count) { return (4 - count % 4) % 4; }

// Skips padding, which may be missing at the end.
static void skip_padding(struct reader *r, size_t count) {
    size_t size = padding(count);
    r->at += size < left(r) ? size : left(r);
}

// MARK: Parts of a packet

static bool is_number(uint16_t type) {
    return type == CARD8 || type == CARD16 || type == CARD32 || type == WINDOW || type == HOT_KEY_STATE;
}

// Returns the index of the attribute with this name; -1 if the client does not use it.
static int find_known(const char *name, size_t length, bool is_of_context) {
    length = strnlen(name, length);
    for (int i = 0; i < CX11_XIM_ATTRIBUTE_COUNT; i++) {
        if (known[i].is_of_context != is_of_context || strlen(known[i].name) != length) continue;
        if (memcmp(known[i].name, name, length) == 0) return i;
    }
    return -1;
}

static bool has_known_type(int attribute, uint16_t type) {
    if (attribute < 0 || known[attribute].type == ANY || known[attribute].type == CALLBACK) return true;
    return known[attribute].type == 0 ? is_number(type) : type == known[attribute].type;
}

static const char *take_attributes(struct reader *r, bool is_of_context, cx11_xim_grammar *grammar) {
    struct reader list;
    uint16_t size, id, type, length;
    if (!take16(r, &size) || (is_of_context && !skip(r, 2))) return "no list of attributes";
    if (!take_part(r, size, &list)) return "a list of attributes that is longer than the packet";
    if (size == 0) return "an empty list of attributes";
    while (left(&list) > 0) {
        struct reader name;
        if (!take16(&list, &id) || !take16(&list, &type) || !take16(&list, &length)) return "half an attribute";
        if (!take_part(&list, length, &name)) return "an attribute's name that is longer than its list";
        if (!skip(&list, padding(2 + (size_t)length))) return "an attribute without its padding";
        int attribute = find_known((const char *)name.bytes + name.at, length, is_of_context);
        if (!has_known_type(attribute, type)) return "an attribute of a type that it cannot have";
        if (grammar->attribute_count == CX11_XIM_ATTRIBUTE_LIMIT) return "too many attributes";
        int index = grammar->attribute_count++;
        grammar->attributes[index].id = id;
        grammar->attributes[index].type = type;
        grammar->attributes[index].is_of_context = is_of_context;
        if (attribute < 0 || grammar->used[attribute].is_declared) continue;
        if (known[attribute].type == CALLBACK && type != CARD32) continue;
        grammar->used[attribute].is_declared = true;
        grammar->used[attribute].id = id;
    }
    return NULL;
}

static const char *check_values(struct reader list, bool is_of_context, const cx11_xim_grammar *grammar, int depth);

static const char *check_value(struct reader value, uint16_t type, const cx11_xim_grammar *grammar, int depth) {
    size_t size = left(&value);
    uint16_t count = 0;
    uint32_t keys = 0;
    switch (type) {
    case STYLES:
        if (!take16(&value, &count) || !skip(&value, 2) || count > left(&value) / 4) return "more styles than came";
        return NULL;
    case RECTANGLE: return size < 8 ? "half a rectangle" : NULL;
    case POINT: return size < 4 ? "half a point" : NULL;
    case FONT_SET:
        return !take16(&value, &count) || count > left(&value) ? "a font set's name that is longer than came" : NULL;
    case HOT_KEYS: return !take32(&value, &keys) || keys > left(&value) / 12 ? "more hot keys than came" : NULL;
    case NEST: return depth > 0 ? "attributes too deep" : check_values(value, true, grammar, depth + 1);
    // Accept a number of at most 4 bytes, which is copied into 4 bytes unchanged. ibus sometimes sends one of no bytes.
    default: return is_number(type) && size > 4 ? "a number of too many bytes" : NULL;
    }
}

static const char *check_values(struct reader list, bool is_of_context, const cx11_xim_grammar *grammar, int depth) {
    if (left(&list) > INT16_MAX) return "a list of values too long to be counted";
    // Servers may leave fewer bytes at the end than the head of a value has.
    while (left(&list) >= 4) {
        bool is_nest_checked = false;
        uint16_t id = 0, length = 0;
        struct reader value;
        take16(&list, &id);
        take16(&list, &length);
        if (!take_part(&list, length, &value)) return "a value that is longer than its list";
        skip_padding(&list, length);
        for (int i = 0; i < grammar->attribute_count; i++) {
            if (grammar->attributes[i].id != id || grammar->attributes[i].is_of_context != is_of_context) continue;
            // Check the contents of a nested list only once, because the same number may be declared any number of
            // times.
            if (grammar->attributes[i].type == NEST) {
                if (is_nest_checked) continue;
                is_nest_checked = true;
            }
            const char *fault = check_value(value, grammar->attributes[i].type, grammar, depth);
            if (fault) return fault;
        }
    }
    return NULL;
}

static const char *take_values(
    struct reader *r, bool is_of_context, const cx11_xim_grammar *grammar, cx11_xim_packet *packet) {
    struct reader list;
    uint16_t size;
    if (!take16(r, &size) || (is_of_context && !skip(r, 2))) return "no list of values";
    if (!take_part(r, size, &list)) return "a list of values that is longer than the packet";
    packet->list_at = list.at;
    packet->list_size = size;
    return check_values(list, is_of_context, grammar, 0);
}

static const char *take_keys(struct reader *r, cx11_xim_packet *packet) {
    uint32_t size;
    if (!take32(r, &size) || size > left(r)) return "a list of keys that is longer than the packet";
    int which = packet->keys_at[0] ? 1 : 0;
    packet->keys_at[which] = r->at;
    packet->key_counts[which] = size / 12;
    skip(r, size);
    return size % 12 ? "half a key" : NULL;
}

// The client uses no extension, so the contents of the list do not matter: nabi states a length of 48 for a name of
// 22 bytes.
static const char *take_extensions(struct reader *r) {
    uint16_t size;
    return !take16(r, &size) || !skip(r, size) ? "a list of extensions that is longer than the packet" : NULL;
}

bool cx11_xim_find_value(
    const cx11_xim_grammar *grammar, const uint8_t *bytes, size_t at, size_t size, cx11_xim_attribute attribute,
    size_t *value_at, size_t *value_size) {
    struct reader list = {bytes, at, at + size};
    while (grammar->used[attribute].is_declared && left(&list) >= 4) {
        uint16_t id = 0, length = 0;
        struct reader value;
        take16(&list, &id);
        take16(&list, &length);
        if (!take_part(&list, length, &value)) return false;
        skip_padding(&list, length);
        if (id != grammar->used[attribute].id) continue;
        *value_at = value.at;
        *value_size = length;
        return true;
    }
    return false;
}

static const char *take_text(struct reader *r, cx11_xim_packet *packet) {
    uint16_t length;
    if (!take16(r, &length) || length > left(r)) return "a text that is longer than the packet";
    packet->text_at = r->at;
    packet->text_size = length;
    skip(r, length);
    skip_padding(r, 2 + (size_t)length);
    return NULL;
}

static const char *take_event(struct reader *r) {
    if (left(r) < 32) return "half an event";
    int type = r->bytes[r->at] & 0x7f;
    skip(r, 32);
    return type == 2 || type == 3 ? NULL : "an event that is no key's";
}

static const char *take_commit(struct reader *r, cx11_xim_packet *packet) {
    enum { TEXT = 2, SYMBOL = 4 };
    uint16_t flags;
    if (!take16(r, &flags)) return "a commit without flags";
    if ((flags & SYMBOL) && !(skip(r, 2) && take32(r, &packet->symbol))) return "a commit without its key symbol";
    return flags & TEXT ? take_text(r, packet) : NULL;
}

static const char *take_drawing(struct reader *r, cx11_xim_packet *packet) {
    enum { NO_TEXT = 1, NO_FEEDBACK = 2 };
    uint32_t status;
    if (!take32(r, &status)) return "a drawing without status";
    if (status & NO_TEXT) return NULL;
    const char *fault = take_text(r, packet);
    if (fault || (status & NO_FEEDBACK)) return fault;
    uint16_t size;
    if (!take16(r, &size) || !skip(r, 2) || size > left(r)) return "more feedback than came";
    packet->feedback_at = r->at;
    packet->feedback_count = size / 4;
    skip(r, size);
    return NULL;
}

static const char *take_status(struct reader *r, cx11_xim_packet *packet) {
    uint32_t type;
    if (!take32(r, &type) || type > 1) return "a status that is neither text nor bitmap";
    if (type == 0) return take_drawing(r, packet);
    return skip(r, 4) ? NULL : "a status without its bitmap";
}

static const char *take(char letter, struct reader *r, cx11_xim_grammar *grammar, cx11_xim_packet *packet) {
    switch (letter) {
    case 'm': packet->has_method = true; return take16(r, &packet->method) ? NULL : "no number of an input method";
    case 'c': packet->has_context = true; return take16(r, &packet->context) ? NULL : "no number of a context";
    case '2': return skip(r, 2) ? NULL : "too short";
    case '4': return skip(r, 4) ? NULL : "too short";
    case 'T': return take_text(r, packet);
    case 'K': return take_keys(r, packet);
    case 'I': return take_attributes(r, false, grammar);
    case 'A': return take_attributes(r, true, grammar);
    case 'i': return take_values(r, false, grammar, packet);
    case 'a': return take_values(r, true, grammar, packet);
    case 'X': return take_extensions(r);
    case 'E': return take_event(r);
    case 'C': return take_commit(r, packet);
    case 'D': return take_drawing(r, packet);
    case 'S': return take_status(r, packet);
    default: return "no such part";
    }
}

// MARK: Packet

static const struct form *find_form(uint8_t request) {
    if (request >= 128) return &extension;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].request == request) return &forms[i];
    }
    return NULL;
}

static const char *check_size(const uint8_t *bytes, size_t size, bool is_exact, size_t *total) {
    struct reader header = {bytes, 2, size};
    uint16_t words;
    if (size < 4 || !take16(&header, &words)) return "no header";
    *total = 4 + 4 * (size_t)words;
    if (*total > size) return "a header that announces more than came";
    // Accept a last message that is not full, if the size is rounded up to whole messages.
    if (!is_exact) return size - *total < 20 ? NULL : "a header that announces less than came";
    for (size_t i = *total; i < size; i++) {
        if (bytes[i] != 0) return "a header that announces less than came";
    }
    return NULL;
}

const char *cx11_xim_packet_check(
    cx11_xim_grammar *grammar, const uint8_t *bytes, size_t size, bool is_exact, cx11_xim_packet *packet) {
    size_t total;
    *packet = (cx11_xim_packet){0};
    const char *fault = check_size(bytes, size, is_exact, &total);
    if (fault) return fault;
    const struct form *form = find_form(bytes[0]);
    if (!form) return "a request that is none of a server's";
    if (bytes[1] != 0 && form != &extension) return "a minor opcode";
    packet->request = bytes[0];
    packet->is_reply = form->is_reply;
    struct reader r = {bytes, 4, total};
    // Check later declarations without storing them: values are read by the first declaration of a connection.
    cx11_xim_grammar learnt;
    bool declares = packet->request == CX11_XIM_REQUEST_OPEN_REPLY;
    if (declares) learnt = (cx11_xim_grammar){.has_method = true};
    for (const char *letter = form->form; *letter; letter++) {
        fault = take(*letter, &r, declares ? &learnt : grammar, packet);
        if (fault) return fault;
    }
    packet->size = (r.at + 3) & ~(size_t)3;
    if (packet->size > total) packet->size = total;
    if (declares && !grammar->has_method) {
        learnt.method = packet->method;
        *grammar = learnt;
    } else if (packet->is_reply && packet->has_method && grammar->has_method && packet->method != grammar->method) {
        return "a reply in the name of another input method";
    }
    return NULL;
}
