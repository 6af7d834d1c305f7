#ifndef CUNICODE_H
#define CUNICODE_H
// ICU and FriBidi behind plain C types: no ICU header may be seen here (it would clash with Foundation's own copy).
#include "cunicode_bidi.h"
#include "cunicode_break.h"
#include "cunicode_collate.h"
#include "cunicode_convert.h"
#include "cunicode_search.h"
#endif
