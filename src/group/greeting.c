/* greeting.c - see greeting.h */
#include "greeting.h"
#include "../core/quote.h"
#include "../files/sha256.h"
#include "build.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 80, TEXT_BYTES = 1024 };

/* Where the parts of a greeting begin. */
enum { SIZE = 8, RANK = 12, BUILD = 16, KEY = 48 };

static const char magic[9] = "LOCGRP01";

static void put(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *from, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void print(uint8_t out[BYTES], const struct lct_greeting *x,
                  const locant_group *g)
{
    memcpy(out, magic, SIZE);
    put(out + SIZE, (uint64_t)g->size, 4);
    put(out + RANK, (uint64_t)g->rank, 4);
    lct_sha256(out + BUILD, x->build, strlen(x->build));
    lct_sha256(out + KEY, x->key, strlen(x->key));
}

/* Everything but the rank is equal. */
static bool alike(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, RANK) == 0 &&
           memcmp(a + BUILD, b + BUILD, BYTES - BUILD) == 0;
}

/* Rank 0: collect the greetings, and answer with the pair that is judged. */
static locant_status answer(uint8_t pair[2][BYTES], const locant_group *g)
{
    static const uint8_t none[BYTES];
    uint8_t all[LCT_GROUP_RANKS][BYTES];
    locant_piece list[LCT_GROUP_RANKS];
    const size_t n = (size_t)g->size - 1;

    for (int r = 1; r < g->size; r++) {
        memcpy(all[r], none, BYTES);
        list[r - 1] = (locant_piece){ r, all[r], BYTES };
    }
    LCT_TRY(g->exchange(NULL, 0, list, n, g->context));
    memcpy(pair[1], pair[0], BYTES);
    for (int r = g->size - 1; r > 0; r--) {
        if (!alike(all[r], pair[0])) {
            memcpy(pair[1], all[r], BYTES);
            put(pair[1] + RANK, (uint64_t)r, 4);
        }
        list[r - 1] = (locant_piece){ r, pair, 2 * BYTES };
    }
    return g->exchange(list, n, NULL, 0, g->context);
}

static locant_status ask(uint8_t pair[2][BYTES], const locant_group *g)
{
    const locant_piece to = { 0, pair[0], BYTES };
    const locant_piece from = { 0, pair, 2 * BYTES };

    LCT_TRY(g->exchange(&to, 1, NULL, 0, g->context));
    return g->exchange(NULL, 0, &from, 1, g->context);
}

/* ------------------------------------------------------------- differences */

/* Give every rank the text of rank 0 and that of rank 'unlike'. */
static locant_status share_texts(char texts[2][TEXT_BYTES], const char *mine,
                                 int unlike, const locant_group *g)
{
    snprintf(texts[g->rank == unlike], TEXT_BYTES, "%s", mine);
    LCT_TRY(lct_group_broadcast(texts[0], TEXT_BYTES, g));
    LCT_TRY(lct_group_broadcast_from(texts[1], TEXT_BYTES, unlike, g));
    texts[0][TEXT_BYTES - 1] = texts[1][TEXT_BYTES - 1] = 0;
    return LOCANT_OK;
}

/* Find the first parts of a and b, each until one of 'ends', that differ. */
static void find_difference(const char **a, const char **b, const char *ends)
{
    for (;;) {
        const size_t n = strcspn(*a, ends), m = strcspn(*b, ends);

        if (n != m || memcmp(*a, *b, n) != 0 || n + m == 0)
            break;
        *a += n + ((*a)[n] != 0);
        *b += m + ((*b)[m] != 0);
    }
    *a += strspn(*a, " ");
    *b += strspn(*b, " ");
}

static locant_status refuse_texts(const char *fn, char texts[2][TEXT_BYTES],
                                  int unlike, const char *ends)
{
    const size_t n = strlen(LCT_GREETING_ERROR);
    const char *a = texts[0], *b = texts[1];
    char of_first[LCT_QUOTE_BYTES], of_other[LCT_QUOTE_BYTES];

    for (int i = 0; i < 2; i++)
        if (strncmp(texts[i], LCT_GREETING_ERROR, n) == 0)
            return locant_fail(LOCANT_ERR_PARAM, "rank %d: %.300s",
                               i == 0 ? 0 : unlike, texts[i] + n);
    find_difference(&a, &b, ends);
    lct_quote(of_first, a, strcspn(a, ends));
    lct_quote(of_other, b, strcspn(b, ends));
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: rank %d has '%s' where rank 0 has '%s':"
                       " all ranks need the same build, instruction set, text"
                       " and options",
                       fn, unlike, of_other, of_first);
}

static locant_status judge(uint8_t pair[2][BYTES],
                           const struct lct_greeting *mine,
                           const locant_group *g)
{
    const int unlike = (int)get(pair[1] + RANK, 4);
    const bool build = memcmp(pair[0] + BUILD, pair[1] + BUILD, KEY - BUILD);
    char texts[2][TEXT_BYTES] = { { 0 } };

    if (memcmp(pair[0], magic, SIZE) != 0 || memcmp(pair[1], magic, SIZE) != 0)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: rank %d does not greet as this locant does, by"
            " %s: all ranks need the same build",
            mine->fn, memcmp(pair[0], magic, SIZE) != 0 ? 0 : unlike, magic);
    if (memcmp(pair[0] + SIZE, pair[1] + SIZE, RANK - SIZE) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: rank %d is of a group of %u, rank 0 of one of"
                           " %u",
                           mine->fn, unlike, (unsigned)get(pair[1] + SIZE, 4),
                           (unsigned)get(pair[0] + SIZE, 4));
    if (alike(pair[0], pair[1]))
        return LOCANT_OK;
    LCT_TRY(share_texts(texts, build ? mine->build : mine->key, unlike, g));
    return refuse_texts(mine->fn, texts, unlike, build ? "," : ";");
}

locant_status lct_greeting_exchange(const struct lct_greeting *mine,
                                    const locant_group *g)
{
    uint8_t pair[2][BYTES];

    if (lct_group_size(g) == 1)
        return LOCANT_OK;
    print(pair[0], mine, g);
    LCT_TRY(g->rank == 0 ? answer(pair, g) : ask(pair, g));
    return judge(pair, mine, g);
}

locant_status lct_greeting_begin(const char *fn, const locant_group *g,
                                 const char *key, locant_status status)
{
    char build[512], text[TEXT_BYTES];
    struct lct_held own = { 0 };
    const struct lct_greeting mine = { fn, build, text };

    if (lct_group_size(g) == 1)
        return status;
    lct_group_hold(&own, status);
    snprintf(text, sizeof text, "%s%s",
             status == LOCANT_OK ? "" : LCT_GREETING_ERROR,
             status == LOCANT_OK ? key : own.message);
    lct_build_text(build);
    LCT_TRY(lct_greeting_exchange(&mine, g));
    return lct_group_held(&own);
}
