#ifndef CUNICODE_COLLATE_H
#define CUNICODE_COLLATE_H
#include <stdbool.h>
#include <stdint.h>

// Comparison of texts in the order of a language, by ICU (ucol_*). See cunicode_break.h for the reason why Swift
// cannot call ICU directly. A collator belongs to one thread at a time.

typedef struct cunicode_collator cunicode_collator;

// Looks up the functions of libicui18n that are used. library: a handle of dlopen, which stays open. Returns false
// if one of them is missing. No other function of this header may be called before this one has returned true.
bool cunicode_collator_load(void *library);

// Creates a collator. locale: ASCII, "" for the root locale, null for the user's locale (LC_ALL, LC_MESSAGES,
// LANG). Returns null after a failure. The caller owns the result.
cunicode_collator *cunicode_collator_create(const char *locale);

// Destroys a collator. Does nothing for null.
void cunicode_collator_destroy(cunicode_collator *collator);

// Compares two texts. Returns a negative number if the first comes before the second, 0 if they are equal, and a
// positive number otherwise. Both are UTF-8, and used only during the call; a text may be null only if its length
// is 0. Invalid bytes count as U+FFFD.
int cunicode_collator_compare(
    const cunicode_collator *collator, const char *first, int32_t first_length, const char *second, int32_t second_length);

#endif
