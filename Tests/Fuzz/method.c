// The client of input methods against a server that damages what it says; see scripts/fuzz-method.
//   method MESSAGES SEED DISPLAY...
// As many rounds at a time as there are displays, each on one of its own: a window's number may soon be another client's.
// Rounds of connections, each round a process with a seed of its own: it ends with a composition that has to come out right, with
// LeakSanitizer's check, and with what the heap has grown by.
#include "method.h"

#include <locale.h>
#include <signal.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cx11_xim.h"

enum {
    CONNECTIONS = 300, WARMING = 3, MOST_WORKERS = 16,
    // In bytes: what a connection may leave on the average, one that was closed and one that was left in the middle of a call.
    CLOSED_LIMIT = 512, LEFT_LIMIT = 16 << 10,
};

static struct totals {
    atomic_long received, sent, damaged, ends[4], growth[4], rounds;
} *totals;
static uint64_t seed_of_round;
static int connection_number;

static void note_seed(void) {
    fprintf(stderr, "fuzz-method: connection %d, message %ld of the round with seed %llu; again: scripts/fuzz-method 1 %llu\n",
            connection_number, atomic_load(&client_received), (unsigned long long)seed_of_round, (unsigned long long)seed_of_round);
}

void fail(const char *what) {
    fprintf(stderr, "fuzz-method: %s\n", what);
    note_seed();
    _exit(1);
}

// One connection after the other, and what they leave behind.
static void run_round(const char *display_name) {
    static const uint32_t rates[] = {3, 6, 12, 25, 50, 100};
    // The session's thread, too, is deaf to what a write to a closed socket raises.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    __sanitizer_set_death_callback(note_seed);
    setlocale(LC_ALL, "C.UTF-8");
    chance c = {seed_of_round};
    guard_start();
    server_start(display_name);
    client_start(display_name);
    for (int i = 0; i < WARMING; i++) {
        server_reset(chance_next(&c), 0);
        client_run(chance_next(&c), true);
    }
    int ends[4] = {0};
    long growth[4] = {0};
    for (connection_number = 1; connection_number <= CONNECTIONS; connection_number++) {
        uint32_t rate = rates[chance_below(&c, sizeof rates / sizeof *rates)];
        size_t before = __sanitizer_get_current_allocated_bytes();
        server_reset(chance_next(&c), rate);
        run_end end = client_run(chance_next(&c), false);
        ends[end]++;
        growth[end] += (long)(__sanitizer_get_current_allocated_bytes() - before);
    }
    server_reset(chance_next(&c), 0);
    client_run(chance_next(&c), true);
    for (int i = 0; i < 4; i++) {
        if (growth[i] > ends[i] * (i == RUN_CLOSED ? CLOSED_LIMIT : LEFT_LIMIT)) fail("the heap grows");
    }
    atomic_fetch_add(&totals->received, atomic_load(&client_received));
    atomic_fetch_add(&totals->sent, atomic_load(&server_sent));
    atomic_fetch_add(&totals->damaged, atomic_load(&server_damaged));
    atomic_fetch_add(&totals->rounds, 1);
    for (int i = 0; i < 4; i++) {
        atomic_fetch_add(&totals->ends[i], ends[i]);
        atomic_fetch_add(&totals->growth[i], growth[i]);
    }
}

static pid_t start_round(const char *display_name, uint64_t seed) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) fail("no process");
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    seed_of_round = seed;
    run_round(display_name);
    exit(0);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    int worker_count = argc - 3;
    if (worker_count < 1 || worker_count > MOST_WORKERS) return 2;
    long wanted = atol(argv[1]);
    uint64_t seed = strtoull(argv[2], NULL, 10);
    totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals == MAP_FAILED) return 1;
    // Also of one that is ended from outside.
    printf("fuzz-method: seed %llu\n", (unsigned long long)seed);
    double began = now();
    chance c = {seed};
    pid_t workers[MOST_WORKERS] = {0};
    int running = 0, started = 0, status;
    bool is_broken = false;
    do {
        for (int i = 0; i < worker_count; i++) {
            // The first round has the run's own seed.
            bool is_wanted = started == 0 || (wanted > 1 && atomic_load(&totals->received) < wanted);
            if (workers[i] != 0 || is_broken || !is_wanted) continue;
            workers[i] = start_round(argv[3 + i], started == 0 ? seed : chance_next(&c) >> 16);
            started++;
            running++;
        }
        pid_t ended = wait(&status);
        for (int i = 0; i < worker_count; i++) {
            if (workers[i] == ended) workers[i] = 0;
        }
        running--;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        is_broken = true;
        // What ended it has mostly output so itself.
        fprintf(stderr, "fuzz-method: a round ended with status %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
    } while (running > 0 || (!is_broken && wanted > 1 && atomic_load(&totals->received) < wanted));
    double seconds = now() - began;
    printf("fuzz-method: %ld messages checked by the client in %.0f s (%.0f a second), of %ld sent, %ld damaged; %ld rounds\n",
           totals->received, seconds, (double)totals->received / seconds, totals->sent, totals->damaged,
           totals->rounds);
    static const char *const names[] = {"closed", "lost", "refused", "shed"};
    for (int i = 0; i < 4; i++) {
        long count = totals->ends[i];
        printf("fuzz-method: %6ld connections %s, each left %ld bytes\n", count, names[i], count ? totals->growth[i] / count : 0);
    }
    return is_broken ? 1 : 0;
}
