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

#pragma clang assume_nonnull end
#endif
