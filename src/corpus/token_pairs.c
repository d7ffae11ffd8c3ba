/*
 * token_pairs.c - a text as tokens, and where each pair of them stands.
 *
 * A token is named by the place of its first byte. Its id is also at its last
 * byte, so the token before place i is the one of id[i - 1], and no list of
 * tokens is needed. Places of one pair are linked in both directions, so that a
 * place leaves its list without a search.
 */
#include "token_pairs.h"
#include "../core/size.h"
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

static size_t end_of(const struct lct_token_pairs *p, size_t at)
{
    return at + p->v->bytes[p->id[at]];
}

/* The index of the pair of the token at 'at' and its neighbour; false if it
   has none, or if one of them is byte 0. */
static bool pair_at(size_t *pair, const struct lct_token_pairs *p, size_t at)
{
    const size_t end = end_of(p, at);

    if (end >= p->n || p->id[at] == 0 || p->id[end] == 0)
        return false;
    *pair = p->id[at] * p->side + p->id[end];
    return true;
}

static void link_place(struct lct_token_pairs *p, size_t at)
{
    size_t pair;

    if (!pair_at(&pair, p, at))
        return;
    p->prev[at] = NONE;
    p->next[at] = p->first[pair];
    if (p->next[at] != NONE)
        p->prev[p->next[at]] = (uint32_t)at;
    p->first[pair] = (uint32_t)at;
    p->count[pair]++;
}

static void unlink_place(struct lct_token_pairs *p, size_t at)
{
    size_t pair;

    if (!pair_at(&pair, p, at))
        return;
    if (p->prev[at] != NONE)
        p->next[p->prev[at]] = p->next[at];
    else
        p->first[pair] = p->next[at];
    if (p->next[at] != NONE)
        p->prev[p->next[at]] = p->prev[at];
    p->count[pair]--;
}

/* Merge the token at 'at' and its neighbour. */
static void merge_place(struct lct_token_pairs *p, size_t at, int id)
{
    const size_t second = end_of(p, at), end = end_of(p, second);
    const size_t before = at > 0 ? at - p->v->bytes[p->id[at - 1]] : at;

    if (at > 0)
        unlink_place(p, before);
    unlink_place(p, at);
    unlink_place(p, second);
    p->id[at] = p->id[end - 1] = (uint16_t)id;
    if (at > 0)
        link_place(p, before);
    link_place(p, at);
}

/* Go back to where a run of the token at 'at' begins. */
static size_t begin_of_run(const struct lct_token_pairs *p, size_t at)
{
    while (at > 0 && p->id[at - 1] == p->id[at])
        at -= p->v->bytes[p->id[at]];
    return at;
}

void lct_token_pairs_merge(struct lct_token_pairs *p, int id)
{
    const int a = p->v->pair[id][0], b = p->v->pair[id][1];
    const size_t pair = (size_t)a * p->side + (size_t)b;
    size_t other;

    /* Only the places of a pair of equal tokens overlap; the order of others
       does not matter. A run is merged whole, so it is walked back once. */
    while (p->first[pair] != NONE) {
        size_t at = p->first[pair];

        if (a == b)
            at = begin_of_run(p, at);
        for (; at < p->n && pair_at(&other, p, at) && other == pair;
             at = end_of(p, at))
            merge_place(p, at, id);
    }
}

size_t lct_token_pairs_write(uint16_t *ids, const struct lct_token_pairs *p)
{
    size_t n = 0;

    for (size_t at = 0; at < p->n; at = end_of(p, at))
        ids[n++] = p->id[at];
    return n;
}

locant_status lct_token_pairs_create(struct lct_token_pairs *p,
                                     const struct lct_vocabulary *v,
                                     const uint8_t *text, size_t n, int side)
{
    const size_t all = (size_t)side * (size_t)side;

    *p = (struct lct_token_pairs){ .v = v, .n = n, .side = (size_t)side };
    p->id = locant_alloc(n * sizeof *p->id);
    p->next = locant_alloc(2 * n * sizeof *p->next);
    p->first = locant_alloc(2 * all * sizeof *p->first);
    if (!p->id || !p->next || !p->first)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "lct_vocabulary: no memory for %zu tokens", n);
    p->prev = p->next + n;
    p->count = p->first + all;
    memset(p->first, 0xff, all * sizeof *p->first);
    for (size_t i = 0; i < n; i++)
        p->id[i] = text[i];
    /* backwards, so that lists are in the order of the text */
    for (size_t i = n; i-- > 0;)
        link_place(p, i);
    return LOCANT_OK;
}

void lct_token_pairs_free(struct lct_token_pairs *p)
{
    locant_release(p->id);
    locant_release(p->next);
    locant_release(p->first);
}
