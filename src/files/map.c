/* map.c - see map.h */
#define _GNU_SOURCE
#include "map.h"
#include "io.h"
#include "source.h"
#include <errno.h>
#include <sys/mman.h>

locant_status lct_map_open(struct lct_map *out, const char *path)
{
    locant_status status = LOCANT_OK;
    struct lct_source s;
    void *memory;

    *out = (struct lct_map){ 0 };
    LCT_TRY(lct_source_open(&s, path));
    if (s.size > 0) {
        memory = mmap(NULL, s.size, PROT_READ, MAP_PRIVATE, s.fd, 0);
        if (memory == MAP_FAILED)
            status = lct_io_error(path, "cannot be mapped", errno);
        else
            *out = (struct lct_map){ memory, s.size };
    }
    lct_source_close(&s);
    return status;
}

void lct_map_close(struct lct_map *m)
{
    if (m->bytes != NULL)
        munmap((void *)(uintptr_t)m->bytes, m->size);
    *m = (struct lct_map){ 0 };
}
