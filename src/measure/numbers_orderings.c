/*
 * numbers_orderings.c - puts how papers order the methods beyond the trained
 * length, and the order found here.
 */
#include "numbers_extension.h"
#include "statistics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What methods are ordered by: loss, loss of short inputs, needles found; or
   the loss of fine-tunes. */
enum what { LOSS, SHORT, NEEDLE, TUNED };
enum { LAST = -1 };

/* How papers order the methods 'ids' at index 'at' of the factors; LAST is the
   last that was measured. */
/* clang-format off */
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
/* clang-format on */

#define OF_ORDERING(member) LCT_FIELD(struct ordering, member)
static const struct lct_field fields[] = { OF_ORDERING(setting),
                                           OF_ORDERING(expected),
                                           OF_ORDERING(evidence),
                                           LCT_FIELDS_END };

struct entry {
    const char *title;
    const double *loss; /* [seeds, blocks] */
    const struct lct_extension_needle *needle;
    double value; /* entries are sorted by it, the lowest first */
};

/* Find the method or fine-tune of that id, at index 'at' of the factors. */
static bool find_entry(struct entry *e, const struct lct_extension *x,
                       enum what what, int at, const char *id)
{
    const bool tuned = what == TUNED;
    const int n = tuned ? lct_extension_tunings() : lct_extension_methods();

    for (int i = 0; i < n; i++) {
        const struct lct_extension_row *row =
            &x->row[tuned ? lct_extension_methods() + i : i];

        if (strcmp(tuned ? lct_extension_tuning(i)->id
                         : lct_extension_method(i)->id,
                   id) != 0)
            continue;
        e->title = tuned ? lct_extension_tuning(i)->title
                         : lct_extension_method(i)->title;
        e->loss = what == SHORT ? row->short_inputs.loss : row->at[at].loss;
        e->needle = &row->needle[at];
        e->value = 0;
        return true;
    }
    return false;
}

static double mean_of_seed(const struct lct_paired_losses *p,
                           const struct entry *e, size_t seed)
{
    double sum = 0;

    for (size_t b = 0; b < p->blocks; b++)
        sum += e->loss[seed * p->blocks + b];
    return sum / (double)p->blocks;
}

/* Drop entries without a loss for any seed, and return how many remain.
   common[seed]: all of those have a loss for that seed. */
static int find_common(bool *common, const struct lct_paired_losses *p,
                       struct entry *e, int n)
{
    int kept = 0;

    for (size_t s = 0; s < p->seeds; s++)
        common[s] = true;
    for (int i = 0; i < n; i++) {
        bool has[LCT_EXT_SEEDS], any = false;

        for (size_t s = 0; s < p->seeds; s++) {
            has[s] = isfinite(mean_of_seed(p, &e[i], s));
            any = any || has[s];
        }
        for (size_t s = 0; s < p->seeds && any; s++)
            common[s] = common[s] && has[s];
        if (any)
            e[kept++] = e[i];
    }
    return kept;
}

/*
 * Set the value of each entry, and return the number of seeds in it. Losses are
 * summed over the seeds that every entry has, because sums over different seeds
 * cannot be compared. For needles every zero-shot method has the same runs.
 */
static int set_values(bool *common, struct entry *e, int *n,
                      const struct lct_paired_losses *p, enum what what)
{
    int seeds = 0;

    for (int i = 0; what == NEEDLE && i < *n; i++) {
        e[i].value = -(double)e[i].needle->exact / (double)e[i].needle->items;
        if (e[i].needle->items == 0)
            *n = 0; /* no entry has needles */
    }
    if (what == NEEDLE)
        return (int)p->seeds;
    *n = find_common(common, p, e, *n);
    for (size_t s = 0; s < p->seeds; s++) {
        seeds += common[s];
        for (int i = 0; i < *n && common[s]; i++)
            e[i].value += mean_of_seed(p, &e[i], s);
    }
    *n = seeds > 0 ? *n : 0;
    return seeds;
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

/* The number of pairs that any ordering could make neighbours: which ones are
   depends on the losses, so the tests are corrected for all of them. */
static int pairs(void)
{
    int all = 0;

    for (size_t i = 0; i < sizeof orderings / sizeof orderings[0]; i++) {
        int n = 0;

        while (n < 10 && orderings[i].ids[n] != NULL)
            n++;
        all += n * (n - 1) / 2;
    }
    return all;
}

/* Compare the differences of a pair, a mean of each seed: "=" if all are 0, "<"
   if the t test, corrected by Bonferroni, finds b above a, else "about equal".
   With fewer than LCT_TESTED_SEEDS, "<" says that b is above a in every run. */
static locant_status compare_losses(const char **sign, const double *d,
                                    size_t seeds)
{
    locant_difference found;
    size_t above = 0, equal = 0;

    for (size_t s = 0; s < seeds; s++) {
        above += d[s] > 0;
        equal += d[s] == 0;
    }
    LCT_TRY(locant_paired(&found, d, seeds, LCT_LEVEL));
    if (equal == seeds)
        *sign = " = ";
    else if (seeds < LCT_TESTED_SEEDS
                 ? above == seeds
                 : found.mean > 0 && found.t_p * pairs() < 1 - LCT_LEVEL)
        *sign = " < ";
    return LOCANT_OK;
}

/* Choose the sign between neighbours a and b, of which a comes first. */
static locant_status find_sign(const char **sign,
                               const struct lct_paired_losses *p,
                               const struct entry *a, const struct entry *b,
                               enum what what, const bool *common)
{
    const double level = 1 - (1 - LCT_LEVEL) / pairs();
    const struct lct_extension_needle *x = a->needle, *y = b->needle;
    double low, high, unused, d[LCT_EXT_SEEDS];
    size_t seeds = 0;

    *sign = " \xe2\x89\x88 ";
    if (what == NEEDLE) {
        LCT_TRY(locant_wilson(&low, &unused, (size_t)x->exact, (size_t)x->items,
                              level));
        LCT_TRY(locant_wilson(&unused, &high, (size_t)y->exact,
                              (size_t)y->items, level));
        *sign = low > high ? " > " : *sign;
        return LOCANT_OK;
    }
    for (size_t s = 0; s < p->seeds; s++)
        if (common[s])
            d[seeds++] = mean_of_seed(p, b, s) - mean_of_seed(p, a, s);
    return compare_losses(sign, d, seeds);
}

static void put_measured(const struct lct_paired_losses *p, json_t *to,
                         const struct ordering *o)
{
    const struct lct_extension *x = p->n->r->extension;
    const int last = x->plan->factors - 1;
    const int at = o->at == LAST || o->at > last ? last : o->at;
    bool common[LCT_EXT_SEEDS];
    struct entry e[10];
    char text[512] = "";
    size_t used = 0;
    int n = 0, seeds;

    for (int i = 0; i < 10 && o->ids[i]; i++)
        n += find_entry(&e[n], x, o->what, at, o->ids[i]);
    seeds = set_values(common, e, &n, p, o->what);
    sort(e, n);
    for (int i = 0; i < n && used < sizeof text; i++) {
        const char *sign = "";

        if (i > 0)
            lct_numbers_check(
                p->n, find_sign(&sign, p, &e[i - 1], &e[i], o->what, common));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", sign,
                                 e[i].title);
    }
    if (n > 0 && (size_t)seeds < p->seeds && used < sizeof text)
        snprintf(text + used, sizeof text - used, " (n = %d)", seeds);
    lct_put_text(p->n, to, "measured", text);
    lct_put_count(p->n, to, "seeds", seeds);
}

void lct_paired_put_orderings(const struct lct_paired_losses *p, json_t *all)
{
    json_t *list = lct_put_array(p->n, all, "orderings");

    for (size_t i = 0; i < sizeof orderings / sizeof orderings[0]; i++) {
        json_t *to = lct_add_object(p->n, list);

        lct_put_fields(p->n, to, fields, &orderings[i]);
        put_measured(p, to, &orderings[i]);
    }
}
