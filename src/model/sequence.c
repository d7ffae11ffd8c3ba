/* sequence.c - see sequence.h */
#include "sequence.h"
#include "../core/size.h"
#include "parts.h"
#include "sequence_exchange.h"
#include <inttypes.h>
#include <string.h>

static const char fn[] = "lct_model_create";

/* ----------------------------------------------------------------- create */

locant_status lct_sequence_check(const struct lct_model_config *c,
                                 int64_t batch, int64_t length)
{
    const struct lct_leaves *l = &c->leaves;
    const int64_t n = l->of_row;

    if (n <= 1)
        return LOCANT_OK;
    if (!lct_tree_is_size(n) || l->all % n != 0 || batch != l->last - l->first)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: batch is %" PRId64 " for %" PRId64
                           " of %" PRId64 " leaves, %" PRId64
                           " of each row, expected as many as the leaves, and"
                           " a power of two of each row that divides all",
                           fn, batch, l->last - l->first, l->all, n);
    if (length % (n * LCT_LEAF_TOKENS) != 0 || c->memory > 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: length is %" PRId64 " and memory %" PRId64
                           " for %" PRId64
                           " leaves of a row, expected multiples of %d tokens"
                           " and no memory",
                           fn, length, c->memory, n, LCT_LEAF_TOKENS);
    if (l->group != NULL &&
        (l->first != lct_group_share(l->all, l->group->rank, l->group->size) ||
         l->last !=
             lct_group_share(l->all, l->group->rank + 1, l->group->size)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: rank %d of %d has leaves %" PRId64
                           " .. %" PRId64 " of %" PRId64 ", expected its share",
                           fn, l->group->rank, l->group->size, l->first,
                           l->last - 1, l->all);
    return LOCANT_OK;
}

/* List the subtrees of all ranks in a sequence. */
static void list_subtrees(const struct lct_model *m, struct lct_sequence *s)
{
    const int size = lct_group_size(m->config.leaves.group);

    for (int rank = 0; rank < size; rank++) {
        const struct lct_sequence_range r =
            lct_sequence_exchange_range(m, s->row, rank);
        const struct lct_tree t = lct_tree_of(r.first, r.last);

        memcpy(s->subtrees + s->count, t.held,
               (size_t)t.count * sizeof(*t.held));
        s->count += t.count;
    }
}

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "%s: no memory for rows in several leaves", fn);
}

/* List the sequences of this rank. */
static locant_status list_rows(struct lct_model *m)
{
    const struct lct_leaves *l = &m->config.leaves;
    struct lct_sequences *q = &m->sequences;
    const int64_t first = l->first / q->leaves;
    const int rank = lct_group_rank(l->group);

    q->count = (l->last - 1) / q->leaves + 1 - first;
    q->rows = locant_alloc((size_t)q->count * sizeof(*q->rows));
    q->subtrees =
        locant_alloc((size_t)(q->count * q->leaves) * sizeof(*q->subtrees));
    if (q->rows == NULL || q->subtrees == NULL)
        return no_memory();
    for (int64_t i = 0, pass = 0; i < q->count; i++) {
        struct lct_sequence *s = &q->rows[i];
        const struct lct_sequence_range own =
            lct_sequence_exchange_range(m, first + i, rank);

        *s = (struct lct_sequence){ .row = first + i,
                                    .first = own.first,
                                    .last = own.last,
                                    .pass = pass,
                                    .subtrees = q->subtrees + i * q->leaves };
        list_subtrees(m, s);
        pass += own.last - own.first;
    }
    return LOCANT_OK;
}

/* The arrays of a sequence, in a row from 'base'; NULL only counts. */
struct arrays {
    real *base;
    size_t used;
};

static real *take(struct arrays *a, size_t n)
{
    const size_t at = a->used;

    a->used += n;
    return a->base == NULL ? NULL : a->base + at;
}

/* Place the sums of a sequence: those of this rank, which need the most room
   while they grow, and the tokens of this rank of the others. */
static void place_sums(const struct lct_sequences *q, struct lct_sequence *s,
                       struct arrays *a)
{
    const size_t n = lct_sequence_numbers(q);
    const int64_t leaves = q->blocks > 1 ? 1 : s->last - s->first;
    const size_t own = (size_t)(leaves * q->chunk * q->width);
    int held = 0;

    s->sums = take(a, (size_t)lct_tree_room(s->first, s->last) * n);
    for (int k = 0; k < s->count; k++)
        if (!lct_sequence_has(s, &s->subtrees[k]))
            s->subtrees[k].sum = take(a, own);
        else if (s->sums != NULL)
            s->subtrees[k].sum = s->sums + (size_t)held++ * n;
}

/* Sequences that are whole are worked at one after another, in the same
   arrays. */
static void place_all(struct lct_model *m, struct arrays *a)
{
    struct lct_sequences *q = &m->sequences;
    const struct lct_sequence *whole = NULL;

    for (int64_t i = 0; i < q->count; i++) {
        struct lct_sequence *s = &q->rows[i];

        if (lct_sequence_is_whole(q, s) && whole != NULL) {
            s->tokens = whole->tokens;
            s->sums = whole->sums;
            s->subtrees[0].sum = whole->sums;
            continue;
        }
        s->tokens = take(a, lct_sequence_numbers(q));
        if (m->train)
            place_sums(q, s, a);
        if (lct_sequence_is_whole(q, s))
            whole = s;
    }
}

static locant_status allocate_numbers(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;
    /* a sequence has at most 2 LCT_TREE_HELD arrays, at most 3 of them have
       arrays, and the parts from other ranks are of at most 256 subtrees */
    const int64_t most[4] = { 6 * LCT_TREE_HELD + LCT_TREE_LEAVES, q->leaves,
                              q->chunk, q->width };
    struct arrays a = { NULL, 0 };

    if (!lct_array_bytes(&q->bytes, most, 4, sizeof(real)))
        return no_memory();
    place_all(m, &a);
    q->bytes = a.used * sizeof(real);
    a = (struct arrays){ q->numbers = locant_alloc(q->bytes), 0 };
    if (q->numbers == NULL)
        return no_memory();
    place_all(m, &a);
    return LOCANT_OK;
}

/* The index of each token of the pass in its sequence. */
static locant_status allocate_positions(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;
    const size_t n = (size_t)m->rows;

    q->index = locant_alloc(n * sizeof(*q->index));
    q->positions = q->index;
    if (m->chooses_positions)
        q->positions = locant_alloc(n * sizeof(*q->index)); /* or of doubles */
    if (q->index == NULL || q->positions == NULL)
        return no_memory();
    for (int64_t l = 0; l < m->leaves; l++) {
        const int64_t j = (m->config.leaves.first + l) % q->leaves;
        const int64_t first = lct_leaf_chunk(j, q->leaves) * q->chunk;

        for (int64_t i = 0; i < q->chunk; i++)
            q->index[l * q->chunk + i] = first + i;
    }
    return LOCANT_OK;
}

locant_status lct_sequence_create(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;

    q->blocks = 1;
    if (q->leaves == 1)
        return LOCANT_OK;
    q->chunk = m->length / q->leaves;
    q->blocks = m->config.in_blocks ? q->leaves : 1;
    q->parts = m->reads_x ? 3 : 2;
    for (int p = 0; p < q->parts; p++) {
        q->part[p].first = (size_t)(m->length / q->blocks * q->width);
        q->part[p].width = p < 2 ? m->kv_width : m->config.width;
        q->width += q->part[p].width;
    }
    LCT_TRY(list_rows(m));
    LCT_TRY(allocate_numbers(m));
    LCT_TRY(allocate_positions(m));
    return lct_sequence_exchange_create(m);
}

void lct_sequence_free(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;

    if (q->positions != q->index)
        locant_release(q->positions);
    locant_release(q->index);
    locant_release(q->pieces.send);
    locant_release(q->pieces.receive);
    locant_release(q->numbers);
    locant_release(q->state);
    locant_release(q->subtrees);
    locant_release(q->rows);
}

void lct_sequence_set_positions(struct lct_model *m)
{
    const struct lct_sequences *q = &m->sequences;
    const int64_t length = q->leaves * q->chunk;

    for (int64_t i = 0; m->chooses_positions && i < q->count; i++) {
        const struct lct_sequence *s = &q->rows[i];

        for (int64_t j = s->first; j < s->last; j++)
            memcpy((int64_t *)q->positions +
                       (s->pass + j - s->first) * q->chunk,
                   (const int64_t *)m->positions + s->row * length +
                       lct_leaf_chunk(j, q->leaves) * q->chunk,
                   (size_t)q->chunk * sizeof(*q->index));
    }
}

/* ----------------------------------------------------------------- tokens */

void lct_sequence_copy(const struct lct_model *m, int64_t layer,
                       const struct lct_sequence *s)
{
    const struct lct_sequences *q = &m->sequences;
    const struct lct_layer *a = &m->layers[layer];
    const real *from[] = { a->k, a->v, a->joined_norm };

    for (int64_t j = s->first; j < s->last; j++)
        for (int p = 0; lct_sequence_in_block(q, j) && p < q->parts; p++) {
            const size_t n = lct_sequence_size(q, p);

            memcpy(s->tokens + lct_sequence_begin(q, p, j),
                   from[p] + (size_t)(s->pass + j - s->first) * n,
                   n * sizeof(real));
        }
}

/* ------------------------------------------------------------------- sums */

enum { PART = 1 << 14 };

struct addition {
    real *to;
    const real *from;
    size_t n;
};

static void add_part(void *context, size_t task, int slot)
{
    const struct addition *a = context;
    const size_t at = task * PART, left = a->n - at;

    (void)slot;
    lct_nn()->add(a->to + at, a->from + at, 1, left < PART ? left : PART);
}

void lct_sequence_add(struct lct_model *m, const struct lct_sequence *s,
                      int from)
{
    const size_t n = lct_sequence_numbers(&m->sequences);
    struct addition a = { s->sums + (size_t)(from - 1) * n,
                          s->sums + (size_t)from * n, n };

    locant_parallel_for((n + PART - 1) / PART, add_part, &a);
}

/* Combine part p of leaf j of a sequence. */
static void use_sum(struct lct_model *m, const struct lct_sequence *s,
                    int64_t j, int p)
{
    const struct lct_sequences *q = &m->sequences;
    real *const to[] = { m->d.k, m->d.v, m->d.read };
    const int64_t i = j - s->first;
    const size_t n = lct_sequence_size(q, p);
    struct lct_subtree part[LCT_TREE_LEAVES];

    memcpy(part, s->subtrees, (size_t)s->count * sizeof(*part));
    for (int k = 0; k < s->count; k++)
        part[k].sum += lct_sequence_has(s, &part[k])
                           ? lct_sequence_begin(q, p, j)
                           : lct_sequence_begin_of(q, p, i);
    lct_tree_combine(to[p] + (size_t)(s->pass + i) * n, q->leaves, part, n);
}

void lct_sequence_use_sums(struct lct_model *m, const struct lct_sequence *s)
{
    const struct lct_sequences *q = &m->sequences;

    for (int64_t j = s->first; j < s->last; j++)
        for (int p = 0; lct_sequence_in_block(q, j) && p < q->parts; p++)
            use_sum(m, s, j, p);
}
