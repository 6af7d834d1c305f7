// What becomes of a packet: other bytes, opcodes, lengths and numbers; cut, stretched, or mixed with another.
#include <string.h>

#include "method.h"

uint64_t chance_next(chance *c) {
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t chance_below(chance *c, uint32_t limit) { return (uint32_t)(chance_next(c) % limit); }

uint16_t chance_nasty16(chance *c) {
    static const uint16_t values[] = {0, 1, 2, 3, 4, 0x7ffc, 0x7fff, 0x8000, 0xfffc, 0xffff, 500, 507, 508, 2028, 2040, 2048, 8192};
    return chance_below(c, 3) ? values[chance_below(c, sizeof values / sizeof *values)] : (uint16_t)chance_next(c);
}

static void set16(packet *p, size_t at, uint16_t value) { memcpy(p->bytes + at, &value, 2); }

// Makes the header say how long it is, so that the rest is looked at.
static void agree(packet *p) {
    while (p->size % 4 || p->size < 4) p->bytes[p->size++] = 0;
    set16(p, 2, (uint16_t)(p->size / 4 - 1));
}

static void renumber(packet *p, chance *c, const agreement *a) {
    if (p->size < 8) return;
    if (chance_once_in(c, 4)) set16(p, 4, (uint16_t)(a->method + chance_below(c, 3)));
    else set16(p, 6, a->context_count && chance_below(c, 3) ? a->contexts[chance_below(c, (uint32_t)a->context_count)] : chance_nasty16(c));
}

static void stretch(packet *p, chance *c) {
    uint32_t more = chance_once_in(c, 8) ? chance_below(c, 20000) : 1 + chance_below(c, 64);
    for (uint32_t i = 0; i < more && p->size < PACKET_ROOM - 4; i++) p->bytes[p->size++] = (uint8_t)chance_next(c);
}

// The end of another packet behind the beginning of this one.
static void splice(packet *p, chance *c, const agreement *a) {
    static packet other;
    packet_make(&other, packet_choose(c), c, a, NULL, 0);
    size_t at = 4 + chance_below(c, (uint32_t)(p->size > 8 ? p->size - 4 : 4)), from = chance_below(c, (uint32_t)other.size);
    if (at > p->size) at = p->size;
    size_t count = other.size - from;
    if (at + count > PACKET_ROOM - 4) return;
    memcpy(p->bytes + at, other.bytes + from, count);
    p->size = at + count;
}

void packet_damage(packet *p, chance *c, const agreement *a) {
    if (p->size == 0) return;
    // As often the header agrees with what has become of it as not.
    bool agrees = chance_below(c, 2);
    switch (chance_below(c, 9)) {
    case 0:
        for (uint32_t n = 1 + chance_below(c, 4); n > 0; n--) p->bytes[chance_below(c, (uint32_t)p->size)] = (uint8_t)chance_next(c);
        return;
    case 1: p->bytes[0] = chance_below(c, 4) ? (uint8_t)chance_below(c, 90) : (uint8_t)chance_next(c); return;
    case 2:
        if (p->size >= 4) set16(p, 2, chance_nasty16(c));
        return;
    case 3:
        if (p->size >= 6) set16(p, 4 + 2 * chance_below(c, (uint32_t)(p->size - 4) / 2), chance_nasty16(c));
        return;
    case 4: renumber(p, c, a); return;
    case 5: p->size = chance_below(c, (uint32_t)p->size); break;
    case 6: stretch(p, c); break;
    case 7: splice(p, c, a); break;
    default:
        // Below what a header can say, so that nothing but the value is wrong.
        if (p->size >= 8) p->bytes[4 + chance_below(c, (uint32_t)p->size - 4)] ^= (uint8_t)(1u << chance_below(c, 8));
        return;
    }
    if (agrees && p->size < PACKET_ROOM - 4) agree(p);
}
