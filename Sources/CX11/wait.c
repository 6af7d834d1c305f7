#define _GNU_SOURCE
#include "include/cx11_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// The maximum number of descriptors that one wait returns.
enum { MAX_READY = 32 };

int cx11_wait_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int cx11_wait_add(int set, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

int cx11_wait_remove(int set, int descriptor) {
    struct epoll_event event = {0};
    return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event);
}

int cx11_wait(int set, int *ready, int capacity, int milliseconds) {
    struct epoll_event events[MAX_READY];
    int count = epoll_wait(set, events, capacity < MAX_READY ? capacity : MAX_READY, milliseconds);
    for (int i = 0; i < count; i++) ready[i] = events[i].data.fd;
    return count < 0 ? 0 : count;
}

int cx11_timer_create(void) {
    return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

void cx11_timer_set(int timer, int64_t deadline) {
    struct itimerspec value = {.it_value = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, NULL);
}

int cx11_signal_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

// The descriptor to which the signal handler writes, plus one; 0 for none. The handler may run on any thread.
static atomic_int signal_pipe;

static void note_signal(int number) {
    int saved = errno;
    int descriptor = atomic_load(&signal_pipe) - 1;
    unsigned char byte = (unsigned char)number;
    // Ignore a full pipe: the signals in it suffice.
    if (descriptor >= 0 && write(descriptor, &byte, 1) < 0) errno = saved;
    errno = saved;
}

int cx11_signals_open(int *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
    *writing = ends[1];
    atomic_store(&signal_pipe, ends[1] + 1);
    return ends[0];
}

int cx11_signals_catch(int number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) < 0) return -1;
    if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) return 0;
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

void cx11_signals_close(int reading, int writing) {
    atomic_store(&signal_pipe, 0);
    close(reading);
    close(writing);
}
