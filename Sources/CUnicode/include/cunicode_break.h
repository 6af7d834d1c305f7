#ifndef CUNICODE_BREAK_H
#define CUNICODE_BREAK_H
#include <stdint.h>

// Text boundaries by ICU (ubrk_*). Swift cannot call ICU directly: its functions are macros that append the
// library's version, and its headers clash with those of Foundation.
//
// A breaker belongs to one thread at a time. All offsets are in UTF-16 code units. No function keeps a pointer,
// except to the text that cunicode_breaker_set_text gets.

typedef struct cunicode_breaker cunicode_breaker;

enum {
    CUNICODE_BREAK_GRAPHEME = 0,
    CUNICODE_BREAK_WORD = 1,
    CUNICODE_BREAK_LINE = 2,
    CUNICODE_BREAK_SENTENCE = 3,
};

// The result of the functions that move, if there is no boundary (UBRK_DONE).
enum { CUNICODE_BREAK_DONE = -1 };

// Creates a breaker. kind: one of CUNICODE_BREAK_*. locale: ASCII, not null, "" for the root locale; it is copied.
// Returns null after a failure, and sets *error to ICU's UErrorCode. The caller owns the result.
cunicode_breaker *cunicode_breaker_create(int kind, const char *locale, int *error);

// Destroys a breaker. Does nothing for null.
void cunicode_breaker_destroy(cunicode_breaker *breaker);

// Sets the text. text: must stay valid until the next call or until the breaker is destroyed; may be null if length
// is 0. length: in UTF-16 units. Returns 0 if it has succeeded.
int cunicode_breaker_set_text(cunicode_breaker *breaker, const uint16_t *text, int32_t length);

// Returns the first boundary after an offset, or CUNICODE_BREAK_DONE.
int32_t cunicode_breaker_following(cunicode_breaker *breaker, int32_t offset);

// Returns the last boundary before an offset, or CUNICODE_BREAK_DONE.
int32_t cunicode_breaker_preceding(cunicode_breaker *breaker, int32_t offset);

// Returns 1 if an offset is a boundary, else 0.
int cunicode_breaker_is_boundary(cunicode_breaker *breaker, int32_t offset);

// Returns ICU's rule status of the boundary to which the last call has moved (UWordBreak, ULineBreakTag,
// USentenceBreakTag).
int32_t cunicode_breaker_rule_status(cunicode_breaker *breaker);

// Returns the Grapheme_Cluster_Break property of a scalar (UAX #29) as ICU's number (UGraphemeClusterBreak). Any
// thread.
int cunicode_grapheme_class(uint32_t scalar);

// Returns the Script property of a scalar as the four ASCII letters of ISO 15924, with the first letter in the
// highest byte, such as 'Latn'. 'Zyyy' is Common, 'Zinh' Inherited, and 'Zzzz' Unknown. Any thread.
uint32_t cunicode_script(uint32_t scalar);

// Returns the Unicode version of ICU's data. Any thread.
void cunicode_unicode_version(int *major, int *minor);

#endif
