/*
 * ngram.c - interpolated byte n-gram, the reference a model has to beat.
 *
 * Witten and Bell 1991, method C, as interpolated by Moffat 1990:
 *
 *   p_k(c | h) = (count(h c) + t(h) p_k-1(c | h')) / (count(h) + t(h))
 *
 * with t(h) the number of distinct bytes seen after h, h' = h without its
 * oldest byte, and p_-1 = 1/256. If h was never seen, p_k = p_k-1. The
 * probabilities of the 256 bytes sum to one for every context.
 */
#include "ngram.h"
#include "tokens.h"
#include "../core/size.h"
#include <inttypes.h>
#include <math.h>

/*
 * Counts a context and the distinct bytes after it (types), or a context with
 * the byte after it. Keys are exact, not hashes: 48 bits of context, 8 of byte.
 */
struct counter {
    uint64_t key; /* 0: free */
    uint32_t count, types;
};

struct lct_ngram {
    struct counter *at; /* open addressing; a power of two, at most 5/8 full */
    size_t room, used;
    int order;
};

enum { PAIR = 8 };

/* 'kind' is the order, 0 .. 6, of a context; PAIR is added for a context with
   the byte after it. A key is never 0. */
static uint64_t key_of(int kind, uint64_t context, uint8_t next)
{
    return (uint64_t)(kind + 1) << 56 | context << 8 | next;
}

static struct counter *find(const struct lct_ngram *m, uint64_t key)
{
    /* Fibonacci hashing, Knuth TAOCP 3, 6.4: 2^64 / golden ratio. */
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(hash ^ hash >> 32) & (m->room - 1);

    while (m->at[i].key != 0 && m->at[i].key != key)
        i = (i + 1) & (m->room - 1);
    return &m->at[i];
}

/* Make room for the two counters of one more context. Call it before looking
   them up: growing moves counters. */
static locant_status reserve(struct lct_ngram *m)
{
    struct lct_ngram grown = *m;
    size_t bytes;

    if ((m->used + 2) / 5 * 8 < m->room)
        return LOCANT_OK;
    if (!lct_mul(&grown.room, m->room, 2) ||
        !lct_mul(&bytes, grown.room, sizeof *m->at) ||
        (grown.at = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "lct_ngram_create: no memory for "
                           "%zu counters",
                           m->room);
    for (size_t i = 0; i < m->room; i++)
        if (m->at[i].key != 0)
            *find(&grown, m->at[i].key) = m->at[i];
    locant_release(m->at);
    *m = grown;
    return LOCANT_OK;
}

static locant_status count(struct lct_ngram *m, int k, uint64_t context,
                           uint8_t next)
{
    struct counter *pair, *all;

    LCT_TRY(reserve(m));
    pair = find(m, key_of(PAIR + k, context, next));
    m->used += pair->key == 0;
    pair->key = key_of(PAIR + k, context, next);
    pair->count++;
    all = find(m, key_of(k, context, 0));
    m->used += all->key == 0;
    all->key = key_of(k, context, 0);
    all->count++;
    all->types += pair->count == 1;
    return LOCANT_OK;
}

static locant_status count_text(struct lct_ngram *m, const uint8_t *text,
                                size_t size)
{
    uint64_t past = 0;

    for (size_t i = 0; i < size; i++) {
        for (int k = 0; k <= m->order && (size_t)k <= i; k++)
            LCT_TRY(count(m, k, past & (((uint64_t)1 << 8 * k) - 1), text[i]));
        past = past << 8 | text[i];
    }
    return LOCANT_OK;
}

locant_status lct_ngram_add(struct lct_ngram *m, const uint8_t *end, size_t n,
                            uint8_t next)
{
    uint64_t context = 0;

    for (int k = 0; k <= m->order && (size_t)k <= n; k++) {
        if (k > 0)
            context |= (uint64_t)end[-k] << 8 * (k - 1);
        LCT_TRY(count(m, k, context, next));
    }
    return LOCANT_OK;
}

int lct_ngram_depth(const struct lct_ngram *m, const uint8_t *end, size_t n)
{
    uint64_t context = 0;
    int k = 0;

    for (; k < m->order && (size_t)k < n; k++) {
        context |= (uint64_t)end[-k - 1] << 8 * k;
        if (find(m, key_of(k + 1, context, 0))->key == 0)
            break;
    }
    return k;
}

locant_status lct_ngram_create(struct lct_ngram **out, int order,
                               const uint8_t *text, size_t size)
{
    locant_status status;
    struct lct_ngram *m;

    *out = NULL;
    if (order < 0 || order > LCT_NGRAM_MAX_ORDER)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_ngram_create: order is %d, "
                           "expected 0 to %d",
                           order, LCT_NGRAM_MAX_ORDER);
    if (size > UINT32_MAX)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_ngram_create: %zu bytes to "
                           "count, at most %" PRIu32,
                           size, UINT32_MAX);
    m = locant_alloc(sizeof *m);
    if (m == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "lct_ngram_create: no memory for "
                                             "the handle");
    m->order = order;
    m->room = 1 << 12;
    m->at = locant_alloc(m->room * sizeof *m->at);
    status = m->at != NULL ? count_text(m, text, size)
                           : locant_fail(LOCANT_ERR_NOMEM,
                                         "lct_ngram_create: no memory "
                                         "for %zu counters",
                                         m->room);
    if (status != LOCANT_OK) {
        lct_ngram_free(m);
        return status;
    }
    *out = m;
    return LOCANT_OK;
}

void lct_ngram_free(struct lct_ngram *m)
{
    if (m == NULL)
        return;
    locant_release(m->at);
    locant_release(m);
}

double lct_ngram_probability(const struct lct_ngram *m, const uint8_t *end,
                             size_t n, uint8_t next)
{
    double p = 1.0 / 256;
    uint64_t context = 0;

    for (int k = 0; k <= m->order && (size_t)k <= n; k++) {
        const struct counter *all, *pair;

        if (k > 0)
            context |= (uint64_t)end[-k] << 8 * (k - 1);
        all = find(m, key_of(k, context, 0));
        if (all->key == 0)
            break; /* longer contexts are unseen too */
        pair = find(m, key_of(PAIR + k, context, next));
        p = (pair->count + all->types * p) / ((double)all->count + all->types);
    }
    return p;
}

/* Add the losses of the bytes of part s from 'first' to before 'end'. */
static void add_losses(double *sum, const struct lct_ngram *m,
                       const struct lct_split *s, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        *sum -= log(lct_ngram_probability(m, s->bytes + i, i, s->bytes[i]));
}

locant_status lct_ngram_loss(double *out, const struct lct_split *parts,
                             int order, size_t train_bytes, const size_t *ends,
                             size_t blocks, int64_t targets)
{
    const struct lct_split *train = lct_tokens_in_bytes(&parts[LCT_TRAIN]);
    const struct lct_split *test = &parts[LCT_TEST];
    size_t size = train_bytes < train->size ? train_bytes : train->size;
    size_t scored = 0;
    struct lct_ngram *m;
    double sum = 0;

    if (blocks == 0 || targets < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_ngram_loss: %zu blocks of %" PRId64
                           " targets, expected at least one of each",
                           blocks, targets);
    for (size_t b = 0; b < blocks; b++)
        if (ends[b] > test->size || ends[b] < (size_t)targets)
            return locant_fail(LOCANT_ERR_PARAM,
                               "lct_ngram_loss: block %zu "
                               "ends at %zu, expected %" PRId64 " to %zu",
                               b, ends[b], targets, test->size);
    LCT_TRY(lct_ngram_create(&m, order, train->bytes, size));
    for (size_t b = 0; b < blocks; b++) {
        const size_t end = lct_tokens_offset(test, ends[b]);
        const size_t first = lct_tokens_offset(test, ends[b] - (size_t)targets);

        add_losses(&sum, m, lct_tokens_in_bytes(test), first, end);
        scored += end - first;
    }
    lct_ngram_free(m);
    *out = sum / (double)scored;
    return LOCANT_OK;
}
