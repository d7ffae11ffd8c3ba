/* sequence_exchange.c - see sequence_exchange.h */
#include "sequence_exchange.h"
#include "../group/group.h"
#include "parts.h"

static int rank_of(const struct lct_model *m)
{
    return m->config.leaves.group ? m->config.leaves.group->rank : 0;
}

static int size_of(const struct lct_model *m)
{
    return m->config.leaves.group ? m->config.leaves.group->size : 1;
}

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

struct lct_sequence_range lct_sequence_exchange_range(const struct lct_model *m,
                                                      int64_t row, int rank)
{
    const struct lct_leaves *all = &m->config.leaves;
    const int64_t n = m->sequences.leaves, size = size_of(m);
    const int64_t begin = lct_group_share(all->all, rank, (int)size);
    const int64_t end = lct_group_share(all->all, rank + 1, (int)size);

    return (struct lct_sequence_range){ clamp(begin - row * n, n),
                                        clamp(end - row * n, n) };
}

static void add_piece(locant_piece *list, size_t *n, int peer, real *data,
                      size_t numbers)
{
    if (list != NULL)
        list[*n] = (locant_piece){ peer, data, numbers * sizeof(real) };
    (*n)++;
}

typedef void (*list_pieces)(struct lct_model *m, struct lct_sequence *s, int to,
                            int from);

/* Tokens of this rank's leaves go to 'to', those of 'from' come. */
static void list_tokens(struct lct_model *m, struct lct_sequence *s, int to,
                        int from)
{
    struct lct_sequences *q = &m->sequences;
    const struct lct_sequence_range target =
        lct_sequence_exchange_range(m, s->row, to);
    const struct lct_sequence_range source =
        lct_sequence_exchange_range(m, s->row, from);

    for (int p = 0; p < q->parts; p++) {
        const size_t n = lct_sequence_size(q, p);

        for (int64_t j = s->first; target.first < target.last && j < s->last;
             j++)
            add_piece(q->send, &q->sends, to,
                      s->tokens + lct_sequence_begin(q, p, j), n);
        for (int64_t j = source.first; j < source.last; j++)
            add_piece(q->receive, &q->receives, from,
                      s->tokens + lct_sequence_begin(q, p, j), n);
    }
}

/* Of each subtree of this rank the tokens of 'to' go there, and of those of
   'from' the tokens of this rank come. */
static void list_sums(struct lct_model *m, struct lct_sequence *s, int to,
                      int from)
{
    struct lct_sequences *q = &m->sequences;
    const struct lct_sequence_range target =
        lct_sequence_exchange_range(m, s->row, to);
    const struct lct_sequence_range source =
        lct_sequence_exchange_range(m, s->row, from);

    for (int k = 0; k < s->count; k++) {
        const struct lct_subtree *x = &s->subtrees[k];
        const bool own = lct_sequence_has(s, x);
        const bool comes = x->first >= source.first && x->first < source.last;

        for (int p = 0; p < q->parts; p++) {
            const size_t n = lct_sequence_size(q, p);

            for (int64_t j = target.first; own && j < target.last; j++)
                add_piece(q->send, &q->sends, to,
                          x->sum + lct_sequence_begin(q, p, j), n);
            for (int64_t i = 0; comes && i < s->last - s->first; i++)
                add_piece(q->receive, &q->receives, from,
                          x->sum + lct_sequence_begin_of(q, p, i), n);
        }
    }
}

/* List what goes to the rank i after this one and comes from the i-th before
   it. */
static void list_round(struct lct_model *m, int i, list_pieces list)
{
    const struct lct_sequences *q = &m->sequences;
    const int size = size_of(m), rank = rank_of(m);

    for (int64_t k = 0; k < q->count; k++)
        if (!lct_sequence_is_whole(q, &q->rows[k]))
            list(m, &q->rows[k], (rank + i) % size, (rank + size - i) % size);
}

static locant_status exchange_listed(struct lct_model *m)
{
    const locant_group *g = m->config.leaves.group;
    struct lct_sequences *q = &m->sequences;
    const size_t sends = q->sends, receives = q->receives;

    q->sends = q->receives = 0;
    return sends + receives == 0
               ? LOCANT_OK
               : g->exchange(q->send, sends, q->receive, receives, g->context);
}

/* All at once, or round by round if there are many ranks. */
static locant_status exchange(struct lct_model *m, list_pieces list)
{
    m->sequences.exchanges++;
    for (int i = 1; i < size_of(m); i++) {
        list_round(m, i, list);
        if (size_of(m) > LCT_GROUP_DIRECT)
            LCT_TRY(exchange_listed(m));
    }
    return exchange_listed(m);
}

locant_status lct_sequence_exchange_create(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;
    size_t sends, receives;

    for (int i = 1; i < size_of(m); i++)
        list_round(m, i, list_tokens);
    sends = q->sends;
    receives = q->receives;
    q->sends = q->receives = 0;
    for (int i = 1; m->train && i < size_of(m); i++)
        list_round(m, i, list_sums);
    sends = sends > q->sends ? sends : q->sends;
    receives = receives > q->receives ? receives : q->receives;
    q->sends = q->receives = 0;
    q->send = locant_alloc((sends + 1) * sizeof(*q->send));
    q->receive = locant_alloc((receives + 1) * sizeof(*q->receive));
    return q->send && q->receive
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM,
                             "lct_model_create: no memory for %zu pieces of"
                             " rows in several leaves",
                             sends + receives);
}

/* In a pass each layer gathers tokens; going back it does so again, and then
   exchanges sums. */
locant_status lct_model_end_exchanges(struct lct_model *m)
{
    const int64_t layers = m->config.layers;
    struct lct_sequences *q = &m->sequences;

    while (q->leaves > 1 && q->exchanges < (m->train ? 3 : 1) * layers) {
        const bool sums =
            q->exchanges >= layers && (q->exchanges - layers) % 2 == 1;

        LCT_TRY(exchange(m, sums ? list_sums : list_tokens));
    }
    q->exchanges = 0;
    return LOCANT_OK;
}

locant_status lct_sequence_exchange_tokens(struct lct_model *m, int64_t layer)
{
    const struct lct_sequences *q = &m->sequences;

    for (int64_t i = 0; i < q->count; i++)
        if (!lct_sequence_is_whole(q, &q->rows[i]))
            lct_sequence_copy(m, layer, &q->rows[i]);
    return exchange(m, list_tokens);
}

locant_status lct_sequence_exchange_sums(struct lct_model *m)
{
    const struct lct_sequences *q = &m->sequences;

    LCT_TRY(exchange(m, list_sums));
    for (int64_t i = 0; i < q->count; i++)
        if (!lct_sequence_is_whole(q, &q->rows[i]))
            lct_sequence_use_sums(m, &q->rows[i]);
    return LOCANT_OK;
}
