#include "cunicode_bidi.h"

#include <stdlib.h>

#include <fribidi.h>
#include <unicode/uchar.h>

// Returns FriBidi's type for a class of ICU (UCharDirection).
static FriBidiCharType type_of_class(uint8_t class) {
    static const FriBidiCharType types[] = {
        [U_LEFT_TO_RIGHT] = FRIBIDI_TYPE_LTR,
        [U_RIGHT_TO_LEFT] = FRIBIDI_TYPE_RTL,
        [U_EUROPEAN_NUMBER] = FRIBIDI_TYPE_EN,
        [U_EUROPEAN_NUMBER_SEPARATOR] = FRIBIDI_TYPE_ES,
        [U_EUROPEAN_NUMBER_TERMINATOR] = FRIBIDI_TYPE_ET,
        [U_ARABIC_NUMBER] = FRIBIDI_TYPE_AN,
        [U_COMMON_NUMBER_SEPARATOR] = FRIBIDI_TYPE_CS,
        [U_BLOCK_SEPARATOR] = FRIBIDI_TYPE_BS,
        [U_SEGMENT_SEPARATOR] = FRIBIDI_TYPE_SS,
        [U_WHITE_SPACE_NEUTRAL] = FRIBIDI_TYPE_WS,
        [U_OTHER_NEUTRAL] = FRIBIDI_TYPE_ON,
        [U_LEFT_TO_RIGHT_EMBEDDING] = FRIBIDI_TYPE_LRE,
        [U_LEFT_TO_RIGHT_OVERRIDE] = FRIBIDI_TYPE_LRO,
        [U_RIGHT_TO_LEFT_ARABIC] = FRIBIDI_TYPE_AL,
        [U_RIGHT_TO_LEFT_EMBEDDING] = FRIBIDI_TYPE_RLE,
        [U_RIGHT_TO_LEFT_OVERRIDE] = FRIBIDI_TYPE_RLO,
        [U_POP_DIRECTIONAL_FORMAT] = FRIBIDI_TYPE_PDF,
        [U_DIR_NON_SPACING_MARK] = FRIBIDI_TYPE_NSM,
        [U_BOUNDARY_NEUTRAL] = FRIBIDI_TYPE_BN,
        [U_FIRST_STRONG_ISOLATE] = FRIBIDI_TYPE_FSI,
        [U_LEFT_TO_RIGHT_ISOLATE] = FRIBIDI_TYPE_LRI,
        [U_RIGHT_TO_LEFT_ISOLATE] = FRIBIDI_TYPE_RLI,
        [U_POP_DIRECTIONAL_ISOLATE] = FRIBIDI_TYPE_PDI,
    };
    return class < sizeof types / sizeof *types ? types[class] : FRIBIDI_TYPE_ON;
}

// Returns the bracket to which a bracket is canonically equivalent (UAX #9, BD16): for U+2329 and U+232A another
// bracket, for all others the bracket itself.
static uint32_t canonical_bracket(uint32_t scalar) {
    return scalar == 0x2329 ? 0x3008 : scalar == 0x232a ? 0x3009 : scalar;
}

static FriBidiBracketType bracket_of(uint32_t scalar) {
    switch (u_getIntPropertyValue((UChar32)scalar, UCHAR_BIDI_PAIRED_BRACKET_TYPE)) {
    case U_BPT_OPEN: return canonical_bracket(scalar) | FRIBIDI_BRACKET_OPEN_MASK;
    case U_BPT_CLOSE: return canonical_bracket((uint32_t)u_getBidiPairedBracket((UChar32)scalar));
    default: return FRIBIDI_NO_BRACKET;
    }
}

static int resolve(const FriBidiCharType *types, const FriBidiBracketType *brackets, int32_t length, int base,
                   int8_t *levels) {
    FriBidiParType direction = base == CUNICODE_BIDI_NATURAL         ? FRIBIDI_PAR_ON
                               : base == CUNICODE_BIDI_RIGHT_TO_LEFT ? FRIBIDI_PAR_RTL
                                                                     : FRIBIDI_PAR_LTR;
    FriBidiLevel highest =
        fribidi_get_par_embedding_levels_ex(types, brackets, length, &direction, (FriBidiLevel *)levels);
    if (length > 0 && highest == 0) return -1;
    return FRIBIDI_IS_RTL(direction) ? 1 : 0;
}

int cunicode_bidi_levels(const uint32_t *scalars, int32_t length, int base, int8_t *levels) {
    if (length == 0) return base == CUNICODE_BIDI_RIGHT_TO_LEFT ? 1 : 0;
    FriBidiCharType *types = malloc((size_t)length * sizeof *types);
    FriBidiBracketType *brackets = malloc((size_t)length * sizeof *brackets);
    int result = -1;
    if (types && brackets) {
        for (int32_t i = 0; i < length; i++) {
            types[i] = type_of_class((uint8_t)u_charDirection((UChar32)scalars[i]));
            brackets[i] = types[i] == FRIBIDI_TYPE_ON ? bracket_of(scalars[i]) : FRIBIDI_NO_BRACKET;
        }
        result = resolve(types, brackets, length, base, levels);
    }
    free(types);
    free(brackets);
    return result;
}

int cunicode_bidi_levels_of_classes(const uint8_t *classes, int32_t length, int base, int8_t *levels) {
    if (length == 0) return base == CUNICODE_BIDI_RIGHT_TO_LEFT ? 1 : 0;
    FriBidiCharType *types = malloc((size_t)length * sizeof *types);
    FriBidiBracketType *brackets = calloc((size_t)length, sizeof *brackets);
    int result = -1;
    if (types && brackets) {
        for (int32_t i = 0; i < length; i++) types[i] = type_of_class(classes[i]);
        result = resolve(types, brackets, length, base, levels);
    }
    free(types);
    free(brackets);
    return result;
}

uint8_t cunicode_bidi_class(uint32_t scalar) { return (uint8_t)u_charDirection((UChar32)scalar); }

uint32_t cunicode_mirror(uint32_t scalar) { return (uint32_t)u_charMirror((UChar32)scalar); }

uint32_t cunicode_paired_bracket(uint32_t scalar) {
    if (u_getIntPropertyValue((UChar32)scalar, UCHAR_BIDI_PAIRED_BRACKET_TYPE) == U_BPT_NONE) return 0;
    return (uint32_t)u_getBidiPairedBracket((UChar32)scalar);
}

bool cunicode_opens_bracket(uint32_t scalar) {
    return u_getIntPropertyValue((UChar32)scalar, UCHAR_BIDI_PAIRED_BRACKET_TYPE) == U_BPT_OPEN;
}

uint8_t cunicode_emoji_flags(uint32_t scalar) {
    UChar32 c = (UChar32)scalar;
    uint8_t flags = 0;
    if (u_hasBinaryProperty(c, UCHAR_EMOJI)) flags |= CUNICODE_EMOJI;
    if (u_hasBinaryProperty(c, UCHAR_EMOJI_PRESENTATION)) flags |= CUNICODE_EMOJI_PRESENTATION;
    if (u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER)) flags |= CUNICODE_EMOJI_MODIFIER;
    if (u_hasBinaryProperty(c, UCHAR_REGIONAL_INDICATOR)) flags |= CUNICODE_REGIONAL_INDICATOR;
    if (u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) flags |= CUNICODE_DEFAULT_IGNORABLE;
    return flags;
}
