/*
 * vocabulary_train.c - chooses the merges of byte-pair encoding.
 *
 * Merging (a, b) makes pairs with the new token only; every other count can
 * only fall. So each pair is in the heap once, with a count that is its own or
 * one from before: the pair on top is taken if its count still holds, and goes
 * back with its own if not.
 */
#include "corpus.h"
#include "token_pairs.h"
#include "vocabulary.h"

enum { FEWEST = 2 }; /* places of a pair worth a token */

struct entry {
    uint32_t count, pair;
};

struct heap {
    struct entry *at;
    size_t n, room;
};

/* Is x to be merged before y? Pairs are numbered by left, then by right. */
static bool before(struct entry x, struct entry y)
{
    return x.count != y.count ? x.count > y.count : x.pair < y.pair;
}

static bool push(struct heap *h, struct entry e)
{
    void *at = h->at;
    size_t i = h->n;

    if (!lct_reserve(&at, &h->room, h->n, 1, sizeof *h->at))
        return false;
    h->at = at;
    h->n++;
    for (; i > 0 && before(e, h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = e;
    return true;
}

static struct entry pop(struct heap *h)
{
    const struct entry top = h->at[0], last = h->at[--h->n];
    size_t i = 0;

    for (size_t child = 1; child < h->n; child = 2 * i + 1) {
        if (child + 1 < h->n && before(h->at[child + 1], h->at[child]))
            child++;
        if (!before(h->at[child], last))
            break;
        h->at[i] = h->at[child];
        i = child;
    }
    h->at[i] = last;
    return top;
}

static bool push_pair(struct heap *h, const struct lct_token_pairs *p,
                      size_t pair)
{
    return p->count[pair] < FEWEST ||
           push(h, (struct entry){ p->count[pair], (uint32_t)pair });
}

/* Push the pairs that have token 'id'; those of two older tokens are known. */
static bool push_pairs(struct heap *h, const struct lct_token_pairs *p, int id)
{
    const size_t last = (size_t)id;
    bool good = true;

    for (size_t i = 0; i <= last && good; i++)
        good = push_pair(h, p, last * p->side + i);
    for (size_t i = 0; i < last && good; i++)
        good = push_pair(h, p, i * p->side + last);
    return good;
}

/* Find the pair to merge next; false if none occurs often enough. No memory is
   needed, because what goes back was in the heap. */
static bool choose(uint32_t *pair, struct heap *h,
                   const struct lct_token_pairs *p)
{
    while (h->n > 0) {
        const struct entry e = pop(h);

        *pair = e.pair;
        if (e.count == p->count[e.pair])
            return true;
        (void)push_pair(h, p, e.pair);
    }
    return false;
}

static locant_status choose_merges(struct lct_vocabulary *v, struct heap *h,
                                   struct lct_token_pairs *p, int size)
{
    bool good = true;
    uint32_t pair;

    for (int id = 0; id < LCT_VOCAB && good; id++)
        good = push_pairs(h, p, id);
    while (good && v->size < size) {
        if (!choose(&pair, h, p))
            return locant_fail(
                LOCANT_ERR_PARAM,
                "locant_train: vocabulary is %d, but no two neighbours occur"
                " twice in the %zu bytes of training text after %d merges;"
                " expected at most %d",
                size, p->n, v->size - LCT_VOCAB, v->size);
        /* too long: see LCT_TOKEN_BYTES */
        if (!lct_vocabulary_add(v, (int)(pair / p->side),
                                (int)(pair % p->side)))
            continue;
        lct_token_pairs_merge(p, v->size - 1);
        good = push_pairs(h, p, v->size - 1);
    }
    return good ? LOCANT_OK
                : locant_fail(LOCANT_ERR_NOMEM,
                              "locant_train: no memory for a vocabulary of %d",
                              size);
}

locant_status lct_vocabulary_train(struct lct_vocabulary **out,
                                   const uint8_t *text, size_t n, int size)
{
    struct lct_vocabulary *v = lct_vocabulary_begin();
    struct lct_token_pairs p = { 0 };
    struct heap h = { 0 };
    locant_status status;

    *out = NULL;
    if (n > LCT_VOCABULARY_TEXT)
        n = LCT_VOCABULARY_TEXT;
    if (v == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_train: no memory for a vocabulary of %d",
                           size);
    status = lct_token_pairs_create(&p, v, text, n, size);
    if (status == LOCANT_OK)
        status = choose_merges(v, &h, &p, size);
    if (status == LOCANT_OK)
        status = lct_vocabulary_end(v);
    lct_token_pairs_free(&p);
    locant_release(h.at);
    if (status == LOCANT_OK)
        *out = v;
    else
        locant_release(v);
    return status;
}
