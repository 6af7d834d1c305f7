#ifndef CUNICODE_CONVERT_H
#define CUNICODE_CONVERT_H
#include <stddef.h>
#include <stdint.h>

// Character encodings by ICU (ucnv_*), which Swift cannot call itself: see cunicode_break.h.
//
// A converter belongs to one thread at a time. It stops at what it cannot convert: what then happens is the caller's
// decision.

typedef struct cunicode_converter cunicode_converter;

enum {
    // All input was taken.
    CUNICODE_CONVERT_DONE = 0,
    // The output is full; call again.
    CUNICODE_CONVERT_FULL = 1,
    // Stopped at input that is not valid in the encoding, or that the encoding cannot express.
    CUNICODE_CONVERT_INVALID = 2,
    // ICU failed otherwise.
    CUNICODE_CONVERT_FAILED = 3,
};

// name: an encoding's name or alias in ASCII, not null. The caller owns the result; null if ICU knows no such encoding.
cunicode_converter *cunicode_converter_create(const char *name);

// Accepts null.
void cunicode_converter_destroy(cunicode_converter *converter);

// ICU's own name of the converter's encoding; lives as long as the converter.
const char *cunicode_converter_name(const cunicode_converter *converter);

// Forgets all state, as if new.
void cunicode_converter_reset(cunicode_converter *converter);

// Encoded bytes to UTF-16. *source and *target are moved past what was taken and given. flush: nonzero with the last
// input. Returns CUNICODE_CONVERT_*; with INVALID, *invalid is the number of bytes at the end of what was taken that
// are not valid (at most 31), which may have come in an earlier call.
int cunicode_converter_decode(cunicode_converter *converter, const uint8_t **source, const uint8_t *source_end,
                              uint16_t **target, const uint16_t *target_end, int flush, int *invalid);

// UTF-16 to encoded bytes, in the same way; with INVALID, *invalid is the number of units that cannot be expressed.
int cunicode_converter_encode(cunicode_converter *converter, const uint16_t **source, const uint16_t *source_end,
                              uint8_t **target, const uint8_t *target_end, int flush, int *invalid);

#endif
