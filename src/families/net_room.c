/* net_room.c - memory that the steps of a run take and give back, as a stack */
#include "net_room.h"
#include "../core/size.h"
#include "net_math.h"

enum { UNIT = 64 }; /* what is taken begins at a multiple of it */

struct lct_net_chunk {
    struct lct_net_chunk *before;
    size_t begin, size; /* used bytes of those before; of this one */
};

_Static_assert(sizeof(struct lct_net_chunk) <= UNIT, "room of a header");

static bool add_chunk(struct lct_net_room *r, size_t bytes)
{
    const size_t later = r->most - r->used; /* as much as steps before took */
    const size_t size = bytes > later ? bytes : later;
    struct lct_net_chunk *c = locant_alloc(UNIT + size);

    if (c == NULL)
        return false;
    *c = (struct lct_net_chunk){ r->chunk, r->used, size };
    r->chunk = c;
    return true;
}

void *lct_net_take_items(struct lct_net_room *r, int64_t a, int64_t b,
                         size_t item)
{
    const struct lct_net_chunk *c = r->chunk;
    size_t bytes, from = r->used;

    r->failed =
        r->failed || !lct_array_bytes(&bytes, (int64_t[2]){ a, b }, 2, item);
    if (r->failed)
        return NULL;
    bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    if (c == NULL || bytes > c->size - (from - c->begin)) {
        r->failed = !add_chunk(r, bytes);
        if (r->failed)
            return NULL;
    }
    r->used += bytes;
    if (r->used > r->most)
        r->most = r->used;
    return (char *)r->chunk + UNIT + (from - r->chunk->begin);
}

void *lct_net_take(struct lct_net_room *r, int64_t a, int64_t b)
{
    return lct_net_take_items(r, a, b, r->n->math->item);
}

/* A chunk that begins at the mark stays if it has room for all from there on;
   else the next one has. */
void lct_net_give_back(struct lct_net_room *r, size_t mark)
{
    struct lct_net_chunk *c = r->chunk;

    r->used = mark;
    while (c != NULL && c->begin >= mark &&
           (c->begin > mark || c->size < r->most - mark)) {
        r->chunk = c->before;
        locant_release(c);
        c = r->chunk;
    }
}
