#ifndef CUNICODE_CONVERT_H
#define CUNICODE_CONVERT_H
#include <stddef.h>
#include <stdint.h>

// Character encodings by ICU (ucnv_*). See cunicode_break.h for the reason why Swift cannot call ICU directly.
//
// A converter belongs to one thread at a time. It stops at input that it cannot convert, and the caller decides
// what to do about it.

typedef struct cunicode_converter cunicode_converter;

enum {
    // All input was converted.
    CUNICODE_CONVERT_DONE = 0,
    // The output buffer is full. Call the function again.
    CUNICODE_CONVERT_FULL = 1,
    // The converter has stopped at input that is not valid in the encoding, or that the encoding cannot represent.
    CUNICODE_CONVERT_INVALID = 2,
    // ICU has failed for another reason.
    CUNICODE_CONVERT_FAILED = 3,

    // The maximum number of invalid bytes or units that are reported at once.
    CUNICODE_CONVERT_INVALID_MAX = 32,
};

// Creates a converter. name: a name or an alias of an encoding, in ASCII, not null. Returns null if ICU has no such
// encoding. The caller owns the result.
cunicode_converter *cunicode_converter_create(const char *name);

// Destroys a converter. Does nothing for null.
void cunicode_converter_destroy(cunicode_converter *converter);

// Returns ICU's own name of the encoding, which is valid as long as the converter.
const char *cunicode_converter_name(const cunicode_converter *converter);

// Resets the converter to its initial state.
void cunicode_converter_reset(cunicode_converter *converter);

// Converts encoded bytes to UTF-16. *source and *target are moved to the end of the input that was read and of the
// output that was written. The output may end between the two units of a surrogate pair. flush: nonzero for the
// last input. Returns one of CUNICODE_CONVERT_*. In the case of INVALID, `invalid` gets the *invalid_count invalid
// bytes, which may have been read by an earlier call. *source may then be after further bytes that the converter
// has read, but not converted yet.
int cunicode_converter_decode(cunicode_converter *converter, const uint8_t **source, const uint8_t *source_end,
                              uint16_t **target, const uint16_t *target_end, int flush,
                              uint8_t invalid[CUNICODE_CONVERT_INVALID_MAX], int *invalid_count);

// Converts UTF-16 to encoded bytes in the same way. In the case of INVALID, `invalid` gets the units that the
// encoding cannot represent.
int cunicode_converter_encode(cunicode_converter *converter, const uint16_t **source, const uint16_t *source_end,
                              uint8_t **target, const uint8_t *target_end, int flush,
                              uint16_t invalid[CUNICODE_CONVERT_INVALID_MAX], int *invalid_count);

// Returns the minimum and the maximum number of bytes for one UTF-16 unit.
int cunicode_converter_minimum_width(const cunicode_converter *converter);
int cunicode_converter_maximum_width(const cunicode_converter *converter);

// Returns the number of encodings that ICU has, and the name of the encoding at an index; null if the index is out
// of bounds. The names stay valid.
int cunicode_converter_available_count(void);
const char *cunicode_converter_available_name(int index);

#endif
