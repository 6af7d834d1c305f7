#pragma once
#include <stddef.h>

/// The bytes of the catalog of a language such as "de", a .po file, and their number; null if there is none. Never freed.
const unsigned char *ceditor_catalog(const char *language, size_t *count);
