#include "cunicode_convert.h"

#include <stdlib.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>

struct cunicode_converter {
    UConverter *converter;
};

cunicode_converter *cunicode_converter_create(const char *name) {
    UErrorCode status = U_ZERO_ERROR;
    UConverter *icu = ucnv_open(name, &status);
    if (U_FAILURE(status)) return NULL;
    ucnv_setToUCallBack(icu, UCNV_TO_U_CALLBACK_STOP, NULL, NULL, NULL, &status);
    ucnv_setFromUCallBack(icu, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL, &status);
    // Turn off fallback mappings: they encode a character as bytes that would be decoded as another character.
    ucnv_setFallback(icu, 0);
    cunicode_converter *converter = U_FAILURE(status) ? NULL : malloc(sizeof *converter);
    if (converter == NULL) {
        ucnv_close(icu);
        return NULL;
    }
    converter->converter = icu;
    return converter;
}

void cunicode_converter_destroy(cunicode_converter *converter) {
    if (converter == NULL) return;
    ucnv_close(converter->converter);
    free(converter);
}

const char *cunicode_converter_name(const cunicode_converter *converter) {
    UErrorCode status = U_ZERO_ERROR;
    const char *name = ucnv_getName(converter->converter, &status);
    return U_FAILURE(status) ? "" : name;
}

void cunicode_converter_reset(cunicode_converter *converter) { ucnv_reset(converter->converter); }

static int result(UErrorCode status) {
    if (U_SUCCESS(status)) return CUNICODE_CONVERT_DONE;
    switch (status) {
        case U_BUFFER_OVERFLOW_ERROR:
            return CUNICODE_CONVERT_FULL;
        case U_INVALID_CHAR_FOUND:
        case U_ILLEGAL_CHAR_FOUND:
        case U_TRUNCATED_CHAR_FOUND:
        case U_ILLEGAL_ESCAPE_SEQUENCE:
        case U_UNSUPPORTED_ESCAPE_SEQUENCE:
            return CUNICODE_CONVERT_INVALID;
        default:
            return CUNICODE_CONVERT_FAILED;
    }
}

int cunicode_converter_decode(cunicode_converter *converter, const uint8_t **source, const uint8_t *source_end,
                              uint16_t **target, const uint16_t *target_end, int flush,
                              uint8_t invalid[CUNICODE_CONVERT_INVALID_MAX], int *invalid_count) {
    UErrorCode status = U_ZERO_ERROR;
    const char *from = (const char *)*source;
    UChar *to = (UChar *)*target;
    ucnv_toUnicode(converter->converter, &to, (const UChar *)target_end, &from, (const char *)source_end, NULL,
                   flush != 0, &status);
    *source = (const uint8_t *)from;
    *target = (uint16_t *)to;
    *invalid_count = 0;
    int outcome = result(status);
    if (outcome == CUNICODE_CONVERT_INVALID) {
        int8_t count = CUNICODE_CONVERT_INVALID_MAX;
        UErrorCode ignored = U_ZERO_ERROR;
        ucnv_getInvalidChars(converter->converter, (char *)invalid, &count, &ignored);
        if (U_SUCCESS(ignored)) *invalid_count = count;
    }
    return outcome;
}

int cunicode_converter_encode(cunicode_converter *converter, const uint16_t **source, const uint16_t *source_end,
                              uint8_t **target, const uint8_t *target_end, int flush,
                              uint16_t invalid[CUNICODE_CONVERT_INVALID_MAX], int *invalid_count) {
    UErrorCode status = U_ZERO_ERROR;
    const UChar *from = (const UChar *)*source;
    char *to = (char *)*target;
    ucnv_fromUnicode(converter->converter, &to, (const char *)target_end, &from, (const UChar *)source_end, NULL,
                     flush != 0, &status);
    *source = (const uint16_t *)from;
    *target = (uint8_t *)to;
    *invalid_count = 0;
    int outcome = result(status);
    if (outcome == CUNICODE_CONVERT_INVALID) {
        int8_t count = CUNICODE_CONVERT_INVALID_MAX;
        UErrorCode ignored = U_ZERO_ERROR;
        ucnv_getInvalidUChars(converter->converter, (UChar *)invalid, &count, &ignored);
        if (U_SUCCESS(ignored)) *invalid_count = count;
    }
    return outcome;
}

int cunicode_converter_minimum_width(const cunicode_converter *converter) {
    return ucnv_getMinCharSize(converter->converter);
}

int cunicode_converter_maximum_width(const cunicode_converter *converter) {
    return ucnv_getMaxCharSize(converter->converter);
}

int cunicode_converter_available_count(void) { return ucnv_countAvailable(); }

const char *cunicode_converter_available_name(int index) { return ucnv_getAvailableName(index); }
