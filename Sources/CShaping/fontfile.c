#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static font_file *files;

// Returns a name for an open descriptor; NULL if /proc is missing. Xft identifies files by their names, but the
// numbers of descriptors are reused. So successive names differ in their number of slashes, which repeats after 512
// names.
static char *name_of(int descriptor) {
    static const char directory[] = "/proc/self/fd";
    static unsigned serial;
    char name[600];
    size_t slashes = 1 + serial++ % 512;
    memcpy(name, directory, sizeof directory - 1);
    memset(name + sizeof directory - 1, '/', slashes);
    snprintf(name + sizeof directory - 1 + slashes, 16, "%d", descriptor);
    return access(name, R_OK) == 0 ? strdup(name) : NULL;
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

font_file *font_file_open(const char *path) {
    // Do not wait if the path leads to something other than a file, such as a pipe.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return NULL;
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    font_file *file = files;
    while (file && !is_same(&file->status, &status)) file = file->next;
    if (file) {
        file->users++;
        close(descriptor);
    } else if ((file = calloc(1, sizeof *file))) {
        file->status = status;
        file->descriptor = descriptor;
        file->users = 1;
        // Name the file by its descriptor in /proc, which leads to the open file; if /proc is missing, by its path.
        file->name = name_of(descriptor);
        if (!file->name) file->name = strdup(path);
        file->next = files;
        files = file;
        if (!file->name) {
            files = file->next;
            free(file);
            file = NULL;
        }
    }
    if (!file) close(descriptor);
    pthread_mutex_unlock(&lock);
    return file;
}

void font_file_release(font_file *file) {
    if (!file) return;
    pthread_mutex_lock(&lock);
    if (--file->users == 0) {
        font_file **at = &files;
        while (*at != file) at = &(*at)->next;
        *at = file->next;
        close(file->descriptor);
        free(file->name);
        free(file);
    }
    pthread_mutex_unlock(&lock);
}
