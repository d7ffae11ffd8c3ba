/*
 * shared.c - load shared libraries when something needs them.
 *
 * If the program were linked to GLib or OpenBLAS, their constructors would
 * allocate before main(), and abort or hang without memory.
 */
#include "shared.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Fail with the loader's message, as "libx.so: cannot open shared object". */
static locant_status refuse(const struct lct_shared *l, const char *fn)
{
    const char *why = dlerror();

    why = why ? why : "cannot be loaded";
    return locant_fail(strstr(why, strerror(ENOMEM)) ? LOCANT_ERR_NOMEM
                                                     : LOCANT_ERR_IO,
                       "%s: %s: %s", fn, l->need, why);
}

static locant_status load(struct lct_shared *l, const char *fn)
{
    void *library = NULL;

    for (size_t i = 0; !library && l->files[i]; i++)
        library = dlopen(l->files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return refuse(l, fn);
    for (size_t i = 0; i < l->n_symbols; i++) {
        void *found = dlsym(library, l->symbols[i].name);
        if (!found) {
            locant_status status = refuse(l, fn);
            dlclose(library);
            return status;
        }
        memcpy((char *)l->table + l->symbols[i].at, &found, sizeof found);
    }
    l->loaded = 1;
    return LOCANT_OK;
}

locant_status lct_shared_load(struct lct_shared *library, const char *fn)
{
    locant_status status = LOCANT_OK;

    pthread_mutex_lock(&lock);
    if (!library->loaded)
        status = load(library, fn);
    pthread_mutex_unlock(&lock);
    return status;
}
