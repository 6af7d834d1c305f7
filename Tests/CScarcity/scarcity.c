#include "include/CScarcity.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool is_scarce;
static atomic_int left, failures;
static pthread_t spared;

void scarcity_begin(int number) {
    spared = pthread_self();
    atomic_store(&left, number);
    atomic_store(&failures, 0);
    atomic_store(&is_scarce, true);
}

int scarcity_failures(void) { return atomic_load(&failures); }

void scarcity_end(void) { atomic_store(&is_scarce, false); }

static bool fails(void) {
    if (!atomic_load(&is_scarce) || pthread_equal(pthread_self(), spared)) return false;
    if (atomic_fetch_sub(&left, 1) != 0) return false;
    atomic_fetch_add(&failures, 1);
    errno = ENOMEM;
    return true;
}

// What the linker calls the functions that were asked for, and those that are called instead.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *string);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *string);

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return fails() ? NULL : __real_realloc(memory, size); }
char *__wrap_strdup(const char *string) { return fails() ? NULL : __real_strdup(string); }

void scarcity_give_back(void) { malloc_trim(0); }
