/*
 * numbers_extension.c - what was measured beyond the trained length, and the
 * orderings that others found beside the ones found here.
 */
#include "extension.h"
#include "numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOOTSTRAP_SEED = 1 };
static const double level = .95;

struct maker {
    struct lct_numbers *n;
    const struct lct_extension *x;
    size_t seeds, blocks;
    double *room; /* [seeds, blocks] */
};

static json_t *add_object(struct lct_numbers *n, json_t *to)
{
    json_t *object = json_object();

    n->failed |= json_array_append_new(to, object) != 0;
    return n->failed ? NULL : object;
}

static void add_count(struct lct_numbers *n, json_t *to, int64_t value)
{
    n->failed |= json_array_append_new(to, json_integer((json_int_t)value)) !=
                 0;
}

/* -------------------------------------------------------------------- loss */

/* Of a loss, or of what it is above another on the same blocks. */
static locant_status interval_of(locant_interval *e, const struct maker *k,
                                 const double *loss, const double *other)
{
    for (size_t i = 0; i < k->seeds * k->blocks; i++)
        k->room[i] = loss[i] - (other ? other[i] : 0);
    return locant_bootstrap(e, k->room, k->seeds, k->blocks, level,
                            BOOTSTRAP_SEED);
}

static locant_status put_loss(const struct maker *k, json_t *to,
                              const double *loss, const double *other)
{
    const double scale = other ? 1 : LCT_BITS;
    locant_interval e = {NAN, NAN, NAN, NAN, NAN};

    if (loss != other)
        LCT_TRY(interval_of(&e, k, loss, other));
    lct_put_real(k->n, to, "mean", e.mean * scale);
    lct_put_real(k->n, to, "low", e.low * scale);
    lct_put_real(k->n, to, "high", e.high * scale);
    lct_put_real(k->n, to, "seed_error", e.seed_error * scale);
    lct_put_real(k->n, to, "data_error", e.data_error * scale);
    return LOCANT_OK;
}

static const struct lct_extension_row *baseline(const struct lct_extension *x,
                                                bool crop)
{
    int i = 0;

    while (lct_extension_method(i)->crop != crop)
        i++;
    return &x->row[i];
}

static void put_positions(const struct maker *k, json_t *to,
                          const struct lct_extension_row *row)
{
    json_t *all = lct_put_array(k->n, to, "position");

    for (int i = 0; i < LCT_EXT_BUCKETS; i++) {
        double sum = 0;

        for (size_t s = 0; s < k->seeds; s++)
            sum += row->position[s][i];
        lct_add_real(k->n, all, sum / (double)k->seeds * LCT_BITS);
    }
}

/* What both methods and tuned runs have. */
static locant_status put_row(const struct maker *k, json_t *to,
                             const struct lct_extension_row *row)
{
    const int last = k->x->plan->factors - 1;
    const struct lct_extension_row *crop = baseline(k->x, true);
    const struct lct_extension_row *none = baseline(k->x, false);
    json_t *loss = lct_put_object(k->n, to, "loss");
    json_t *above = lct_put_object(k->n, to, "above_crop");

    for (int f = 0; f <= last; f++) {
        char length[24];

        snprintf(length, sizeof length, "%" PRId64,
                 lct_extension_factor(f) * LCT_EXT_TRAINED);
        LCT_TRY(put_loss(k, lct_put_object(k->n, loss, length),
                         row->at[f].loss, NULL));
        LCT_TRY(put_loss(k, lct_put_object(k->n, above, length),
                         row->at[f].loss, crop->at[f].loss));
    }
    LCT_TRY(put_loss(k, lct_put_object(k->n, to, "short"),
                     row->short_inputs.loss, NULL));
    LCT_TRY(put_loss(k, lct_put_object(k->n, to, "short_above_none"),
                     row->short_inputs.loss, none->short_inputs.loss));
    lct_put_real(k->n, to, "tokens_per_second", row->at[last].speed);
    lct_put_real(k->n, to, "cost",
                 none->at[last].speed / row->at[last].speed);
    put_positions(k, to, row);
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- needles */

static locant_status put_needle(const struct maker *k, json_t *to,
                                const struct lct_extension_needle *e)
{
    double low, high;

    LCT_TRY(locant_wilson(&low, &high, (size_t)e->exact, (size_t)e->items,
                          level));
    lct_put_count(k->n, to, "items", e->items);
    lct_put_count(k->n, to, "exact", e->exact);
    lct_put_real(k->n, to, "share", (double)e->exact / (double)e->items);
    lct_put_real(k->n, to, "low", low);
    lct_put_real(k->n, to, "high", high);
    return LOCANT_OK;
}

static locant_status put_needles(const struct maker *k, json_t *to,
                                 const struct lct_extension_row *row)
{
    json_t *all = lct_put_object(k->n, to, "needle");

    for (int f = 0; f < k->x->plan->factors; f++) {
        char length[24];

        snprintf(length, sizeof length, "%" PRId64,
                 lct_extension_factor(f) * LCT_EXT_TRAINED);
        LCT_TRY(put_needle(k, lct_put_object(k->n, all, length),
                           &row->needle[f]));
    }
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- methods */

static locant_status put_spec(const struct maker *k, json_t *to,
                              const char *key, const char *pattern,
                              int64_t factor)
{
    char spec[256];

    LCT_TRY(lct_extension_spec(spec, pattern, factor));
    lct_put_text(k->n, to, key, spec);
    return LOCANT_OK;
}

static locant_status put_methods(const struct maker *k, json_t *all)
{
    const int64_t factor = lct_extension_factor(k->x->plan->factors - 1);
    json_t *list = lct_put_array(k->n, all, "methods");

    for (int i = 0; i < lct_extension_methods(); i++) {
        const struct lct_extension_method *m = lct_extension_method(i);
        json_t *to = add_object(k->n, list);

        lct_put_text(k->n, to, "id", m->id);
        lct_put_text(k->n, to, "title", m->title);
        lct_put_text(k->n, to, "source", m->source);
        LCT_TRY(put_spec(k, to, "spec", m->spec, factor));
        LCT_TRY(put_row(k, to, &k->x->row[i]));
        LCT_TRY(put_needles(k, to, &k->x->row[i]));
    }
    return LOCANT_OK;
}

static locant_status put_tuned(const struct maker *k, json_t *all)
{
    json_t *list = lct_put_array(k->n, all, "tuned");

    for (int i = 0; i < lct_extension_tunings(); i++) {
        const struct lct_extension_tuning *t = lct_extension_tuning(i);
        json_t *to = add_object(k->n, list);

        lct_put_text(k->n, to, "id", t->id);
        lct_put_text(k->n, to, "title", t->title);
        lct_put_count(k->n, to, "length", t->length);
        LCT_TRY(put_spec(k, to, "train", t->train, LCT_EXT_TUNED_FACTOR));
        LCT_TRY(put_spec(k, to, "spec", t->spec, LCT_EXT_TUNED_FACTOR));
        LCT_TRY(put_row(k, to, &k->x->row[lct_extension_methods() + i]));
    }
    return LOCANT_OK;
}

/* --------------------------------------------------------------- orderings */

enum what { LOSS, SHORT, NEEDLE, TUNED };
enum { LAST = -1 };

/* 'ids' are compared; 'at' is an index of the factor. */
static const struct ordering {
    const char *setting, *expected, *evidence;
    enum what what;
    int at;
    const char *ids[10];
} orderings[] = {
    {"zero-shot, twice the length, loss",
     "ReRoPE \xe2\x89\x88 Self-Extend \xe2\x89\xb2 crop \xe2\x89\x88 YaRN "
     "\xe2\x89\x88 dynamic NTK < PI < none",
     "Lu et al. 2024, arXiv:2409.12181; bojone/rerope; PI at step 0, "
     "arXiv:2306.15595", LOSS, 0,
     {"rerope", "selfextend", "crop", "yarn8", "dynamic", "pi", "none"}},
    {"zero-shot, the longest, loss",
     "Self-Extend, ReRoPE \xe2\x89\xb2 crop \xe2\x89\x88 StreamingLLM "
     "\xe2\x89\x88 log n < YaRN, dynamic NTK \xe2\x89\xaa PI \xe2\x89\xaa none",
     "arXiv:2306.15595 (PI 16 to 112); LongRoPE, arXiv:2402.13753", LOSS, LAST,
     {"selfextend", "rerope", "crop", "streaming", "logn", "yarn8", "dynamic",
      "pi", "none"}},
    {"short inputs, as for the longest, loss",
     "none = dynamic NTK = ReRoPE < YaRN < NTK < PI",
     "YaRN, arXiv:2309.00071, table 1; bojone/rerope", SHORT, 0,
     {"none", "dynamic", "rerope", "yarn8", "ntk", "pi"}},
    {"needle, zero-shot, twice the length",
     "NTK > YaRN > PI \xe2\x89\x88 none \xe2\x89\x88 0",
     "DroPE, arXiv:2512.12167, table 1", NEEDLE, 0,
     {"ntk", "yarn8", "pi", "none"}},
    {"fine-tuned, at the length that was tuned for, loss",
     "NTK \xe2\x89\x88 YaRN \xe2\x89\x88 PI \xe2\x89\xaa none",
     "PI, arXiv:2306.15595, table 3; Lu et al. 2024, arXiv:2409.12181", TUNED,
     1, {"ntk", "yarn8", "pi", "none"}},
    {"fine-tuned, the longest, loss", "NTK < YaRN, PI",
     "Lu et al. 2024, arXiv:2409.12181 at 64k", TUNED, LAST,
     {"ntk", "yarn8", "pi"}},
};

struct entry {
    const char *title;
    const struct lct_extension_row *row;
    double value; /* lower first */
};

static bool find_entry(struct entry *e, const struct lct_extension *x,
                       enum what what, const char *id)
{
    for (int i = 0; what != TUNED && i < lct_extension_methods(); i++)
        if (strcmp(lct_extension_method(i)->id, id) == 0) {
            *e = (struct entry){lct_extension_method(i)->title, &x->row[i], 0};
            return true;
        }
    for (int i = 0; what == TUNED && i < lct_extension_tunings(); i++)
        if (strcmp(lct_extension_tuning(i)->id, id) == 0) {
            *e = (struct entry){lct_extension_tuning(i)->title,
                                &x->row[lct_extension_methods() + i], 0};
            return true;
        }
    return false;
}

static const double *losses_of(const struct entry *e, const struct ordering *o,
                               int at)
{
    return o->what == SHORT ? e->row->short_inputs.loss : e->row->at[at].loss;
}

static double value_of(const struct maker *k, const struct entry *e,
                       const struct ordering *o, int at)
{
    double sum = 0;

    if (o->what == NEEDLE)
        return -(double)e->row->needle[at].exact /
               (double)e->row->needle[at].items;
    for (size_t i = 0; i < k->seeds * k->blocks; i++)
        sum += losses_of(e, o, at)[i];
    return sum;
}

static void sort(struct entry *e, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && e[j].value < e[j - 1].value; j--) {
            const struct entry t = e[j];

            e[j] = e[j - 1];
            e[j - 1] = t;
        }
}

/* Neighbours: the same to the bit, not told apart, or apart. */
static locant_status sign_between(const char **sign, const struct maker *k,
                                  const struct entry *a, const struct entry *b,
                                  const struct ordering *o, int at)
{
    static const char about[] = " \xe2\x89\x88 ";
    locant_interval e;
    double low, high, unused;

    if (o->what == NEEDLE) {
        const struct lct_extension_needle *x = &a->row->needle[at];
        const struct lct_extension_needle *y = &b->row->needle[at];

        LCT_TRY(locant_wilson(&low, &unused, (size_t)x->exact,
                              (size_t)x->items, level));
        LCT_TRY(locant_wilson(&unused, &high, (size_t)y->exact,
                              (size_t)y->items, level));
        *sign = low > high ? " > " : about;
        return LOCANT_OK;
    }
    LCT_TRY(interval_of(&e, k, losses_of(b, o, at), losses_of(a, o, at)));
    *sign = e.low == 0 && e.high == 0 ? " = " : e.low > 0 ? " < " : about;
    return LOCANT_OK;
}

static locant_status measured(char *out, size_t size, const struct maker *k,
                              const struct ordering *o, int at)
{
    struct entry e[10];
    size_t used = 0;
    int n = 0;

    for (int i = 0; i < 10 && o->ids[i]; i++)
        n += find_entry(&e[n], k->x, o->what, o->ids[i]);
    for (int i = 0; i < n; i++)
        e[i].value = value_of(k, &e[i], o, at);
    sort(e, n);
    for (int i = 0; i < n && used < size; i++) {
        const char *sign = "";

        if (i > 0)
            LCT_TRY(sign_between(&sign, k, &e[i - 1], &e[i], o, at));
        used += (size_t)snprintf(out + used, size - used, "%s%s", sign,
                                 e[i].title);
    }
    return LOCANT_OK;
}

static locant_status put_orderings(const struct maker *k, json_t *all)
{
    json_t *list = lct_put_array(k->n, all, "orderings");
    const int last = k->x->plan->factors - 1;

    for (size_t i = 0; i < sizeof orderings / sizeof orderings[0]; i++) {
        const struct ordering *o = &orderings[i];
        const int at = o->at == LAST ? last : o->at;
        json_t *to = add_object(k->n, list);
        char text[512] = "";

        lct_put_text(k->n, to, "setting", o->setting);
        lct_put_text(k->n, to, "expected", o->expected);
        lct_put_text(k->n, to, "evidence", o->evidence);
        LCT_TRY(measured(text, sizeof text, k, o, at < last ? at : last));
        lct_put_text(k->n, to, "measured", text);
    }
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- all */

static void put_plan(const struct maker *k, json_t *all)
{
    const struct lct_extension_plan *p = k->x->plan;
    json_t *lengths = lct_put_array(k->n, all, "lengths");
    json_t *base = lct_put_array(k->n, all, "base");
    char model[96];

    for (int f = 0; f < p->factors; f++)
        add_count(k->n, lengths, lct_extension_factor(f) * LCT_EXT_TRAINED);
    for (int s = 0; s < p->seeds; s++)
        add_count(k->n, base, k->x->base[s]);
    snprintf(model, sizeof model,
             "layers=%" PRId64 ",width=%" PRId64 ",heads=%" PRId64
             ",ff=%" PRId64, p->layers, p->width, p->heads, p->ff);
    lct_put_text(k->n, all, "preset", p->name);
    lct_put_text(k->n, all, "model", model);
    lct_put_count(k->n, all, "head_dim", p->width / p->heads);
    lct_put_count(k->n, all, "trained_length", LCT_EXT_TRAINED);
    lct_put_count(k->n, all, "tuned_factor", LCT_EXT_TUNED_FACTOR);
    lct_put_count(k->n, all, "steps", p->steps);
    lct_put_count(k->n, all, "tuned_steps", (p->steps + 19) / 20);
    lct_put_count(k->n, all, "needle_steps", p->needle_steps);
    lct_put_count(k->n, all, "seeds", p->seeds);
    lct_put_count(k->n, all, "blocks", k->x->blocks);
    lct_put_count(k->n, all, "items", p->items);
    lct_put_real(k->n, all, "seconds", k->x->seconds);
}

locant_status lct_put_extension(struct lct_numbers *n)
{
    const struct lct_extension *x = n->r->extension;
    struct maker k = {.n = n, .x = x};
    json_t *all;
    locant_status status;

    if (x == NULL)
        return LOCANT_OK;
    k.seeds = (size_t)x->plan->seeds;
    k.blocks = (size_t)x->blocks;
    k.room = locant_alloc(k.seeds * k.blocks * sizeof *k.room);
    if (k.room == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for %zu losses", k.blocks);
    all = lct_put_object(n, n->all, "extension");
    put_plan(&k, all);
    status = put_methods(&k, all);
    if (status == LOCANT_OK)
        status = put_tuned(&k, all);
    if (status == LOCANT_OK)
        status = put_needle(&k, lct_put_object(n, all, "needle_trained"),
                            &x->needle_trained);
    if (status == LOCANT_OK)
        status = put_orderings(&k, all);
    locant_release(k.room);
    return status;
}
