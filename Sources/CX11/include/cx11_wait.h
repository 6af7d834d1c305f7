#ifndef CX11_WAIT_H
#define CX11_WAIT_H
// epoll, timerfd and eventfd, whose headers Swift's Glibc module leaves out. All descriptors are close-on-exec, do not
// block, and belong to the caller, who closes them. Any thread.
#include <stdint.h>

#pragma clang assume_nonnull begin

/// `epoll_create1`: -1 with errno on failure.
int cx11_wait_create(void);
/// Watches `descriptor` for reading. 0, or -1 with errno.
int cx11_wait_add(int set, int descriptor);
/// Ends the watch. 0, or -1 with errno.
int cx11_wait_remove(int set, int descriptor);
/// Waits at most `milliseconds` (negative: without end) and writes the readable descriptors, at most `capacity`, into
/// `ready`. Returns their number; 0 also if a signal came.
int cx11_wait(int set, int *ready, int capacity, int milliseconds);

/// `timerfd_create(CLOCK_MONOTONIC)`: -1 with errno on failure.
int cx11_timer_create(void);
/// Makes `timer` readable at a time in nanoseconds of CLOCK_MONOTONIC.
void cx11_timer_set(int timer, int64_t deadline);

/// `eventfd`: -1 with errno on failure.
int cx11_signal_create(void);

// Signals as bytes in a pipe. In C because a handler may only call what is async-signal-safe, which Swift code does not promise. A process has
// one such pipe: the last one that was opened gets the signals.

/// Makes the pipe; neither end blocks, both are the caller's. Returns the end to read from and stores the other; -1 with `errno` on failure.
int cx11_signals_open(int *writing);

/// Has a signal written into the pipe as a byte, its number, unless it is ignored, as `nohup` has SIGHUP. Returns -1 with `errno` on failure.
int cx11_signals_catch(int number);

/// Closes the pipe. Signals that are caught have no effect any more.
void cx11_signals_close(int reading, int writing);

#pragma clang assume_nonnull end
#endif
