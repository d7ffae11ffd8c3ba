/* net_room.c - memory that the steps of a run take and give back, as a stack */
#include "net_room.h"
#include "../core/size.h"
#include "net_math.h"

enum { UNIT = 64 }; /* what is taken begins at a multiple of it */

/* Chunks after r->chunk are spare: steps before took them. */
struct lct_net_chunk {
    struct lct_net_chunk *before, *next;
    size_t begin, size; /* used bytes of those before; of this one */
};

_Static_assert(sizeof(struct lct_net_chunk) <= UNIT, "room of a header");

/* The next chunk, of 'bytes' or more. */
static bool next_chunk(struct lct_net_room *r, size_t bytes)
{
    struct lct_net_chunk *c = r->chunk != NULL ? r->chunk->next : NULL;

    if (c == NULL || c->size < bytes) {
        /* scratch that has grown grows with the length: with a margin */
        const size_t size = c != NULL ? bytes / 4 * 5 : bytes;

        for (struct lct_net_chunk *after; c != NULL; c = after) {
            after = c->next;
            locant_release(c);
        }
        c = locant_alloc(UNIT + size);
        if (r->chunk != NULL)
            r->chunk->next = c;
        if (c == NULL)
            return false;
        *c = (struct lct_net_chunk){ .before = r->chunk, .size = size };
    }
    c->begin = r->used;
    r->chunk = c;
    return true;
}

void *lct_net_take_items(struct lct_net_room *r, int64_t a, int64_t b,
                         size_t item)
{
    size_t bytes, from = r->used;

    r->failed =
        r->failed || !lct_array_bytes(&bytes, (int64_t[2]){ a, b }, 2, item);
    if (r->failed)
        return NULL;
    bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    if (r->chunk == NULL || bytes > r->chunk->size - (from - r->chunk->begin)) {
        r->failed = !next_chunk(r, bytes);
        if (r->failed)
            return NULL;
    }
    r->used += bytes;
    return (char *)r->chunk + UNIT + (from - r->chunk->begin);
}

void *lct_net_take(struct lct_net_room *r, int64_t a, int64_t b)
{
    return lct_net_take_items(r, a, b, r->n->math->item);
}

void lct_net_give_back(struct lct_net_room *r, size_t mark)
{
    while (r->chunk->before != NULL && r->chunk->begin >= mark)
        r->chunk = r->chunk->before;
    r->used = mark;
}

void lct_net_room_end(struct lct_net_room *r)
{
    struct lct_net_chunk *c = r->chunk;

    while (c != NULL && c->next != NULL)
        c = c->next;
    for (struct lct_net_chunk *before; c != NULL; c = before) {
        before = c->before;
        locant_release(c);
    }
    r->chunk = NULL;
}
