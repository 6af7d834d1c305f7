// What the client's own code allocates (`--wrap`; Xlib's calls do not pass here). Of a call that is left in its middle Xlib keeps some
// kilobytes for ever, so that a leak of ours would not be seen among them.
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"

enum { LIMIT = 1 << 16 };

static void *live[LIMIT];
static int count;
static _Thread_local bool is_watched;

void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);

static void *add(void *block) {
    if (!is_watched || !block) return block;
    if (count == LIMIT) fail("too many allocations");
    return live[count++] = block;
}

// What libxcb has allocated is freed here as well.
static void take(const void *block) {
    int i = is_watched && block ? count - 1 : -1;
    while (i >= 0 && live[i] != block) i--;
    if (i >= 0) live[i] = live[--count];
}

void *__wrap_malloc(size_t size) { return add(__real_malloc(size)); }
void *__wrap_calloc(size_t number, size_t size) { return add(__real_calloc(number, size)); }
char *__wrap_strdup(const char *text) { return add(__real_strdup(text)); }

void *__wrap_realloc(void *old, size_t size) {
    take(old);
    return add(__real_realloc(old, size));
}

void __wrap_free(void *block) {
    take(block);
    __real_free(block);
}

void heap_begin(void) {
    count = 0;
    is_watched = true;
}

void heap_end(void) {
    is_watched = false;
    for (int i = 0; i < count; i++) {
        // What Xlib was given it has freed, where no call of ours passes.
        if (!__sanitizer_get_ownership(live[i])) continue;
        __asan_describe_address(live[i]);
        fail("what the client has allocated is left");
    }
}
