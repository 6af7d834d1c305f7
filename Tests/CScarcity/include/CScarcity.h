// Memory that runs out. A test that links this with the linker's `--wrap` for malloc, calloc, realloc and strdup has the calls of the
// C code that is linked into it go through here; those of shared libraries, Swift's runtime among them, do not.
#ifndef INKSTONE_SCARCITY_H
#define INKSTONE_SCARCITY_H

/// From now on the allocation numbered `number`, counted from 0 over all threads but the caller's, fails, once.
void scarcity_begin(int number);

/// How many have failed since `scarcity_begin`: 0 or 1. Any thread.
int scarcity_failures(void);

/// No more fails.
void scarcity_end(void);

/// Gives back to the system what was freed and is kept for later: glibc's `malloc_trim`, which Swift's Glibc does not declare. Any thread.
void scarcity_give_back(void);

#endif
