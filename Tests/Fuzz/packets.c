// For libFuzzer: bytes are taken for the packets of one connection, each with 2 bytes before it that say its size (12 bits) and
// whether that is exact (the bit above). Every byte that the check says may be read is read; see scripts/fuzz-packets.
#include "cx11_xim_packet.h"

#include <stdlib.h>
#include <string.h>

static void read_parts(const uint8_t *bytes, size_t size, const cx11_xim_packet *packet) {
    volatile uint32_t sum = 0;
    if (packet->size > size || packet->size % 4 != 0) abort();
    for (size_t i = 0; i < packet->size; i++) sum += bytes[i];
    for (size_t i = 0; i < packet->text_size; i++) sum += bytes[packet->text_at + i];
    for (size_t i = 0; i < packet->feedback_count; i++) sum += cx11_xim_read32(bytes + packet->feedback_at + 4 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cx11_xim_grammar grammar = {0};
    while (size >= 2) {
        size_t count = data[0] | (size_t)(data[1] & 15) << 8;
        bool is_exact = data[1] & 16;
        data += 2;
        size -= 2;
        if (count > size) count = size;
        // In memory of its own size, so that a step beyond is seen.
        uint8_t *bytes = malloc(count ? count : 1);
        if (!bytes) abort();
        memcpy(bytes, data, count);
        cx11_xim_packet packet;
        if (!cx11_xim_packet_check(&grammar, bytes, count, is_exact, &packet)) read_parts(bytes, count, &packet);
        free(bytes);
        data += count;
        size -= count;
    }
    return 0;
}
