#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CShaping.h"

static struct sigaction before;
static uintptr_t page_size;

// Maps a page of zeros in place of a page that the file does not have any more. mmap is a bare system call, so it
// may be called in a signal handler.
static void bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));
    if (info->si_code == BUS_ADRERR &&
        mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
        return;
    // Restore the previous handler. A fault occurs again after the return; a signal that was sent does not, so
    // raise it.
    sigaction(number, &before, NULL);
    if (info->si_code <= 0) raise(number);
}

void cshaping_tolerate_truncation(void) {
    if (page_size) return;
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}
