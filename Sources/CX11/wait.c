#include "include/cx11_wait.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>

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
