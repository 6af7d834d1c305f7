// What the program's own session does for a server that hangs: the sockets are shut down under the call. A call that does not
// even come back of that is a fault, wherever it is.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "method.h"

// In milliseconds.
enum { STEP = 10, STUCK = 60000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t client;
static int watched[2];
// Nothing is ever written into it: only the time of a wait for it ends that.
static int silent[2];
static long allowed;
static bool is_watching, has_shed;
static atomic_long noted;

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void guard_note(void) { atomic_store(&noted, now()); }

static void *watch(void *unused) {
    (void)unused;
    struct pollfd nothing = {.fd = silent[0], .events = POLLIN};
    for (;;) {
        poll(&nothing, 1, STEP);
        long quiet = now() - atomic_load(&noted);
        pthread_mutex_lock(&lock);
        if (is_watching && !has_shed && quiet > allowed) {
            has_shed = true;
            for (int i = 0; i < 2; i++) shutdown(watched[i], SHUT_RDWR);
        }
        pthread_mutex_unlock(&lock);
        if (quiet > STUCK) {
            // The sanitizer shows where it is.
            pthread_kill(client, SIGABRT);
            poll(&nothing, 1, STUCK);
            fail("a call that never comes back");
        }
    }
    return NULL;
}

void guard_start(void) {
    pthread_t thread;
    client = pthread_self();
    guard_note();
    if (pipe(silent) != 0) fail("no pipe");
    if (pthread_create(&thread, NULL, watch, NULL) != 0) fail("no thread");
    pthread_detach(thread);
}

void guard_begin(const int sockets[2], long timeout) {
    guard_note();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++) watched[i] = sockets[i];
    allowed = timeout;
    is_watching = true;
    has_shed = false;
    pthread_mutex_unlock(&lock);
}

bool guard_end(void) {
    pthread_mutex_lock(&lock);
    is_watching = false;
    bool shed = has_shed;
    pthread_mutex_unlock(&lock);
    return shed;
}
