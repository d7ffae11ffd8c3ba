/*
 * fail_malloc.c - to be preloaded: the FAIL_AT-th allocation since main() began
 * fails, and no other.  What happens before main() is the loader's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* glibc's own, below the names that are replaced here */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *main, int argc, char **argv,
                           void (*init)(void), void (*fini)(void),
                           void (*loader)(void), void *stack);

static atomic_long left = -1; /* allocations until the failure */
static main_function *real_main;

static int fails(void)
{
    if (left <= 0 || atomic_fetch_sub(&left, 1) != 1)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}

static int armed_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("FAIL_AT");

    left = at ? atol(at) : 0;
    return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv,
                      void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack)
{
    start_function *start =
        (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");

    real_main = main;
    return start(armed_main, argc, argv, init, fini, loader, stack);
}
