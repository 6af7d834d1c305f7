#ifndef CUNICODE_H
#define CUNICODE_H
// ICU and FriBidi behind plain C types. This header must not include ICU's headers, which would clash with
// Foundation's own copy of them.
#include "cunicode_bidi.h"
#include "cunicode_break.h"
#include "cunicode_collate.h"
#include "cunicode_convert.h"
#include "cunicode_search.h"
#endif
