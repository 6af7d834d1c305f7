#ifndef CUNICODE_BIDI_H
#define CUNICODE_BIDI_H
#include <stdbool.h>
#include <stdint.h>
// The bidirectional algorithm (UAX #9) by FriBidi with ICU's character data, and the properties that itemisation
// reads. FriBidi's own tables are of an older Unicode than ICU's; it accepts classes and brackets from outside.
// No function keeps a pointer; all may be called from any thread.

/// What to take as a paragraph's direction: the values of `base` below.
enum {
    CUNICODE_BIDI_LEFT_TO_RIGHT = 0,
    CUNICODE_BIDI_RIGHT_TO_LEFT = 1,
    /// The first strong character's (P2, P3), left to right if there is none.
    CUNICODE_BIDI_NATURAL = 2,
};

/// Resolves the embedding levels of one paragraph of `length` scalars, before the rules of a line (P2 to I2, and L1
/// for the whole paragraph). Writes one level per scalar. Returns the base level, or -1 if out of memory.
int cunicode_bidi_levels(const uint32_t *scalars, int32_t length, int base, int8_t *levels);

/// The same for given bidi classes, named by their place in ICU's UCharDirection, with no brackets: for conformance
/// tests.
int cunicode_bidi_levels_of_classes(const uint8_t *classes, int32_t length, int base, int8_t *levels);

/// ICU's UCharDirection of a scalar.
uint8_t cunicode_bidi_class(uint32_t scalar);
/// The mirrored counterpart of a scalar, itself if it has none.
uint32_t cunicode_mirror(uint32_t scalar);
/// The bracket that closes or opens a pair with this one, 0 for no bracket.
uint32_t cunicode_paired_bracket(uint32_t scalar);
/// Whether a scalar opens a pair of brackets.
bool cunicode_opens_bracket(uint32_t scalar);

/// Properties of UTS #51 of a scalar.
enum {
    CUNICODE_EMOJI = 1,
    CUNICODE_EMOJI_PRESENTATION = 2,
    CUNICODE_EMOJI_MODIFIER = 4,
    CUNICODE_REGIONAL_INDICATOR = 8,
    /// Not visible by itself when a font lacks it (Default_Ignorable_Code_Point).
    CUNICODE_DEFAULT_IGNORABLE = 16,
};
/// The flags above that hold for a scalar.
uint8_t cunicode_emoji_flags(uint32_t scalar);
#endif
