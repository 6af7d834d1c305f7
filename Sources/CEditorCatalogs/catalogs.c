#include "editor_catalogs.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char german[] = {
#embed "de.po"
};
static const unsigned char japanese[] = {
#embed "ja.po"
};
static const unsigned char arabic[] = {
#embed "ar.po"
};

const unsigned char *ceditor_catalog(const char *language, size_t *count) {
#define CATALOG(name, bytes) \
    if (strcmp(language, name) == 0) return *count = sizeof bytes, bytes
    CATALOG("de", german);
    CATALOG("ja", japanese);
    CATALOG("ar", arabic);
    *count = 0;
    return NULL;
}
