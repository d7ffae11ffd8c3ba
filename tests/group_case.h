/* group_case.h - what a rank of any group does, and whether it went well */
#ifndef GROUP_CASE_H
#define GROUP_CASE_H
#include "group/greeting.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A byte that tells rank and place. */
static inline unsigned char byte_of(int rank, size_t at)
{
    return (unsigned char)(31 * (unsigned)rank + 7 * (unsigned)at + 1);
}

/* Parts of unlike sizes, some of them empty. */
static inline size_t part_bytes(int rank)
{
    return rank % 3 == 2 ? 0 : 5 + 40 * (size_t)rank;
}

static inline locant_status gather(const locant_group *g, void *context)
{
    size_t begin[LCT_GROUP_RANKS + 1] = { 0 };
    unsigned char *data;
    locant_status status;

    (void)context;
    for (int r = 0; r < g->size; r++)
        begin[r + 1] = begin[r] + part_bytes(r);
    data = calloc(begin[g->size] + 1, 1);
    for (size_t i = begin[g->rank]; i < begin[g->rank + 1]; i++)
        data[i] = byte_of(g->rank, i);
    status = lct_group_gather(data, begin, g);
    for (int r = 0; r < g->size && status == LOCANT_OK; r++)
        for (size_t i = begin[r]; i < begin[r + 1]; i++)
            if (data[i] != byte_of(r, i))
                status = locant_fail(LOCANT_ERR_FORMAT, "byte %zu", i);
    free(data);
    return status;
}

static inline locant_status broadcast(const locant_group *g, void *context)
{
    unsigned char data[300];
    const size_t bytes = *(size_t *)context;

    memset(data, 0, sizeof data);
    for (size_t i = 0; i < bytes && g->rank == 0; i++)
        data[i] = byte_of(9, i);
    LCT_TRY(lct_group_broadcast(data, bytes, g));
    for (size_t i = 0; i < sizeof data; i++)
        if (data[i] != (i < bytes ? byte_of(9, i) : 0))
            return locant_fail(LOCANT_ERR_FORMAT, "byte %zu", i);
    return LOCANT_OK;
}

/* Rank 'unlike' (-1: none) greets with this build and this key. */
struct greetings {
    int unlike;
    const char *build, *key;
};

static inline locant_status greet(const locant_group *g, void *context)
{
    const struct greetings *x = context;
    const bool unlike = g->rank == x->unlike;
    const struct lct_greeting mine = {
        "locant_train", unlike ? x->build : "locant 0.1.0, avx2, gcc 12.2.0",
        unlike ? x->key : "1;rope;corpus=ab;seed=1"
    };

    LCT_TRY(lct_greeting_exchange(&mine, g));
    return gather(g, NULL);
}
#endif
