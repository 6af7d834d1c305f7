#define _GNU_SOURCE
#include <pthread.h>

#include "include/cx11_connection.h"

static pthread_mutex_t xft_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void cx11_xft_lock(void) { pthread_mutex_lock(&xft_lock); }

void cx11_xft_unlock(void) { pthread_mutex_unlock(&xft_lock); }
