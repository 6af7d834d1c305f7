#ifndef CUNICODE_BIDI_H
#define CUNICODE_BIDI_H
#include <stdbool.h>
#include <stdint.h>
// The bidirectional algorithm (UAX #9) by FriBidi with ICU's character data, and the character properties for
// itemisation. FriBidi's own tables are of an older Unicode version than ICU's, but it accepts classes and brackets
// from its caller. No function keeps a pointer. All functions may be called on any thread.

/// The values of `base` below: the direction of a paragraph.
enum {
    CUNICODE_BIDI_LEFT_TO_RIGHT = 0,
    CUNICODE_BIDI_RIGHT_TO_LEFT = 1,
    /// The direction of the first strong character (P2, P3); left to right if there is none.
    CUNICODE_BIDI_NATURAL = 2,
};

/// Resolves the embedding levels of a paragraph of `length` scalars (P2 to I2, and L1 as if the paragraph were one
/// line). Writes one level for each scalar. Returns the base level; -1 if there is no memory.
int cunicode_bidi_levels(const uint32_t *scalars, int32_t length, int base, int8_t *levels);

/// Resolves levels like cunicode_bidi_levels, but from bidi classes (numbers of ICU's UCharDirection) and without
/// paired brackets. For conformance tests.
int cunicode_bidi_levels_of_classes(const uint8_t *classes, int32_t length, int base, int8_t *levels);

/// Returns the bidi class of a scalar, as a value of ICU's UCharDirection.
uint8_t cunicode_bidi_class(uint32_t scalar);
/// Returns the mirrored counterpart of a scalar; the scalar itself if it has none.
uint32_t cunicode_mirror(uint32_t scalar);
/// Returns the bracket that forms a pair with this one; 0 if the scalar is no bracket.
uint32_t cunicode_paired_bracket(uint32_t scalar);
/// Whether a scalar is an opening bracket.
bool cunicode_opens_bracket(uint32_t scalar);

/// Properties of a scalar, from UTS #51 except for the last one.
enum {
    CUNICODE_EMOJI = 1,
    CUNICODE_EMOJI_PRESENTATION = 2,
    CUNICODE_EMOJI_MODIFIER = 4,
    CUNICODE_REGIONAL_INDICATOR = 8,
    /// The scalar is invisible if a font lacks it (Default_Ignorable_Code_Point).
    CUNICODE_DEFAULT_IGNORABLE = 16,
};
/// Returns the flags above that a scalar has.
uint8_t cunicode_emoji_flags(uint32_t scalar);
#endif
