#ifndef CUNICODE_COLLATE_H
#define CUNICODE_COLLATE_H
#include <stdbool.h>
#include <stdint.h>

// The order of text in a language by ICU (ucol_*). Swift cannot call ICU itself: see cunicode_break.h. A collator belongs to one thread
// at a time.

typedef struct cunicode_collator cunicode_collator;

// Looks up what is used of libicui18n: library is a handle of dlopen, which stays open. False if any of it is missing; before it has
// returned true nothing else here may be called.
bool cunicode_collator_load(void *library);

// locale: ASCII, "" for the root locale, or null for the user's (LC_ALL, LC_MESSAGES, LANG). The caller owns the result; null on failure.
cunicode_collator *cunicode_collator_create(const char *locale);

// Accepts null.
void cunicode_collator_destroy(cunicode_collator *collator);

// Less than, equal to or greater than 0, as the first text comes before, at or behind the second. Both are UTF-8, borrowed for the call;
// null only if its length is 0. What is not valid counts as U+FFFD.
int cunicode_collator_compare(
    const cunicode_collator *collator, const char *first, int32_t first_length, const char *second, int32_t second_length);

#endif
