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

    // Most bytes or units that are reported as not valid at once.
    CUNICODE_CONVERT_INVALID_MAX = 32,
};

// name: an encoding's name or alias in ASCII, not null. The caller owns the result; null if ICU knows no such encoding.
cunicode_converter *cunicode_converter_create(const char *name);

// Accepts null.
void cunicode_converter_destroy(cunicode_converter *converter);

// ICU's own name of the converter's encoding; lives as long as the converter.
const char *cunicode_converter_name(const cunicode_converter *converter);

// Forgets all state, as if new.
void cunicode_converter_reset(cunicode_converter *converter);

// Encoded bytes to UTF-16. *source and *target are moved past what was taken and given; either unit of a surrogate pair
// may be the last that is given. flush: nonzero with the last input. Returns CUNICODE_CONVERT_*; with INVALID, `invalid`
// gets the bytes that are not valid, *invalid_count of them: they may have come in an earlier call, and *source may be
// past bytes behind them that the converter has yet to look at.
int cunicode_converter_decode(cunicode_converter *converter, const uint8_t **source, const uint8_t *source_end,
                              uint16_t **target, const uint16_t *target_end, int flush,
                              uint8_t invalid[CUNICODE_CONVERT_INVALID_MAX], int *invalid_count);

// UTF-16 to encoded bytes, in the same way; with INVALID, `invalid` gets the units that cannot be expressed.
int cunicode_converter_encode(cunicode_converter *converter, const uint16_t **source, const uint16_t *source_end,
                              uint8_t **target, const uint8_t *target_end, int flush,
                              uint16_t invalid[CUNICODE_CONVERT_INVALID_MAX], int *invalid_count);

// Fewest and most bytes of one UTF-16 unit.
int cunicode_converter_minimum_width(const cunicode_converter *converter);
int cunicode_converter_maximum_width(const cunicode_converter *converter);

// Number of encodings that ICU has, and the name of one of them; null if `index` is out of bounds. The names are static.
int cunicode_converter_available_count(void);
const char *cunicode_converter_available_name(int index);

#endif
