/* sequence_exchange.c - see sequence_exchange.h */
#include "sequence_exchange.h"
#include "parts.h"

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

struct lct_sequence_range lct_sequence_exchange_range(const struct lct_model *m,
                                                      int64_t row, int rank)
{
    const struct lct_leaves *all = &m->config.leaves;
    const int64_t n = m->sequences.leaves;
    const int size = lct_group_size(all->group);
    const int64_t begin = lct_group_share(all->all, rank, size);
    const int64_t end = lct_group_share(all->all, rank + 1, size);

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

typedef void (*list_pieces)(struct lct_group_list *pieces,
                            const struct lct_model *m,
                            const struct lct_sequence *s, int to, int from);

/* Tokens of this rank's leaves go to 'to', those of 'from' come. */
static void list_tokens(struct lct_group_list *pieces,
                        const struct lct_model *m, const struct lct_sequence *s,
                        int to, int from)
{
    const struct lct_sequences *q = &m->sequences;
    const struct lct_sequence_range target =
        lct_sequence_exchange_range(m, s->row, to);
    const struct lct_sequence_range source =
        lct_sequence_exchange_range(m, s->row, from);

    for (int p = 0; p < q->parts; p++) {
        const size_t n = lct_sequence_size(q, p);

        for (int64_t j = s->first; target.first < target.last && j < s->last;
             j++)
            if (lct_sequence_in_block(q, j))
                add_piece(pieces->send, &pieces->sends, to,
                          s->tokens + lct_sequence_begin(q, p, j), n);
        for (int64_t j = source.first; j < source.last; j++)
            if (lct_sequence_in_block(q, j))
                add_piece(pieces->receive, &pieces->receives, from,
                          s->tokens + lct_sequence_begin(q, p, j), n);
    }
}

/* Of each subtree of this rank the tokens of 'to' go there, and of those of
   'from' the tokens of this rank come. */
static void list_sums(struct lct_group_list *pieces, const struct lct_model *m,
                      const struct lct_sequence *s, int to, int from)
{
    const struct lct_sequences *q = &m->sequences;
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
                if (lct_sequence_in_block(q, j))
                    add_piece(pieces->send, &pieces->sends, to,
                              x->sum + lct_sequence_begin(q, p, j), n);
            for (int64_t i = 0; comes && i < s->last - s->first; i++)
                if (lct_sequence_in_block(q, s->first + i))
                    add_piece(pieces->receive, &pieces->receives, from,
                              x->sum + lct_sequence_begin_of(q, p, i), n);
        }
    }
}

/* The list_pieces of all sequences that are not whole. */
struct listing {
    const struct lct_model *model;
    list_pieces list;
};

static void list_round(struct lct_group_list *pieces, int to, int from,
                       void *context)
{
    const struct listing *x = context;
    const struct lct_sequences *q = &x->model->sequences;

    for (int64_t k = 0; k < q->count; k++)
        if (!lct_sequence_is_whole(q, &q->rows[k]))
            x->list(pieces, x->model, &q->rows[k], to, from);
}

static locant_status exchange(struct lct_model *m, list_pieces list)
{
    struct listing x = { m, list };

    m->sequences.exchanges++;
    return lct_group_exchange_rounds(&m->sequences.pieces, list_round, &x,
                                     m->config.leaves.group);
}

/* The most pieces of a block. */
static void count(size_t *sends, size_t *receives, struct lct_model *m,
                  list_pieces list)
{
    struct lct_sequences *q = &m->sequences;
    struct listing x = { m, list };

    for (q->block = 0; q->block < q->blocks; q->block++) {
        struct lct_group_list counted = { 0 };

        lct_group_list_rounds(&counted, list_round, &x, m->config.leaves.group);
        *sends = counted.sends > *sends ? counted.sends : *sends;
        *receives = counted.receives > *receives ? counted.receives : *receives;
    }
    q->block = 0;
}

locant_status lct_sequence_exchange_create(struct lct_model *m)
{
    size_t sends = 0, receives = 0;
    struct lct_group_list *x = &m->sequences.pieces;

    count(&sends, &receives, m, list_tokens);
    if (m->train)
        count(&sends, &receives, m, list_sums);

    x->send = locant_alloc((sends + 1) * sizeof *x->send);
    x->receive = locant_alloc((receives + 1) * sizeof *x->receive);
    return x->send && x->receive
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM,
                             "lct_model_create: no memory for %zu pieces of"
                             " rows in several leaves",
                             sends + receives);
}

/* In a pass each layer gathers tokens, block by block; going back it does so
   again, and then exchanges sums of the block. */
locant_status lct_model_end_exchanges(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;
    const int64_t forward = m->config.layers * q->blocks;

    while (q->leaves > 1 && q->exchanges < (m->train ? 3 : 1) * forward) {
        const int64_t back = q->exchanges - forward;
        const bool sums = back >= 0 && back % 2 == 1;

        q->block = (back < 0 ? q->exchanges : back / 2) % q->blocks;
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
