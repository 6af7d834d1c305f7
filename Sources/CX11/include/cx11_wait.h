#ifndef CX11_WAIT_H
#define CX11_WAIT_H
// Functions in place of epoll, timerfd and eventfd, whose headers Swift's Glibc module lacks. All descriptors are
// close-on-exec and non-blocking. They belong to the caller, who closes them. Callable from any thread.
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Calls `epoll_create1`. Returns -1, with errno, on failure.
int cx11_wait_create(void);
/// Watches `descriptor` for reading. Returns 0, or -1 with errno.
int cx11_wait_add(int set, int descriptor);
/// Stops watching `descriptor`. Returns 0, or -1 with errno.
int cx11_wait_remove(int set, int descriptor);
/// Waits at most `milliseconds`, or without limit if negative. Writes the readable descriptors, at most `capacity`
/// and at most 32, into `ready` and returns their number. Returns 0 also on failure, for example if a signal has
/// arrived.
int cx11_wait(int set, int *ready, int capacity, int milliseconds);

/// Calls `timerfd_create(CLOCK_MONOTONIC)`. Returns -1, with errno, on failure.
int cx11_timer_create(void);
/// Makes `timer` readable at a time in nanoseconds of CLOCK_MONOTONIC. The time 0 stops the timer.
void cx11_timer_set(int timer, int64_t deadline);

/// Calls `eventfd`. Returns -1, with errno, on failure.
int cx11_signal_create(void);

// Signals as bytes in a pipe. In C, because a signal handler may only call async-signal-safe functions, and Swift
// code is not guaranteed to do only that. A process has one such pipe: the last one opened gets the signals.

/// Creates the pipe. Both ends are non-blocking and belong to the caller. Returns the end to read from and stores
/// the other in `writing`. Returns -1, with errno, on failure.
int cx11_signals_open(int *writing);

/// Makes a signal write its number into the pipe as a byte. Has no effect on a signal that is ignored, as SIGHUP
/// under `nohup`. Returns -1, with errno, on failure.
int cx11_signals_catch(int number);

/// Closes the pipe. Signals that were caught have no effect any more.
void cx11_signals_close(int reading, int writing);

#pragma clang assume_nonnull end
#endif
