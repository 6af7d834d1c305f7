// Well-formed packets of a server's, with parameters at random.
#include <string.h>

#include "method.h"

static void put(packet *p, const void *bytes, size_t count) {
    if (p->size + count > PACKET_ROOM) fail("a packet that is longer than its room");
    memcpy(p->bytes + p->size, bytes, count);
    p->size += count;
}

static void put16(packet *p, uint32_t value) { put(p, &(uint16_t){(uint16_t)value}, 2); }
static void put32(packet *p, uint32_t value) { put(p, &value, 4); }

static void pad(packet *p, size_t count) { put(p, "\0\0\0", (4 - count % 4) % 4); }

static void set16(packet *p, size_t at, size_t value) { memcpy(p->bytes + at, &(uint16_t){(uint16_t)value}, 2); }

static void begin(packet *p, uint8_t request) {
    p->size = 0;
    put(p, (uint8_t[4]){request}, 4);
}

static void end(packet *p) {
    pad(p, p->size);
    set16(p, 2, p->size / 4 - 1);
}

static int32_t small(chance *c) {
    return chance_once_in(c, 8) ? (int32_t)chance_next(c) : (int32_t)chance_below(c, 12) - 1;
}

// MARK: Attributes

// As ibus declares them; numbers count from 0 for the method's one and from `first_attribute` for the contexts'.
enum { INPUT_STYLE, CLIENT, FOCUS, FILTER, PREEDIT, STATUS, FONT, AREA, NEEDED, COLORS, SPOT = 13, STATE = 15, SEPARATOR };
enum { CARD32 = 3, WINDOW = 5, STYLES = 10, RECTANGLE = 11, POINT = 12, FONT_SET = 13, NEST = 0x7fff };
static const struct { const char *name; uint16_t type; } declared[] = {
    {"inputStyle", CARD32}, {"clientWindow", WINDOW}, {"focusWindow", WINDOW}, {"filterEvents", CARD32},
    {"preeditAttributes", NEST}, {"statusAttributes", NEST}, {"fontSet", FONT_SET}, {"area", RECTANGLE},
    {"areaNeeded", RECTANGLE}, {"colorMap", CARD32}, {"stdColorMap", CARD32}, {"foreground", CARD32}, {"background", CARD32},
    {"spotLocation", POINT}, {"lineSpace", CARD32}, {"preeditState", CARD32}, {"separatorofNestedList", 0},
};
enum { DECLARED = sizeof declared / sizeof *declared };

static void put_attribute(packet *p, uint16_t id, const char *name, uint16_t type) {
    put16(p, id);
    put16(p, type);
    put16(p, (uint32_t)strlen(name));
    put(p, name, strlen(name));
    pad(p, 2 + strlen(name));
}

static void put_attributes(packet *p, chance *c, const agreement *a) {
    static const uint16_t types[] = {1, 2, CARD32, WINDOW, STYLES, RECTANGLE, POINT, FONT_SET, 15, 16, NEST, 0, 0xffff};
    // A careless server declares one of another type, leaves a list empty, or the last padding out.
    uint32_t slip = a->is_careless && chance_once_in(c, 8) ? chance_below(c, 4) : 4;
    unsigned odd = slip == 0 ? chance_below(c, DECLARED) : DECLARED;
    size_t at = p->size;
    put16(p, 0);
    if (slip != 1) put_attribute(p, 0, "queryInputStyle", STYLES);
    set16(p, at, p->size - at - 2);
    at = p->size;
    put32(p, 0);
    for (unsigned i = slip == 2 ? DECLARED : 0; i < DECLARED; i++) {
        uint16_t type = i == odd ? types[chance_below(c, sizeof types / sizeof *types)] : declared[i].type;
        put_attribute(p, a->first_attribute + i, declared[i].name, type);
    }
    if (slip == 3) p->size -= 1;
    set16(p, at, p->size - at - 4);
}

static void put_styles(packet *p) {
    // Callbacks, position, nothing and none, each with a status of callbacks, nothing and none.
    static const uint32_t preedit[] = {2, 4, 8, 16}, status[] = {0x200, 0x400, 0x800};
    size_t at = p->size;
    put32(p, 0);
    put32(p, 12);
    for (int i = 0; i < 12; i++) put32(p, preedit[i / 3] | status[i % 3]);
    set16(p, at + 2, p->size - at - 4);
}

static void put_value(packet *p, unsigned id, chance *c, const agreement *a) {
    static const uint16_t lengths[] = {0, 1, 2, 3, 5, 8, 12, 40, 200, 1000, 3000};
    unsigned index = id - a->first_attribute;
    uint16_t type = index < DECLARED ? declared[index].type : CARD32;
    size_t length = type == RECTANGLE ? 8 : 4;
    bool is_careless = a->is_careless && chance_once_in(c, 6);
    if (is_careless) length = lengths[chance_below(c, sizeof lengths / sizeof *lengths)];
    put16(p, id);
    put16(p, (uint32_t)length);
    // Keys wanted; a conversion that is on.
    uint32_t value = index == FILTER ? 3 : index == STATE ? 1 : is_careless ? (uint32_t)chance_next(c) : 0;
    for (size_t i = 0; i < length; i++) put(p, (uint8_t *)&value + i % 4, 1);
    pad(p, length);
}

// Answers GET_IC_VALUES: what is asked for, in lists of their own where it was.
static void put_values(packet *p, chance *c, const agreement *a, const uint8_t *question, size_t size) {
    size_t at = p->size, nested = 0;
    uint16_t id, count = 0;
    put32(p, 0);
    if (question && size >= 10) memcpy(&count, question + 8, 2);
    for (size_t i = 10; i + 2 <= size && i < 10 + (size_t)count; i += 2) {
        memcpy(&id, question + i, 2);
        unsigned index = (unsigned)id - a->first_attribute;
        if (index == SEPARATOR) {
            if (nested) set16(p, nested, p->size - nested - 2);
            nested = 0;
        } else if (index == PREEDIT || index == STATUS) {
            put16(p, id);
            nested = p->size;
            put16(p, 0);
        } else {
            put_value(p, id, c, a);
        }
    }
    if (nested) set16(p, nested, p->size - nested - 2);
    if (!question) put_value(p, a->first_attribute + chance_below(c, DECLARED), c, a);
    set16(p, at, p->size - at - 4);
}

// MARK: Texts

static size_t length_of_text(chance *c) {
    switch (chance_below(c, 16)) {
    case 0: return 0;
    case 1: return chance_below(c, 5000);
    case 2: return 1990 + chance_below(c, 80);
    case 3: return chance_once_in(c, 8) ? 60000 : 300;
    default: return 1 + chance_below(c, 24);
    }
}

// COMPOUND_TEXT, mostly. Escapes and segments come whole, unless the length that was chosen cuts them.
static void put_text(packet *p, chance *c) {
    static const char *const parts[] = {
        "a", "kana", "\x1b$(B$\"$+", "\x1b(B", "\x1b%Gあ漢\x1b%@", "\x1b-A\xe4\xf6", "\x1b$(A\x30\x21", "\x1b$(C\x30\x21", "\x1b)I\xb1",
        "\x1b%/1\x80\x8ckoi8-r\x02\xc1\xc2", "\x1b%/2\x80\x90" "big5-0\x02\xa4\xa4\xa4\xa5", "\x1b%/0\xff\xff", "\x1b%", "\x1b",
        "\x9b" "1]", "\x9b" "2]", "\n", "\x80\xff", "\x1b$)B\xa4\xa2", "\x1b%/1\x80\x80", "😀",
    };
    size_t at = p->size, length = length_of_text(c);
    put16(p, 0);
    while (p->size - at - 2 < length) {
        size_t left = length - (p->size - at - 2);
        const char *part = parts[chance_below(c, sizeof parts / sizeof *parts)];
        uint8_t byte = (uint8_t)chance_next(c);
        if (chance_once_in(c, 30)) put(p, &byte, 1);
        else put(p, part, strlen(part) < left ? strlen(part) : left);
    }
    set16(p, at, length);
    pad(p, 2 + length);
}

static void put_drawing(packet *p, chance *c) {
    uint32_t status = chance_once_in(c, 4) ? chance_below(c, 4) : 0;
    put32(p, status);
    if (status & 1) {
        put32(p, 0);
        put32(p, 0);
        return;
    }
    put_text(p, c);
    uint32_t count = status & 2 ? 0 : chance_once_in(c, 20) ? chance_below(c, 1000) : chance_below(c, 12);
    put32(p, 4 * count);
    for (uint32_t i = 0; i < count; i++) put32(p, 1u << chance_below(c, 9));
}

// MARK: Events

static void put_key(packet *p, chance *c, const uint8_t *question, size_t size) {
    enum { EVENT = 12 };
    put16(p, chance_below(c, 8));
    if (question && question[0] == FORWARD_EVENT && size >= EVENT + 32 && !chance_once_in(c, 4)) {
        put(p, question + 10, 34);
        return;
    }
    put16(p, 0);
    uint8_t event[32] = {(uint8_t)(2 + chance_below(c, 2)), (uint8_t)(chance_once_in(c, 5) ? 0 : 8 + chance_below(c, 248))};
    for (int i = 4; i < 32; i++) event[i] = (uint8_t)chance_next(c);
    put(p, event, sizeof event);
}

static void put_keys(packet *p, chance *c) {
    uint32_t count = chance_below(c, 4);
    put32(p, 12 * count);
    for (uint32_t i = 0; i < 3 * count; i++) put32(p, i % 3 ? 4 : 0xff7e);
}

static void put_masks(packet *p, const agreement *a) {
    put32(p, 3);
    put32(p, a->is_synchronous ? 3 : 0);
}

// MARK: Packets

static void put_contents(packet *p, chance *c, const agreement *a, const uint8_t *question, size_t size) {
    switch (p->bytes[0]) {
    case ERROR: put16(p, 3); put16(p, 1 + chance_below(c, 16)); put32(p, 0); break;
    case OPEN_REPLY: put_attributes(p, c, a); break;
    case REGISTER_TRIGGERKEYS: put16(p, 0); put_keys(p, c); put_keys(p, c); break;
    case SET_EVENT_MASK: put_masks(p, a); break;
    case ENCODING_NEGOTIATION_REPLY: put32(p, 0); break;
    case QUERY_EXTENSION_REPLY: put16(p, 0); break;
    case GET_IM_VALUES_REPLY: {
        size_t at = p->size;
        put16(p, 0);
        put_styles(p);
        set16(p, at, p->size - at - 2);
        break;
    }
    case GET_IC_VALUES_REPLY: put_values(p, c, a, question, size); break;
    case FORWARD_EVENT: put_key(p, c, question, size); break;
    case COMMIT: {
        uint32_t kind = chance_once_in(c, 5) ? 2 + chance_below(c, 2) : 1;
        put16(p, kind << 1 | chance_below(c, 2));
        if (kind & 2) {
            put16(p, 0);
            put32(p, chance_once_in(c, 3) ? (uint32_t)chance_next(c) : 0xff0d);
        }
        if (kind & 1) put_text(p, c);
        break;
    }
    case RESET_IC_REPLY: put_text(p, c); break;
    case STR_CONVERSION:
        for (int i = 0; i < 4; i++) put32(p, chance_below(c, 4));
        break;
    case PREEDIT_DRAW:
        for (int i = 0; i < 3; i++) put32(p, (uint32_t)small(c));
        put_drawing(p, c);
        break;
    case PREEDIT_CARET:
        for (int i = 0; i < 3; i++) put32(p, (uint32_t)small(c));
        break;
    case STATUS_DRAW:
        put32(p, chance_below(c, 2));
        if (p->bytes[p->size - 4]) put32(p, 0); else put_drawing(p, c);
        break;
    case PREEDITSTATE: put32(p, chance_below(c, 3)); break;
    case EXT_SET_EVENT_MASK:
        for (int i = 0; i < 5; i++) put32(p, chance_below(c, 4));
        break;
    default: break;
    }
}

void packet_make(packet *p, uint8_t request, chance *c, const agreement *a, const uint8_t *question, size_t question_size) {
    begin(p, request);
    switch (request) {
    case CONNECT_REPLY: put32(p, 1); break;
    case DISCONNECT_REPLY: case AUTH_NG: break;
    case OPEN_REPLY: case CLOSE_REPLY: case REGISTER_TRIGGERKEYS: case ENCODING_NEGOTIATION_REPLY: case QUERY_EXTENSION_REPLY:
    case SET_IM_VALUES_REPLY: case GET_IM_VALUES_REPLY: put16(p, a->method); break;
    default: put16(p, a->method); put16(p, a->context); break;
    }
    put_contents(p, c, a, question, question_size);
    end(p);
}

uint8_t packet_choose(chance *c) {
    static const uint8_t common[] = {PREEDIT_START, PREEDIT_DRAW, PREEDIT_DRAW, PREEDIT_CARET, PREEDIT_DONE, COMMIT, COMMIT,
                                     FORWARD_EVENT, SYNC};
    static const uint8_t rare[] = {
        CONNECT_REPLY, DISCONNECT_REPLY, AUTH_NG, ERROR, CLOSE_REPLY, REGISTER_TRIGGERKEYS, TRIGGER_NOTIFY_REPLY, SET_EVENT_MASK,
        ENCODING_NEGOTIATION_REPLY, QUERY_EXTENSION_REPLY, SET_IM_VALUES_REPLY, GET_IM_VALUES_REPLY, CREATE_IC_REPLY,
        DESTROY_IC_REPLY, SET_IC_VALUES_REPLY, GET_IC_VALUES_REPLY, SYNC_REPLY, RESET_IC_REPLY, GEOMETRY, STR_CONVERSION,
        STATUS_START, STATUS_DRAW, STATUS_DONE, PREEDITSTATE, EXT_SET_EVENT_MASK, OPEN_REPLY,
    };
    return chance_below(c, 4) ? common[chance_below(c, sizeof common)] : rare[chance_below(c, sizeof rare)];
}

static const char kana[] = "\x1b$(B$\"";

void packet_make_commit(packet *p, const agreement *a) {
    begin(p, COMMIT);
    put16(p, a->method);
    put16(p, a->context);
    put16(p, 2);
    put16(p, sizeof kana - 1);
    put(p, kana, sizeof kana - 1);
    end(p);
}

void packet_make_draw(packet *p, const agreement *a) {
    begin(p, PREEDIT_DRAW);
    put16(p, a->method);
    put16(p, a->context);
    put32(p, 1);
    put32(p, 0);
    put32(p, 0);
    put32(p, 0);
    put16(p, sizeof kana - 1);
    put(p, kana, sizeof kana - 1);
    pad(p, 2 + sizeof kana - 1);
    put32(p, 4);
    put32(p, 2);
    end(p);
}
