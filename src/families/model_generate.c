/*
 * model_generate.c - continue texts with a locant_model
 *
 * The next token is the most likely one, or one drawn from the k most likely
 * (Fan et al. 2018, arXiv:1805.04833v1, section 5.4), or from the fewest that
 * have a probability of p together (Holtzman et al. 2020, arXiv:1904.09751v2,
 * section 3.1).
 */
#include "model_share.h"
#include "net_length.h"
#include "net_math.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- next token */

/* Token and logit, sorted by the latter, then by the former. */
struct candidate {
    double logit;
    int64_t id;
};

static int by_logit(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->logit != y->logit)
        return x->logit > y->logit ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* Their number after the cut at probability top_p; logits become weights. */
static int64_t cut(struct candidate *c, int64_t count,
                   const locant_generation *how)
{
    const double most = c[0].logit;
    double sum = 0, so_far = 0;

    for (int64_t i = 0; i < count; i++)
        sum += c[i].logit = exp((c[i].logit - most) / how->temperature);
    for (int64_t i = 0; i < count; i++) {
        so_far += c[i].logit;
        if (so_far >= how->top_p * sum)
            return i + 1;
    }
    return count;
}

/* The next token of logits [vocab]; ties: the lower id. */
static int64_t next_token(const void *logits, const struct lct_net *n,
                          const locant_generation *how, locant_random *random,
                          struct candidate *c)
{
    int64_t count = n->vocab;
    double sum = 0, at;

    if (how->temperature == 0)
        return n->math->largest(logits, n->vocab);
    for (int64_t i = 0; i < count; i++)
        c[i] = (struct candidate){ n->math->get(logits, i), i };
    qsort(c, (size_t)count, sizeof(*c), by_logit);
    if (how->top_k > 0 && how->top_k < count)
        count = how->top_k;
    count = cut(c, count, how);
    for (int64_t i = 0; i < count; i++)
        sum += c[i].logit;
    at = locant_random_uniform(random) * sum;
    for (int64_t i = 0; i < count; i++) {
        at -= c[i].logit;
        if (at < 0)
            return c[i].id;
    }
    return c[count - 1].id;
}

/* ------------------------------------------------------------------ writing */

/* A continuation that is under way. */
struct writing {
    struct lct_net_run run;
    struct lct_model_memory memory;
    struct lct_model_input *in;
    const locant_generation *how;
    int64_t *out, length; /* [B, length] */
    int64_t *next, *told; /* [B]: ids of the last step; the same with padding */
    int64_t *read, *seen; /* [B, length]: all ids as the model reads them, and
                             tokens of images, -1 elsewhere */
    void *logits;         /* [B, vocab] */
    void *states;         /* [B, D]: of the last token of each row */
    struct candidate *room;
    locant_random *random; /* [B] */
    bool *ended;           /* [B] */
    bool ignore_end;
    locant_token_fn each;
    void *context;
};

static locant_status check_generation(const char *fn,
                                      const locant_generation *g)
{
    if (g->struct_size != sizeof(*g))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size of the generation is %zu, "
                           "expected %zu",
                           fn, g->struct_size, sizeof(*g));
    if (g->top_k < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: top_k is %" PRId64 ", expected 0 or more", fn,
                           g->top_k);
    if (!(g->top_p > 0 && g->top_p <= 1))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: top_p is %g, expected above 0, at most 1", fn,
                           g->top_p);
    if (!(g->temperature >= 0 && isfinite(g->temperature)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: temperature is %g, expected 0 or more", fn,
                           g->temperature);
    return LOCANT_OK;
}

static locant_status begin_writing(struct writing *w, const struct lct_net *n,
                                   const locant_generation *g)
{
    const int64_t B = w->in->B, length = w->length;
    struct lct_net_room *room = &w->run.room;

    LCT_TRY(lct_model_run_begin(&w->run, &w->memory, n, w->in, w->length));
    if (w->run.ids == LCT_IDS_ARANGE)
        w->run.ids = LCT_IDS_MASK; /* padding is no part of a text */
    w->how = g;
    w->read = lct_net_take_items(room, B, length, sizeof(*w->read));
    w->seen = lct_net_take_items(room, B, length, sizeof(*w->seen));
    w->next = lct_net_take_items(room, B, 1, sizeof(*w->next));
    w->told = lct_net_take_items(room, B, 1, sizeof(*w->told));
    w->logits = lct_net_take(room, B, n->vocab);
    w->states = lct_net_take(room, B, n->width);
    w->room = lct_net_take_items(room, n->vocab, 1, sizeof(*w->room));
    w->random = lct_net_take_items(room, B, 1, sizeof(*w->random));
    w->ended = lct_net_take_items(room, B, 1, sizeof(*w->ended));
    if (w->ended == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_model_generate: no memory");
    for (int64_t b = 0; b < B; b++) {
        w->ended[b] = false;
        w->random[b] =
            (locant_random){ .seed = g->seed, .stream = (uint64_t)b };
    }
    return LOCANT_OK;
}

/* The last token of row b that is no padding. */
static int64_t last_token(const struct lct_model_input *in, int64_t b)
{
    for (int64_t t = in->T - 1; in->mask != NULL && t >= 0; t--)
        if (in->mask[b * in->T + t] != 0)
            return t;
    return in->T - 1;
}

static locant_status read_prompt(struct writing *w)
{
    const struct lct_net *n = w->run.n;
    const struct lct_net_math *m = n->math;
    const struct lct_model_input *in = w->in;

    for (int64_t t = 0, T; t < in->T; t += T) {
        T = in->T - t < w->run.most ? in->T - t : w->run.most;
        const struct lct_net_tokens part = lct_model_input_part(in, t, T);

        LCT_TRY(lct_net_run_step(&w->run, &part));
        for (int64_t b = 0; b < in->B; b++) {
            const int64_t last = last_token(in, b);

            if (last >= t && last < t + T)
                memcpy(
                    lct_net_math_at(m, w->states, b * n->width),
                    lct_net_math_at(m, w->run.x, (b * T + last - t) * n->width),
                    (size_t)n->width * m->item);
        }
    }
    return LOCANT_OK;
}

static bool is_end(const struct lct_net *n, int64_t id)
{
    for (int64_t i = 0; i < n->n_end; i++)
        if (n->end[i] == id)
            return true;
    return false;
}

/* Report token 'at' of each row, which may stop the rest. */
static void tell(struct writing *w, int64_t at)
{
    const int64_t B = w->in->B, first = w->in->T;

    if (w->each == NULL)
        return;
    for (int64_t b = 0; b < B; b++)
        w->told[b] = w->out[b * w->length + at];
    if (w->each(w->told, at - first + 1, w->length - first, w->context) != 0)
        for (int64_t b = 0; b < B; b++)
            w->ended[b] = true;
}

/* Token 'at' of each row, from w->states. */
static void choose_tokens(struct writing *w, int64_t at)
{
    const struct lct_net *n = w->run.n;

    lct_net_run_head(w->logits, w->states, w->in->B, &w->run);
    for (int64_t b = 0; b < w->in->B; b++) {
        int64_t id =
            w->ended[b]
                ? n->pad
                : next_token(lct_net_math_at(n->math, w->logits, b * n->vocab),
                             n, w->how, &w->random[b], w->room);

        w->ended[b] = w->ended[b] || (!w->ignore_end && is_end(n, id));
        w->out[b * w->length + at] = id;
        w->next[b] = id < n->vocab ? id : 0;
        w->read[b * w->length + at] = w->next[b];
        w->seen[b * w->length + at] = -1;
    }
    tell(w, at);
}

static bool all_ended(const struct writing *w)
{
    for (int64_t b = 0; b < w->in->B; b++)
        if (!w->ended[b])
            return false;
    return true;
}

/* w->states of the token of each row that has been chosen. */
static locant_status read_token(struct writing *w)
{
    const struct lct_net *n = w->run.n;
    const int64_t B = w->in->B, D = n->width;
    int64_t *at_next = w->in->next; /* positions, if they do not count on */
    const struct lct_net_tokens one = {
        .T = 1, .ids = w->next, .stride = 1, .positions = at_next, .axis = B
    };
    const struct lct_net_tokens all = { .T = w->run.cache->length + 1,
                                        .ids = w->read,
                                        .seen = w->in->seen != NULL ? w->seen
                                                                    : NULL,
                                        .stride = w->length };
    int64_t T = 1;
    bool again;

    LCT_TRY(lct_net_length_grows(&again, &w->run));
    if (again) {
        LCT_TRY(lct_net_run_again(&w->run, &one, &all));
        T = w->run.T;
    } else {
        LCT_TRY(lct_net_run_step(&w->run, &one));
    }
    for (int64_t i = 0; at_next != NULL && i < 3 * B; i++)
        at_next[i]++;
    for (int64_t b = 0; b < B; b++)
        memcpy(lct_net_math_at(n->math, w->states, b * D),
               lct_net_math_at(n->math, w->run.x, (b * T + T - 1) * D),
               (size_t)D * n->math->item);
    return LOCANT_OK;
}

static locant_status write_tokens(struct writing *w)
{
    const struct lct_net *n = w->run.n;

    LCT_TRY(read_prompt(w));
    for (int64_t at = w->in->T; at < w->length; at++) {
        if (all_ended(w)) {
            for (int64_t b = 0; b < w->in->B; b++)
                w->out[b * w->length + at] = n->pad;
            continue;
        }
        choose_tokens(w, at);
        if (at + 1 == w->length || all_ended(w))
            continue;
        LCT_TRY(read_token(w));
    }
    return LOCANT_OK;
}

/* The tokens that are continued: those of the input, or the start of a
   decoder, which 'start' holds then. */
static locant_status check_prompt(struct lct_model_input *in, int64_t **start,
                                  const char *fn, const locant_model *model,
                                  const locant_model_input *input)
{
    const struct lct_net *n;

    LCT_NOT_NULL(fn, model);
    n = model->net;
    if (n->s.pool != LCT_POOL_NONE ||
        n->text.plan->layers[0].mask != LCT_CAUSAL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: models of type %s do not continue texts", fn,
                           n->config.model_type);
    LCT_TRY(lct_net_need_head(fn, n));
    LCT_TRY(lct_model_share_refuse(fn, input));
    LCT_TRY(lct_model_input_check(in, fn, n, input, true));
    if (in->ids != NULL || !lct_model_input_pair(n))
        return LOCANT_OK;
    if (n->start < 0 || n->start >= n->vocab)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: decoder_start_token_id is %" PRId64
                           ", the vocabulary has %" PRId64 " tokens",
                           n->config.file, n->start, n->vocab);
    in->T = 1;
    if (start == NULL)
        return LOCANT_OK;
    *start = locant_alloc((size_t)(in->B + 1) * sizeof(**start));
    if (*start == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    for (int64_t b = 0; b < in->B; b++)
        (*start)[b] = n->start;
    in->ids = *start;
    return LOCANT_OK;
}

locant_status locant_model_prompt(int64_t shape[2], const locant_model *model,
                                  const locant_model_input *input)
{
    static const char fn[] = "locant_model_prompt";
    struct lct_model_input in;

    LCT_NOT_NULL(fn, shape);
    LCT_TRY(check_prompt(&in, NULL, fn, model, input));
    shape[0] = in.B;
    shape[1] = in.T;
    return LOCANT_OK;
}

static locant_status generate(locant_tensor *out, const char *fn,
                              const struct lct_net *n,
                              struct lct_model_input *in,
                              const locant_generation *g)
{
    struct writing w = { .in = in };
    const size_t row = (size_t)in->T * sizeof(*w.out);
    locant_status status;

    LCT_TRY(check_generation(fn, g));
    LCT_TRY(lct_model_input_array(fn, "out", out, LOCANT_I64, 2,
                                  (int64_t[2]){ in->B, -1 }));
    if (out->shape[1] < in->T || in->T == 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: out has %" PRId64 " tokens in a row, ids "
                           "%" PRId64 ", at least 1",
                           fn, out->shape[1], in->T);
    w.out = out->data;
    w.length = out->shape[1];
    w.ignore_end = g->ignore_end != 0;
    w.each = g->each;
    w.context = g->context;
    if (in->B == 0)
        return LOCANT_OK;
    status = begin_writing(&w, n, g);
    for (int64_t b = 0; status == LOCANT_OK && b < in->B; b++) {
        memcpy(w.out + b * w.length, in->ids + b * in->T, row);
        memcpy(w.read + b * w.length, in->ids + b * in->T, row);
        if (in->seen != NULL)
            memcpy(w.seen + b * w.length, in->seen + b * in->T, row);
    }
    if (status == LOCANT_OK)
        status = write_tokens(&w);
    lct_model_run_end(&w.run, &w.memory);
    return status;
}

locant_status locant_model_generate(locant_tensor *out,
                                    const locant_model *model,
                                    const locant_model_input *input,
                                    const locant_generation *g)
{
    static const char fn[] = "locant_model_generate";
    const locant_generation plain = LOCANT_GENERATION_INIT;
    struct lct_model_input in;
    int64_t *start = NULL;
    locant_status status = check_prompt(&in, &start, fn, model, input);

    if (status == LOCANT_OK)
        status = generate(out, fn, model->net, &in, g != NULL ? g : &plain);
    locant_release(start);
    return status;
}
