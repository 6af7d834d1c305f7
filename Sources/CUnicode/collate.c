#include "cunicode_collate.h"

#include <dlfcn.h>
#include <unicode/ucol.h>

// The functions of libicui18n that are used. Their names are macros that append ICU's version, so the pointers are
// stored here.
#define FUNCTIONS(use) use(ucol_open) use(ucol_close) use(ucol_strcollUTF8)

#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
} icu;

bool cunicode_collator_load(void *library) {
    bool is_loaded = true;
#define TEXT(name) #name
#define LOAD(name) is_loaded = (icu.name = (__typeof__(icu.name))dlsym(library, TEXT(name))) && is_loaded;
    FUNCTIONS(LOAD)
    return is_loaded;
}

cunicode_collator *cunicode_collator_create(const char *locale) {
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = icu.ucol_open(locale, &status);
    return U_FAILURE(status) ? NULL : (cunicode_collator *)collator;
}

void cunicode_collator_destroy(cunicode_collator *collator) {
    if (collator != NULL) icu.ucol_close((UCollator *)collator);
}

int cunicode_collator_compare(
    const cunicode_collator *collator, const char *first, int32_t first_length, const char *second, int32_t second_length) {
    UErrorCode status = U_ZERO_ERROR;
    return icu.ucol_strcollUTF8(
        (const UCollator *)collator, first_length == 0 ? "" : first, first_length, second_length == 0 ? "" : second, second_length,
        &status);
}
