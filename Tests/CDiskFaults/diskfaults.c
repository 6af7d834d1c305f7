// A disk with faults for one program: preloaded, it stands before the C library's functions for files that lie below some
// directories, and does with them what a file of 16 bytes says, which another process writes at any time.
//   INKSTONE_DISK_FAULTS        the path of that file: four 32-bit words, see struct control
//   INKSTONE_DISK_FAULTS_UNDER  the directories, with a colon between
// Built by scripts/test with clang -shared; it is no target of the package.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum {
    FULL = 1,         // No room: a write gives ENOSPC, and so does what would make a file.
    FAIL_WRITE = 2,   // EIO
    FAIL_SYNC = 4,    // EIO
    FAIL_READ = 8,    // EIO
    SLOW = 16,        // Each of them takes its time.
    FAIL_RENAME = 32, // EIO
    PARTLY = 64,      // A write takes half of what it is given.
    HANG = 128,       // Each of them, and each question about a name, waits for as long as this is set.
};

struct control {
    uint32_t faults;      // Which of the above may happen.
    uint32_t thousandths; // How likely each is at a call.
    uint32_t microseconds;
    uint32_t count; // How often one has happened; written here.
};

static struct control *control;
static const char *under;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static ssize_t (*next_write)(int, const void *, size_t);
static ssize_t (*next_writev)(int, const struct iovec *, int);
static ssize_t (*next_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*next_read)(int, void *, size_t);
static ssize_t (*next_pread)(int, void *, size_t, off_t);
static int (*next_fsync)(int);
static int (*next_fdatasync)(int);
static int (*next_ftruncate)(int, off_t);
static int (*next_rename)(const char *, const char *);
static int (*next_open)(const char *, int, ...);
static int (*next_openat)(int, const char *, int, ...);
static int (*next_stat)(const char *, struct stat *);
static int (*next_lstat)(const char *, struct stat *);
static int (*next_access)(const char *, int);
static int (*next_unlink)(const char *);
static int (*next_mkdir)(const char *, mode_t);
static ssize_t (*next_readlink)(const char *, char *, size_t);
static char *(*next_realpath)(const char *, char *);
static DIR *(*next_opendir)(const char *);

static void find(void) {
    *(void **)&next_write = dlsym(RTLD_NEXT, "write");
    *(void **)&next_writev = dlsym(RTLD_NEXT, "writev");
    *(void **)&next_pwrite = dlsym(RTLD_NEXT, "pwrite");
    *(void **)&next_read = dlsym(RTLD_NEXT, "read");
    *(void **)&next_pread = dlsym(RTLD_NEXT, "pread");
    *(void **)&next_fsync = dlsym(RTLD_NEXT, "fsync");
    *(void **)&next_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    *(void **)&next_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    *(void **)&next_rename = dlsym(RTLD_NEXT, "rename");
    *(void **)&next_open = dlsym(RTLD_NEXT, "open");
    *(void **)&next_openat = dlsym(RTLD_NEXT, "openat");
    *(void **)&next_stat = dlsym(RTLD_NEXT, "stat");
    *(void **)&next_lstat = dlsym(RTLD_NEXT, "lstat");
    *(void **)&next_access = dlsym(RTLD_NEXT, "access");
    *(void **)&next_unlink = dlsym(RTLD_NEXT, "unlink");
    *(void **)&next_mkdir = dlsym(RTLD_NEXT, "mkdir");
    *(void **)&next_readlink = dlsym(RTLD_NEXT, "readlink");
    *(void **)&next_realpath = dlsym(RTLD_NEXT, "realpath");
    *(void **)&next_opendir = dlsym(RTLD_NEXT, "opendir");
    under = getenv("INKSTONE_DISK_FAULTS_UNDER");
    const char *path = getenv("INKSTONE_DISK_FAULTS");
    int fd = path && under ? next_open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory != MAP_FAILED) control = memory;
}

static bool concerns_path(const char *path) {
    if (!under || !path) return false;
    for (const char *start = under; *start;) {
        size_t length = strcspn(start, ":");
        if (length && strncmp(path, start, length) == 0) return true;
        start += length + (start[length] == ':');
    }
    return false;
}

static bool concerns(int fd) {
    if (!control || !__atomic_load_n(&control->faults, __ATOMIC_RELAXED)) return false;
    char name[32], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = next_readlink(name, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return concerns_path(path);
}

// Waits for a disk that hangs.
static void hang(void) {
    while (__atomic_load_n(&control->faults, __ATOMIC_RELAXED) & HANG) {
        struct timespec pause = {0, 5000000};
        thrd_sleep(&pause, NULL);
    }
}

// Whether one of these faults happens at this call.
static bool happens(uint32_t faults) {
    hang();
    uint32_t now = __atomic_load_n(&control->faults, __ATOMIC_RELAXED);
    if (now & SLOW) {
        struct timespec pause = {control->microseconds / 1000000, control->microseconds % 1000000 * 1000L};
        thrd_sleep(&pause, NULL); // What the disk takes; nobody here waits for anything.
    }
    static __thread uint32_t random;
    if (!random) random = (uint32_t)gettid() | 1;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    if (!(now & faults) || random % 1000 >= control->thousandths) return false;
    __atomic_add_fetch(&control->count, 1, __ATOMIC_RELAXED);
    return true;
}

static int fault_of_writing(void) {
    if (happens(FULL)) return ENOSPC;
    return (control->faults & FAIL_WRITE) && happens(FAIL_WRITE) ? EIO : 0;
}

#define FIND pthread_once(&once, find)
#define FAIL(code) \
    do { \
        errno = (code); \
        return -1; \
    } while (0)

// Before each question about a name.
static void ask(const char *path) {
    FIND;
    if (control && control->faults && concerns_path(path)) hang();
}

ssize_t write(int fd, const void *bytes, size_t count) {
    FIND;
    if (!concerns(fd)) return next_write(fd, bytes, count);
    int fault = fault_of_writing();
    if (fault) FAIL(fault);
    if (count > 1 && (control->faults & PARTLY)) count /= 2;
    return next_write(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    FIND;
    int fault = concerns(fd) ? fault_of_writing() : 0;
    if (fault) FAIL(fault);
    return next_writev(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    FIND;
    if (!concerns(fd)) return next_pwrite(fd, bytes, count, offset);
    int fault = fault_of_writing();
    if (fault) FAIL(fault);
    if (count > 1 && (control->faults & PARTLY)) count /= 2;
    return next_pwrite(fd, bytes, count, offset);
}

ssize_t read(int fd, void *bytes, size_t count) {
    FIND;
    if (concerns(fd) && happens(FAIL_READ)) FAIL(EIO);
    return next_read(fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
    FIND;
    if (concerns(fd) && happens(FAIL_READ)) FAIL(EIO);
    return next_pread(fd, bytes, count, offset);
}

int fsync(int fd) {
    FIND;
    if (concerns(fd) && happens(FAIL_SYNC)) FAIL(EIO);
    return next_fsync(fd);
}

int fdatasync(int fd) {
    FIND;
    if (concerns(fd) && happens(FAIL_SYNC)) FAIL(EIO);
    return next_fdatasync(fd);
}

int ftruncate(int fd, off_t size) {
    FIND;
    if (concerns(fd) && happens(FAIL_WRITE)) FAIL(EIO);
    return next_ftruncate(fd, size);
}

int rename(const char *from, const char *to) {
    FIND;
    if (control && control->faults && concerns_path(to) && happens(FAIL_RENAME | FULL))
        FAIL(control->faults & FULL ? ENOSPC : EIO);
    return next_rename(from, to);
}

int open(const char *path, int flags, ...) {
    FIND;
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    ask(path);
    if ((flags & O_CREAT) && control && control->faults && concerns_path(path) && next_access(path, F_OK) != 0 && happens(FULL))
        FAIL(ENOSPC);
    return next_open(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    FIND;
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & O_CREAT) && control && control->faults && concerns_path(path) && happens(FULL)) FAIL(ENOSPC);
    return next_openat(directory, path, flags, mode);
}

int stat(const char *path, struct stat *status) {
    ask(path);
    return next_stat(path, status);
}

int lstat(const char *path, struct stat *status) {
    ask(path);
    return next_lstat(path, status);
}

int access(const char *path, int mode) {
    ask(path);
    return next_access(path, mode);
}

int unlink(const char *path) {
    ask(path);
    return next_unlink(path);
}

int mkdir(const char *path, mode_t mode) {
    ask(path);
    return next_mkdir(path, mode);
}

ssize_t readlink(const char *path, char *link, size_t size) {
    ask(path);
    return next_readlink(path, link, size);
}

char *realpath(const char *path, char *resolved) {
    ask(path);
    return next_realpath(path, resolved);
}

DIR *opendir(const char *path) {
    ask(path);
    return next_opendir(path);
}
