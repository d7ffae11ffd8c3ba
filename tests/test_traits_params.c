/*
 * test_traits_params.c - what every encoding tells about its parameters holds:
 * LEARNED, shapes, layers, first values, ranges.
 */
#include "traits_case.h"

static locant_sizes sizes_of(const struct subject *s)
{
    return (locant_sizes){
        .width = s->W, .heads = s->H, .kv_heads = s->G, .head_dim = s->D
    };
}

static int learns(const struct subject *s)
{
    return s->params > 0;
}

/* A tensor like parameter i, of this dtype; free() its data. */
static locant_tensor like(const struct subject *s, int i, locant_dtype dtype)
{
    locant_tensor t =
        locant_dense(NULL, dtype, s->param[i].rank, s->param[i].shape);

    t.data = calloc((size_t)tensor_count(&t), sizeof(double));
    assert_non_null(t.data);
    return t;
}

static double value(const locant_tensor *t, int64_t i)
{
    return t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                  : (double)((const float *)t->data)[i];
}

static int same(const locant_tensor *a, const locant_tensor *b)
{
    for (int64_t i = 0; i < tensor_count(a); i++)
        if (value(a, i) != value(b, i))
            return 0;
    return 1;
}

/* ------------------------------------------------------------- what is told */

static int commas(const char *text)
{
    int n = 0;

    for (; *text != '\0'; text++)
        n += *text == ',';
    return n;
}

static void check_info(const struct subject *s, int i)
{
    const locant_sizes sizes = sizes_of(s);
    locant_param_info info, other;

    CHECK(locant_encoding_param(&info, s->e, i, &sizes) == 1);
    if (info.name[0] == '\0' || info.doc == NULL || strlen(info.doc) < 3 ||
        info.dims[0] != '[' || info.dims[strlen(info.dims) - 1] != ']' ||
        commas(info.dims) + 1 != info.rank || !(info.rate >= 0) ||
        (info.doors & ~s->doors) != 0)
        FAIL("%s: parameter %d, '%s' %s, is not well described", s->spec, i,
             info.name, info.dims);
    for (int k = 0; k < info.rank; k++)
        CHECK(info.shape[k] > 0);
    /* A size that is not known is 0; no other differs. */
    CHECK(locant_encoding_param(&other, s->e, i, NULL) == 1);
    for (int k = 0; k < info.rank; k++)
        CHECK(other.shape[k] == info.shape[k] || other.shape[k] == 0);
}

static void check_names(const struct subject *s)
{
    locant_param_info a, b;
    char name[128];

    for (int i = 0; i < s->params; i++) {
        CHECK(locant_encoding_param(&a, s->e, i, NULL) == 1);
        snprintf(name, sizeof(name), "%s", a.name);
        for (int k = 0; k < i; k++) {
            CHECK(locant_encoding_param(&b, s->e, k, NULL) == 1);
            if (strcmp(name, b.name) == 0)
                FAIL("%s: two parameters are named '%s'", s->spec, name);
        }
    }
}

static void told(const struct subject *s)
{
    const locant_sizes sizes = sizes_of(s);
    locant_param_info info;
    int learned = 0;

    for (int i = 0; i < s->params; i++) {
        check_info(s, i);
        CHECK(locant_encoding_param(&info, s->e, i, &sizes) == 1);
        learned |= info.rate > 0;
    }
    check_names(s);
    CHECK(locant_encoding_param(&info, s->e, s->params, &sizes) == 0);
    CHECK(locant_encoding_param(&info, s->e, -1, &sizes) == 0);
    if (learned != !!(s->traits & LOCANT_TRAIT_LEARNED))
        FAIL("%s: the trait LEARNED is wrong", s->spec);
}

TEST(parameters_are_what_is_told)
{
    traits_all(20, any, told);
}

/* Does the row have this key? */
static int has_key(const char *name, const char *wanted)
{
    locant_key_info key;

    for (int i = 0; locant_encoding_key(&key, name, i); i++)
        if (strcmp(key.name, wanted) == 0)
            return 1;
    return 0;
}

static void check_layers_of(const char *name, const char *word, int per_layer)
{
    locant_param_info info;
    locant_encoding *e;
    char spec[96];

    snprintf(spec, sizeof(spec), "%s(share=%s)", name, word);
    e = test_create(spec);
    CHECK(locant_encoding_param(&info, e, 0, NULL) == 1);
    for (int i = 0; locant_encoding_param(&info, e, i, NULL); i++)
        if (info.per_layer != per_layer)
            FAIL("%s: each layer %s its own '%s'", spec,
                 info.per_layer ? "has" : "lacks", info.name);
    locant_encoding_free(e);
}

TEST(layers_share_as_the_key_says)
{
    const locant_encoding_info *row;
    int met = 0;

    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++) {
        if (!has_key(row->name, "share"))
            continue;
        check_layers_of(row->name, "yes", 0);
        check_layers_of(row->name, "no", 1);
        met++;
    }
    CHECK(met >= 10);
}

/* ------------------------------------------------------------- first values */

static void one_first_value(const struct subject *s, int i)
{
    uint64_t seed = test_rand();
    locant_tensor a = like(s, i, LOCANT_F64), b = like(s, i, LOCANT_F64);
    locant_tensor f = like(s, i, LOCANT_F32);

    CHECK_OK(locant_encoding_param_init(&a, s->e, i, seed));
    CHECK_OK(locant_encoding_param_init(&b, s->e, i, seed));
    CHECK_OK(locant_encoding_param_init(&f, s->e, i, seed));
    CHECK(same(&a, &b));
    for (int64_t k = 0; k < tensor_count(&a); k++)
        CHECK(isfinite(value(&a, k)) &&
              value(&f, k) == (double)(float)value(&a, k));
    /* Values in range stay: projecting them changes nothing. */
    CHECK_OK(locant_encoding_param_project(&b, s->e, i));
    if (!same(&a, &b))
        FAIL("%s: parameter %d starts out of its range", s->spec, i);
    free(a.data);
    free(b.data);
    free(f.data);
}

static void start(const struct subject *s)
{
    for (int i = 0; i < s->params; i++)
        one_first_value(s, i);
}

TEST(first_values_follow_the_seed_within_range)
{
    traits_each(20, learns, start);
}

/* Do two seeds give one of its parameters other values? */
static int seeds_differ(const struct subject *s)
{
    int differ = 0;

    for (int i = 0; i < s->params; i++) {
        locant_tensor a = like(s, i, LOCANT_F64), b = like(s, i, LOCANT_F64);

        CHECK_OK(locant_encoding_param_init(&a, s->e, i, 1));
        CHECK_OK(locant_encoding_param_init(&b, s->e, i, 2));
        differ |= !same(&a, &b);
        free(a.data);
        free(b.data);
    }
    return differ;
}

/* Rows all of whose values start where their papers put them. */
static int starts_alike(const char *name, const char *spec)
{
    static const char *const rows[] = { "alibi",      "beit", "cope",
                                        "cosine",     "pope", "ssmax",
                                        "sinusoidal", "urpe" };

    for (size_t i = 0; i < LEN(rows); i++)
        if (strcmp(name, rows[i]) == 0)
            return 1;
    return strcmp(name, "grape-m") == 0 && strstr(spec, "rank2") == NULL;
}

TEST(first_values_differ_by_seed)
{
    const char *spec;
    int met = 0;

    for (int i = 0; (spec = traits_spec(i)) != NULL; i++) {
        struct subject s;

        CHECK(subject_open(&s, spec));
        if (s.params > 0 && strchr(spec, '+') == NULL &&
            strncmp(spec, "layers", 6) != 0) {
            if (seeds_differ(&s) ==
                starts_alike(locant_encoding_info_of(s.e)->name, spec))
                FAIL("%s: do first values differ by seed?", spec);
            met++;
        }
        subject_close(&s);
    }
    CHECK(met > 0);
}

/* --------------------------------------------------------------- projection */

static void once_is_enough(const struct subject *s)
{
    for (int i = 0; i < s->params; i++) {
        locant_dtype dtype = test_rand() % 2 ? LOCANT_F32 : LOCANT_F64;
        locant_tensor a = like(s, i, dtype), b = like(s, i, dtype);
        double size = pow(10, (double)test_range(-3, 4));
        size_t bytes = (size_t)tensor_count(&a) * locant_dtype_size(dtype);

        for (int64_t k = 0; k < tensor_count(&a); k++) {
            double x = size * test_normal();

            if (dtype == LOCANT_F64)
                ((double *)a.data)[k] = x;
            else
                ((float *)a.data)[k] = (float)x;
        }
        CHECK_OK(locant_encoding_param_project(&a, s->e, i));
        memcpy(b.data, a.data, bytes);
        CHECK_OK(locant_encoding_param_project(&b, s->e, i));
        if (memcmp(a.data, b.data, bytes) != 0)
            FAIL("%s: projecting parameter %d twice is not once", s->spec, i);
        for (int64_t k = 0; k < tensor_count(&a); k++)
            CHECK(isfinite(value(&a, k)));
        free(a.data);
        free(b.data);
    }
}

TEST(projection_is_idempotent)
{
    traits_each(20, learns, once_is_enough);
}

/* ---------------------------------------------------------------- refusals */

static void refuse(locant_status got, locant_status want, const char *fn,
                   const struct subject *s)
{
    if (got != want || strncmp(locant_last_error(), fn, strlen(fn)) != 0)
        FAIL("%s: %s, expected %s: %s", s->spec, locant_status_name(got),
             locant_status_name(want), locant_last_error());
}

static void refuse_all(const struct subject *s)
{
    static const char init[] = "locant_encoding_param_init";
    static const char project[] = "locant_encoding_param_project";
    int i = (int)test_range(0, s->params - 1);
    locant_tensor t = like(s, i, LOCANT_F64), bad = t;
    size_t bytes = (size_t)tensor_count(&t) * sizeof(double);
    unsigned char *before = malloc(bytes);

    assert_non_null(before);
    memset(t.data, 0x3f, bytes);
    memcpy(before, t.data, bytes);
    bad.rank = t.rank + 1;
    bad.shape[t.rank] = bad.stride[t.rank] = 1;
    refuse(locant_encoding_param_init(&bad, s->e, i, 1), LOCANT_ERR_SHAPE, init,
           s);
    refuse(locant_encoding_param_project(&bad, s->e, i), LOCANT_ERR_SHAPE,
           project, s);
    bad = t;
    bad.dtype = LOCANT_I64;
    refuse(locant_encoding_param_init(&bad, s->e, i, 1), LOCANT_ERR_DTYPE, init,
           s);
    refuse(locant_encoding_param_project(&bad, s->e, i), LOCANT_ERR_DTYPE,
           project, s);
    refuse(locant_encoding_param_init(&t, s->e, s->params, 1), LOCANT_ERR_PARAM,
           init, s);
    refuse(locant_encoding_param_project(&t, s->e, -1), LOCANT_ERR_PARAM,
           project, s);
    refuse(locant_encoding_param_init(&t, NULL, i, 1), LOCANT_ERR_NULL, init,
           s);
    refuse(locant_encoding_param_init(NULL, s->e, i, 1), LOCANT_ERR_NULL, init,
           s);
    refuse(locant_encoding_param_project(NULL, s->e, i), LOCANT_ERR_NULL,
           project, s);
    CHECK(memcmp(before, t.data, bytes) == 0);
    free(before);
    free(t.data);
}

TEST(wrong_calls_are_refused)
{
    traits_all(10, learns, refuse_all);
}
