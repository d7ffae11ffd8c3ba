/*
 * traits_case.h - encodings for tests of what all of them promise: the rows of
 * the registry, their variants, sums, and random specs of each row, with sizes
 * that they accept and random parameters in their range.
 */
#ifndef TRAITS_CASE_H
#define TRAITS_CASE_H

#include "oracle/draw.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPS 0x1p-24 /* half a unit of float32, relative */

enum { SUBJECT_SPEC = 400, SUBJECT_PARAMS = 32, SUBJECT_WIDTH = 24 };
enum { SUBJECT_HEADS = 4, SUBJECT_DIM = 128 };

struct subject {
    char spec[SUBJECT_SPEC];
    locant_encoding *whole;   /* of the spec, trained on a few tokens */
    const locant_encoding *e; /* what one of its layers uses */
    unsigned doors, traits;   /* of e */
    int64_t length_limit;
    int axes, params;
    int64_t H, G, D, W; /* heads of q, of k, channels, width: accepted */
    locant_tensor param[SUBJECT_PARAMS]; /* F64, in range */
};

/* ------------------------------------------------------------- random specs */

/* The ends of a range such as "1 .. 64", "> 0 and <= 64"; *open: 'low' itself
 * is not in it. */
static inline void range_ends(double *low, double *high, int *open,
                              const char *range)
{
    *low = -HUGE_VAL;
    *high = HUGE_VAL;
    *open = 0;
    if (sscanf(range, "%lf .. %lf", low, high) == 2)
        return;
    *low = -HUGE_VAL;
    *open = sscanf(range, "> %lf and <= %lf", low, high) > 0;
    if (!*open && sscanf(range, ">= %lf", low) != 1)
        CHECK(sscanf(range, "<= %lf", high) == 1);
}

/* out = word n (modulo their number) of "a | b | c". */
static inline void range_word(char *out, size_t size, const char *range,
                              uint64_t n)
{
    uint64_t words = 1;

    for (const char *c = range; *c != '\0'; c++)
        words += *c == '|';
    for (n %= words; n > 0; n--)
        range = strchr(range, '|') + 2;
    snprintf(out, size, "%.*s", (int)strcspn(range, " |"), range);
}

static inline void random_number(char *out, size_t size,
                                 const locant_key_info *key)
{
    double low, high, x;
    int open, integer = strcmp(key->kind, "integer") == 0;

    range_ends(&low, &high, &open, key->range);
    low = fmax(low, -20);
    high = fmin(high, fmax(24, low + 1));
    x = low + (high - low) * (1 - pow(test_uniform(), 2));
    if (open && x <= low)
        x = high;
    if (integer)
        snprintf(out, size, "%lld", (long long)floor(x));
    else
        snprintf(out, size, "%.6g", x);
}

/* A value for a key; with values of other keys it may be refused. */
static inline void random_value(char *out, size_t size,
                                const locant_key_info *key)
{
    static const char *const scalings[] = {
        "none",
        "linear(factor=3)",
        "ntk(factor=4)",
        "dynamic(factor=2,original=16)",
        "yarn(factor=4,original=64)",
        "longrope(original=16,factor=4)",
        "llama3(factor=4,original=64)",
        "proportional(partial=0.5)",
        "mixed-radix(factor=4,original=9)"
    };
    static const char *const edits[] = { "none", "cosine(pairs=2)",
                                         "pairs(n=1)", "length(length=20)",
                                         "geometric(keep=0.5)" };
    static const char *const layers[] = { "none",
                                          "rope",
                                          "alibi",
                                          "window(size=4)+rope",
                                          "t5",
                                          "relative",
                                          "learned(length=40)" };
    static const char *const expressions[] = { "-n/16", "-sqrt(n)",
                                               "-log1p(n)*(h+1)" };
    static const char *const lists[] = { "2:1:1", "1:1:2", "2:2:2",
                                         "16:24:24" };
    static const char *const maps[] = { "rope:alibi", "every(2,rope,else=none)",
                                        "list(rope:t5:none,repeat=yes)",
                                        "alibi:first(1,rope):last(1,none)" };

    if (strcmp(key->kind, "spec") == 0 && strcmp(key->name, "scaling") == 0)
        snprintf(out, size, "%s", scalings[test_rand() % LEN(scalings)]);
    else if (strcmp(key->kind, "spec") == 0 &&
             (strcmp(key->name, "freqs") == 0 ||
              strcmp(key->name, "cut") == 0 || strcmp(key->name, "taper") == 0))
        snprintf(out, size, "%s", edits[test_rand() % LEN(edits)]);
    else if (strcmp(key->kind, "spec") == 0)
        snprintf(out, size, "%s", layers[test_rand() % LEN(layers)]);
    else if (strcmp(key->kind, "list") == 0)
        snprintf(out, size, "%s", lists[test_rand() % LEN(lists)]);
    else if (strcmp(key->kind, "expression") == 0 &&
             strcmp(key->name, "map") != 0)
        snprintf(out, size, "%s", expressions[test_rand() % LEN(expressions)]);
    else if (strcmp(key->kind, "expression") == 0)
        snprintf(out, size, "%s", maps[test_rand() % LEN(maps)]);
    else if (strchr(key->range, '|') != NULL)
        range_word(out, size, key->range, test_rand());
    else
        random_number(out, size, key);
}

/* A spec of a row with half of its keys, at random; it may be refused. */
static inline void random_spec(char *out, size_t size, const char *name)
{
    locant_key_info key;
    const char *lead = "(";

    snprintf(out, size, "%s", name);
    for (int i = 0; locant_encoding_key(&key, name, i); i++) {
        size_t n = strlen(out);
        char value[96];

        if (test_rand() % 2)
            continue;
        random_value(value, sizeof(value), &key);
        snprintf(out + n, size - n, "%s%s=%s", lead, key.name, value);
        lead = ",";
    }
    if (*lead == ',')
        snprintf(out + strlen(out), size - strlen(out), ")");
}

/* ---------------------------------------------------------- every encoding */

/* clang-format off */
static const char *const traits_sums[] = {
    "rope+alibi", "window(size=5)+alibi", "window(size=3)+rope",
    "learned(length=40)+rope+t5", "rope+fox+t5+temperature",
    "dape(hidden=4)+kerple+rope", "cope(length=8)+rope+alibi",
    "sinusoidal+rope+music(length=16)", "longlora(group=4)+rope+window(size=6)",
    "rope(angles=hf)", "rope(angles=ggml)+window(size=9)",
    "swinv2(height=5,width=8)+cosine", "repo(hidden=2)+t5",
    "grape-a(gate=both)+rope", "wavlm(buckets=8,distance=9)+rope", "carope+t5",
    "selective-rope(rank=2)+t5", "path(rank=2)+t5", "fox(both=yes)+rope",
    "conformer(form=none,length=60)+rope",
    "dual-chunk(chunk=9,local=4)+rope+t5+window(size=30)",
    "pope+kerple", "xpos+t5(bidirectional=yes)", "cape+rope",
    "randomized(length=512)+rope+shaw(distance=4)", "sincos2d+rope2d+swin",
    "mrope(sections=2:1:1)+relative(distance=3)+alibi+learned2d",
    "scale-invariant+rope+ssmax+urpe(buckets=8,distance=9)",
    "stick-breaking+ssmax+window(size=7)+kerple", "scale-invariant+shaw+urpe",
    "layers(local=window(size=3)+rope,global=alibi(learned=yes)+cope,period=2)",
    "layers(map=every(3,at=1,rope,else=b),b=alibi(learned=yes)+cope)",
};
/* clang-format on */

/* Variant n of all rows' variants, or NULL. */
static inline const char *traits_variant(int n)
{
    const locant_encoding_info *row;

    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++)
        for (int k = 0; row->variants && row->variants[k].spec; k++)
            if (n-- == 0)
                return row->variants[k].spec;
    return NULL;
}

static inline int traits_rows(void)
{
    int n = 0;

    while (locant_encoding_at(n) != NULL)
        n++;
    return n;
}

/* Spec i of rows, variants and sums; NULL past the last. */
static inline const char *traits_spec(int i)
{
    int variants = 0;

    if (i < traits_rows())
        return locant_encoding_at(i)->name;
    i -= traits_rows();
    while (traits_variant(variants) != NULL)
        variants++;
    if (i < variants)
        return traits_variant(i);
    i -= variants;
    return i < (int)LEN(traits_sums) ? traits_sums[i] : NULL;
}

static inline int traits_specs(void)
{
    int n = 0;

    while (traits_spec(n) != NULL)
        n++;
    return n;
}

/* ---------------------------------------------------------------- subjects */

static inline int64_t tensor_count(const locant_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

static inline const locant_tensor *subject_params(const struct subject *s)
{
    return s->params > 0 ? s->param : NULL;
}

/* Draw parameter i: a learned one near its initial values, in its range; data
 * of the task as a shuffle of its initial values, which are valid. */
static inline void subject_value(struct subject *s, int i, double rate)
{
    int64_t n = tensor_count(&s->param[i]);
    double *x = s->param[i].data;

    CHECK_OK(locant_encoding_param_init(&s->param[i], s->e, i, test_rand()));
    for (int64_t k = 0; k < n && rate > 0; k++)
        x[k] += 0.5 * test_normal();
    for (int64_t k = n - 1; k > 0 && rate == 0; k--) {
        int64_t other = test_range(0, k);
        double keep = x[k];

        x[k] = x[other];
        x[other] = keep;
    }
    CHECK_OK(locant_encoding_param_project(&s->param[i], s->e, i));
}

static inline void subject_drop_params(struct subject *s)
{
    for (int i = 0; i < s->params; i++)
        free(s->param[i].data);
    s->params = 0;
}

/* Make parameters for the sizes; 0 if one would be empty. */
static inline int subject_make_params(struct subject *s)
{
    const locant_sizes sizes = {
        .width = s->W, .heads = s->H, .kv_heads = s->G, .head_dim = s->D
    };
    locant_param_info info;

    while (locant_encoding_param(&info, s->e, s->params, &sizes)) {
        locant_tensor *t = &s->param[s->params];

        CHECK(s->params < SUBJECT_PARAMS);
        *t = locant_dense(NULL, LOCANT_F64, info.rank, info.shape);
        if (tensor_count(t) < 1)
            return 0;
        t->data = calloc((size_t)tensor_count(t), sizeof(double));
        assert_non_null(t->data);
        subject_value(s, s->params++, info.rate);
    }
    return 1;
}

/* Do attention and the table accept these sizes? */
static inline int subject_fits(struct subject *s)
{
    static double zero[SUBJECT_HEADS * SUBJECT_DIM];
    const int64_t q[4] = { 1, s->H, 1, s->D }, k[4] = { 1, s->G, 1, s->D };
    const int64_t x[3] = { 1, 1, s->W };
    int64_t position = 0;
    locant_tensor tq = locant_dense(zero, LOCANT_F64, 4, q);
    locant_tensor tk = locant_dense(zero, LOCANT_F64, 4, k);
    locant_tensor tx = locant_dense(zero, LOCANT_F64, 3, x);
    locant_attention a = LOCANT_ATTENTION_INIT;
    size_t bytes;

    a.q = &tq;
    a.k = a.v = &tk;
    a.x = &tx;
    a.encoding = s->e;
    a.params = subject_params(s);
    a.mask = LOCANT_MASK_CAUSAL;
    if (locant_attention_workspace(&bytes, &a) != LOCANT_OK)
        return 0;
    return !(s->doors & LOCANT_DOOR_INPUT) ||
           locant_encoding_table(VIEW(F64, zero, 1, s->W), s->e,
                                 VIEW(I64, &position, 1),
                                 subject_params(s)) == LOCANT_OK;
}

/* Find sizes that the encoding accepts; 0 if there seem to be none. */
static inline int subject_fit(struct subject *s)
{
    static const int64_t dims[] = { 4, 8, 12, 16, 24, 32, 64, 128 };

    for (int k = 0; k < 200; k++) {
        s->H = test_range(1, SUBJECT_HEADS);
        s->G = k % 2 || s->H % 2 ? s->H : s->H / 2;
        s->D = k < 20 ? 2 * test_range(1, 8) : dims[test_rand() % LEN(dims)];
        s->W = k < 20 ? test_range(1, SUBJECT_WIDTH) : 8 * test_range(1, 3);
        if (subject_make_params(s) && subject_fits(s))
            return 1;
        subject_drop_params(s);
    }
    return 0;
}

/* Returns 0 if the spec or every size is refused; else call subject_close(). */
static inline int subject_open(struct subject *s, const char *spec)
{
    locant_encoding *e;

    memset(s, 0, sizeof(*s));
    if (locant_encoding_create(&e, spec) != LOCANT_OK)
        return 0;
    snprintf(s->spec, sizeof(s->spec), "%s", spec);
    CHECK_OK(locant_encoding_resolve(&s->whole, e, test_range(24, 40)));
    locant_encoding_free(e);
    s->e = locant_encoding_layer(NULL, s->whole, test_range(0, 5));
    s->doors = locant_encoding_doors(s->e);
    s->traits = locant_encoding_traits(s->e);
    s->length_limit = locant_encoding_length_limit(s->e);
    s->axes = locant_encoding_axes(s->e);
    if (subject_fit(s))
        return 1;
    locant_encoding_free(s->whole);
    return 0;
}

static inline void subject_close(struct subject *s)
{
    subject_drop_params(s);
    locant_encoding_free(s->whole);
}

/* A random spec of row i that is accepted. */
static inline void subject_open_random(struct subject *s, int i)
{
    char spec[SUBJECT_SPEC];

    do
        random_spec(spec, sizeof(spec), locant_encoding_at(i)->name);
    while (!subject_open(s, spec));
}

typedef int (*subject_wanted)(const struct subject *s);
typedef void (*subject_test)(const struct subject *s);

/* fn 'cases' times on spec i, or on random specs of row -1 - i. */
static inline int traits_run(int i, int cases, subject_wanted wanted,
                             subject_test fn)
{
    int each = cases < 1000 ? 10 : 50, met = 0; /* of one subject */
    struct subject s;

    for (int k = 0; k < cases; k += each) {
        if (i < 0)
            subject_open_random(&s, -1 - i);
        else if (!subject_open(&s, traits_spec(i)))
            FAIL("%s: %s", traits_spec(i), locant_last_error());
        for (int n = 0; n < each && wanted(&s); n++) {
            fn(&s);
            met = 1;
        }
        subject_close(&s);
    }
    return met;
}

/* 'cases' of every spec, and of random ones of every row, where wanted. */
static inline void traits_all(int cases, subject_wanted wanted, subject_test fn)
{
    int met = 0, n = traits_specs();

    for (int i = -traits_rows(); i < n; i++)
        met += traits_run(i, cases, wanted, fn);
    CHECK(met > 0);
}

/*
 * For the properties that are promised of every encoding: with LOCANT_CASES=n,
 * random specs of each row get n cases, and each spec that is written down a
 * tenth of that.
 */
static inline void traits_each(int usual, subject_wanted wanted,
                               subject_test fn)
{
    int cases = test_cases(usual), fixed = cases / 10, met = 0;
    int n = traits_specs();

    for (int i = -traits_rows(); i < 0; i++)
        met += traits_run(i, cases, wanted, fn);
    for (int i = 0; i < n; i++)
        met += traits_run(i, fixed > usual ? fixed : usual, wanted, fn);
    CHECK(met > 0);
}

/* For claims about every subject. */
static inline int any(const struct subject *s)
{
    (void)s;
    return 1;
}
#endif
