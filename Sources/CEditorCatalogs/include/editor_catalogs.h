#pragma once
#include <stddef.h>

/// Returns the bytes of a language's catalog, a .po file, for a language such as "de", and sets `count` to their
/// number. Null if there is no catalog. The bytes are never freed.
const unsigned char *ceditor_catalog(const char *language, size_t *count);
