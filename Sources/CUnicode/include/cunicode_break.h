#ifndef CUNICODE_BREAK_H
#define CUNICODE_BREAK_H
#include <stdint.h>

// Text boundaries by ICU (ubrk_*). Swift cannot call ICU itself: its functions are macros that append the library's
// version, and its headers clash with those that Foundation brings.
//
// A breaker belongs to one thread at a time. All offsets are UTF-16 code units. No function keeps a reference to
// anything but the text given to cunicode_breaker_set_text.

typedef struct cunicode_breaker cunicode_breaker;

enum {
    CUNICODE_BREAK_GRAPHEME = 0,
    CUNICODE_BREAK_WORD = 1,
    CUNICODE_BREAK_LINE = 2,
    CUNICODE_BREAK_SENTENCE = 3,
};

// Returned by the moving functions when there is no boundary (UBRK_DONE).
enum { CUNICODE_BREAK_DONE = -1 };

// kind: CUNICODE_BREAK_*. locale: ASCII, not null, "" for the root locale; copied. The caller owns the result.
// Null on failure; *error then holds ICU's UErrorCode.
cunicode_breaker *cunicode_breaker_create(int kind, const char *locale, int *error);

// Accepts null.
void cunicode_breaker_destroy(cunicode_breaker *breaker);

// text: borrowed until the next call or destroy; may be null if length is 0. length: UTF-16 units. 0 on success.
int cunicode_breaker_set_text(cunicode_breaker *breaker, const uint16_t *text, int32_t length);

// The first boundary after offset, or CUNICODE_BREAK_DONE.
int32_t cunicode_breaker_following(cunicode_breaker *breaker, int32_t offset);

// The last boundary before offset, or CUNICODE_BREAK_DONE.
int32_t cunicode_breaker_preceding(cunicode_breaker *breaker, int32_t offset);

// 1 if offset is a boundary.
int cunicode_breaker_is_boundary(cunicode_breaker *breaker, int32_t offset);

// ICU's rule status of the boundary that the last call moved to (UWordBreak, ULineBreakTag, USentenceBreakTag).
int32_t cunicode_breaker_rule_status(cunicode_breaker *breaker);

// UAX #29 Grapheme_Cluster_Break of a scalar, as ICU numbers it (UGraphemeClusterBreak). Any thread.
int cunicode_grapheme_class(uint32_t scalar);

// The Script property of a scalar as its four ASCII letters of ISO 15924, first letter in the highest byte: 'Latn'. 'Zyyy' is Common, 'Zinh'
// Inherited, 'Zzzz' Unknown. Any thread.
uint32_t cunicode_script(uint32_t scalar);

// The version of Unicode that ICU's data is of, major and minor. Any thread.
void cunicode_unicode_version(int *major, int *minor);

#endif
