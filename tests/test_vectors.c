/* needs: lab
 * test_vectors.c - golden vectors: their files, the library's own results, and
 * what other conventions are recognised as
 */
#define _GNU_SOURCE
#include "scratch.h"
#include "vectors_case.h"

#include "locant/files.h"
#include "locant/models.h"
#include "oracle/oracle.h"
#include "vectors/vector_tolerance.h"

/* Tensors of a dump that is being made. */
struct dump {
    locant_named_tensor *at;
    size_t n;
};

static void add(struct dump *d, const struct lct_vector_cases *cases,
                const struct lct_vector_case *c,
                const struct vectors_slip *slip)
{
    double *memory = malloc(VECTORS_MOST * sizeof *memory);

    assert_non_null(memory);
    if (!vectors_compute(&d->at[d->n].tensor, memory, cases, c, slip)) {
        free(memory);
        return;
    }
    d->at[d->n++].name = c->name;
}

static void finish(struct dump *d, const char *path)
{
    CHECK_OK(locant_tensors_write(path, d->at, d->n, NULL, 0));
    for (size_t i = 0; i < d->n; i++)
        free(d->at[i].tensor.data);
    free(d->at);
}

static void begin(struct dump *d, struct lct_vector_cases *cases,
                  const char *only)
{
    CHECK_OK(lct_vector_cases_make(cases, only));
    d->at = calloc(cases->n, sizeof *d->at);
    d->n = 0;
    assert_non_null(d->at);
}

struct seen {
    int64_t failures;
    char first[900]; /* the first failure */
    char like[900];  /* what it looks like */
};

static int see(const locant_vectors_result *r, void *context)
{
    struct seen *s = context;

    if (r->verdict == LOCANT_VECTORS_FAIL && s->failures++ == 0) {
        snprintf(s->first, sizeof s->first, "%s: %s", r->name, r->where);
        snprintf(s->like, sizeof s->like, "%s", r->looks_like);
    }
    return 0;
}

/* Failures but for YaRN without truncation in float64: the library takes the
   ends of its ramp in double, so frequencies are off by 2^-48 of themselves. */
static int see_but_double(const locant_vectors_result *r, void *context)
{
    return strstr(r->name, "no-truncate/f64/") == NULL ? see(r, context) : 0;
}

/* Every case that the library has a function for, in every type. */
TEST(the_library_passes_its_own_vectors)
{
    static const struct vectors_slip none = { 0 };
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "dump.safetensors");
    struct lct_vector_cases cases;
    locant_vectors_counts n;
    struct seen s = { 0 };
    struct dump d;
    size_t made;

    begin(&d, &cases, NULL);
    for (size_t i = 0; i < cases.n; i++)
        add(&d, &cases, &cases.all[i], &none);
    made = d.n;
    finish(&d, path);
    CHECK_OK(locant_vectors_verify(&n, path, NULL, 0, see_but_double, &s));
    if (s.failures > 0)
        FAIL("%lld fail: %s (%s)\n", (long long)n.failed, s.first, s.like);
    CHECK_OK(locant_vectors_verify(&n, path, NULL, 1, see, &s));
    assert_int_equal(s.failures, 0);
    assert_int_equal(n.passed, made);
    assert_int_equal(n.unknown, 0);
    assert_int_equal(n.passed + n.missing, cases.n);
    assert_true(made > 2700);
    lct_vector_cases_free(&cases);
    scratch_remove(&folder);
}

/* The dump of one case with a slip; what verify says it matches. */
static void check_like(const char *name, struct vectors_slip slip,
                       const char *want)
{
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "dump.safetensors");
    struct lct_vector_cases cases;
    locant_vectors_counts n;
    struct seen s = { 0 };
    struct dump d;

    begin(&d, &cases, name);
    add(&d, &cases, lct_vector_cases_find(&cases, name), &slip);
    assert_int_equal(d.n, 1);
    finish(&d, path);
    CHECK_OK(locant_vectors_verify(&n, path, name, 0, see, &s));
    if (n.failed != 1 || strcmp(s.like, want) != 0)
        FAIL("%s: %lld failed, matches '%s', expected '%s'; %s\n", name,
             (long long)n.failed, s.like, want, s.first);
    lct_vector_cases_free(&cases);
    scratch_remove(&folder);
}

/* clang-format off */
TEST(other_conventions_are_recognised)
{
#define LIKE(name, want, ...)                                                 \
    check_like(name, (struct vectors_slip){ __VA_ARGS__ }, want)
    LIKE("rope/half/none/f32/q",
         "pairing=interleaved (rope/interleaved/none)",
         .spec = "rope(pairing=interleaved)");
    LIKE("rope/half/none/bf16/k",
         "pairing=interleaved (rope/interleaved/none)",
         .spec = "rope(pairing=interleaved)");
    LIKE("rope/half-trailing-32/none/f32/q",
         "without side=trailing (rope/half-leading-32/none)",
         .spec = "rope(dim=32)");
    LIKE("rope/half/none/f32/dq", "angles of the other sign", .inverse = 1);
    LIKE("rope/half/none/f16/q", "angles of the other sign", .inverse = 1);
    LIKE("rope/half/none/f32/q", "positions that begin at 1", .offset = 1);
    LIKE("rope/half/none/f32/q", "angles rounded to float32",
         .spec = "rope(angles=hf)");
    LIKE("rope/half/none/f32/q",
         "pairing=interleaved (rope/interleaved/none), angles rounded",
         .spec = "rope(angles=hf,pairing=interleaved)");
    LIKE("rope/half/yarn-4-32768/f32/q",
         "without scaling=yarn(factor=4,original=32768)"
         " (rope/half/base-1000000)",
         .spec = "rope(base=1000000)");
    LIKE("rope/half/yarn-4-32768/f32/q", "no attention factor",
         .spec = "rope(base=1000000,scaling=yarn(factor=4,original=32768,"
                 "attention=1))");
    LIKE("rope/half/llama3-8/f32/k",
         "scaling=llama3(factor=32,low=1,high=4,original=8192), without "
         "scaling=llama3(factor=8,low=1,high=4,original=8192) "
         "(rope/half/llama3-32)",
         .spec = "rope(base=500000,scaling=llama3(factor=32))");
    LIKE("rope/half/none/f32/scores", "no division by sqrt(channels)",
         .factor = 8);
    LIKE("rope/half/yarn-40-4096-mscale-0.707/f64/scores",
         "scores without the factor of mscale",
         .factor = 1 / oracle_rope_score("rope(scaling=yarn(factor=40,"
                                         "mscale-all=0.707,score=yes))"));
    LIKE("mrope/chunked/f32/q", "", .spec = "mrope(base=1000000,"
         "sections=8:11:13)");
    LIKE("mrope/chunked/f32/q",
         "layout=video, without base=1000000 (mrope/video)",
         .spec = "mrope(sections=8:12:12,layout=video)");
    LIKE("rope2d/axial/f32/q", "form=sam2 (rope2d/sam2)",
         .spec = "rope2d(form=sam2)");
    LIKE("sinusoidal/interleaved/f32/table",
         "form=split (sinusoidal/split)", .spec = "sinusoidal(form=split)");
    LIKE("sinusoidal/split/bf16/table", "positions that begin at 2",
         .spec = "sinusoidal(form=split,start=2)");
    LIKE("alibi/press-12/f32/bias", "the other sign", .factor = -1);
    LIKE("alibi/press-12/f32/bias", "dialect=bloom (alibi/bloom-12)",
         .spec = "alibi(dialect=bloom)");
    LIKE("alibi/slopes/8/f32/slopes", "max=16 (alibi/slopes-max-16/8)",
         .spec = "alibi(max=16)");
    LIKE("t5/bidirectional-32-128/i64/buckets",
         "without bidirectional=yes (t5/causal-32-128)",
         .spec = "t5(buckets=32,distance=128)");
}
/* clang-format on */

static void check_place(const char *name, size_t at, const char *want)
{
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "dump.safetensors");
    static const struct vectors_slip none = { 0 };
    struct lct_vector_cases cases;
    locant_vectors_counts n;
    struct seen s = { 0 };
    struct dump d;

    begin(&d, &cases, name);
    add(&d, &cases, lct_vector_cases_find(&cases, name), &none);
    ((float *)d.at[0].tensor.data)[at] += 1;
    finish(&d, path);
    CHECK_OK(locant_vectors_verify(&n, path, name, 0, see, &s));
    if (n.failed != 1 ||
        strncmp(s.first + strlen(name) + 2, want, strlen(want)) != 0)
        FAIL("%lld failed; '%s', expected '%s'\n", (long long)n.failed, s.first,
             want);
    lct_vector_cases_free(&cases);
    scratch_remove(&folder);
}

TEST(the_first_difference_is_named)
{
    check_place("rope/half/none/f32/q", 4 * 64 + 35,
                "position 4095, pair 3 (channel 35): ");
    check_place("rope/half-trailing-32/none/f32/q", 3,
                "position 0, channel 3, which is not rotated: ");
    check_place("rope/interleaved/none/f32/k", 8 * 64 + 35,
                "position 2147483647, pair 17 (channel 35): ");
    check_place("rope/half/none/f32/scores", 2 * 9 + 7,
                "query at 255, key at 1048576: ");
    check_place("angles/32/none/f32/cos", 16 + 5, "position 1, pair 5: ");
    check_place("mrope/chunked/f32/q", 3 * 64,
                "position (2, 7, 5), channel 0: ");
    check_place("alibi/press-8/f32/bias", 5 * 25 + 3 * 5 + 2,
                "head 5, query at 257, key at 255: ");
    check_place("alibi/slopes/12/f32/slopes", 11, "head 11: ");
    check_place("t5/causal-8-20/f32/dtable", 4 * 3 + 1, "bucket 3, head 1: ");
}

/* A causal mask hides the keys behind the query, whatever they hold. */
TEST(hidden_entries_do_not_count)
{
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "dump.safetensors");
    const char *name = "alibi/press-8/f32/bias";
    static const struct vectors_slip none = { 0 };
    struct lct_vector_cases cases;
    locant_vectors_counts n;
    struct dump d;

    begin(&d, &cases, name);
    add(&d, &cases, lct_vector_cases_find(&cases, name), &none);
    ((float *)d.at[0].tensor.data)[5 * 25 + 2 * 5 + 3] = -INFINITY;
    finish(&d, path);
    CHECK_OK(locant_vectors_verify(&n, path, name, 0, NULL, NULL));
    assert_int_equal(n.passed, 1);
    lct_vector_cases_free(&cases);
    scratch_remove(&folder);
}

/* Float32 angles pass where they may be rounded, wrong ones do not. */
TEST(rounded_angles_may_be_allowed)
{
    static const struct vectors_slip slips[] = {
        { .spec = "rope(angles=hf)" },
        { .spec = "rope(angles=ggml)" },
        { .spec = "rope(angles=hf,pairing=interleaved)" }
    };
    const char *name = "rope/half/none/f32/q";

    for (size_t i = 0; i < LEN(slips); i++) {
        struct scratch folder = scratch_make();
        const char *path = scratch_file(&folder, "dump.safetensors");
        struct lct_vector_cases cases;
        locant_vectors_counts exact, rounded;
        struct dump d;

        begin(&d, &cases, name);
        add(&d, &cases, lct_vector_cases_find(&cases, name), &slips[i]);
        finish(&d, path);
        CHECK_OK(locant_vectors_verify(&exact, path, name, 0, NULL, NULL));
        CHECK_OK(locant_vectors_verify(&rounded, path, name, 1, NULL, NULL));
        assert_int_equal(exact.failed, 1);
        assert_int_equal(rounded.passed, i < 2);
        lct_vector_cases_free(&cases);
        scratch_remove(&folder);
    }
}

/* Where double is exact enough, the oracle and the exact values agree: 2^-53
   of the angle, at most 4096 rad, and some roundings. */
TEST(exact_values_are_those_of_the_oracle)
{
    struct lct_vector_cases cases;
    size_t compared = 0;

    CHECK_OK(lct_vector_cases_make(&cases, "rope/*/f64/q"));
    for (size_t i = 0; i < cases.n; i++) {
        const struct lct_vector_case *c = &cases.all[i];
        const struct lct_vector_group *g = &cases.groups[c->group];
        const struct lct_vector_values *v;
        int64_t positions[16];
        cx row[LCT_VECTOR_DIM];
        struct oracle_call call = { .spec = g->spec,
                                    .B = 1,
                                    .H = 1,
                                    .G = 1,
                                    .T = g->queries->n,
                                    .D = LCT_VECTOR_DIM,
                                    .q_pos = positions };

        if (!c->wanted)
            continue;
        CHECK_OK(lct_vector_cases_values(&v, &cases, c->group, c->quantity));
        for (int64_t t = 0; t < call.T; t++)
            positions[t] = lct_vector_groups_position(g->queries, t);
        for (int64_t t = 0; t < call.T && positions[t] <= 4096; t++) {
            for (int d = 0; d < LCT_VECTOR_DIM; d++)
                row[d] =
                    lct_vector_inputs_at(LCT_VECTOR_Q, t * LCT_VECTOR_DIM + d);
            for (int d = 0; d < LCT_VECTOR_DIM; d++) {
                double got = v->value[t * LCT_VECTOR_DIM + d];
                double want = creal(
                    oracle_of("rope")->rotated(&call, 0, 0, 0, t, row, d));

                if (!(fabs(got - want) <= 0x1p-38))
                    FAIL("%s, position %lld, channel %d: %.17g, oracle "
                         "%.17g\n",
                         c->name, (long long)positions[t], d, got, want);
                compared++;
            }
        }
    }
    assert_true(compared > 30000);
    lct_vector_cases_free(&cases);
}

TEST(the_same_bytes_are_written_again)
{
    static const char *const names[] = { "vectors.safetensors",
                                         "vectors.json" };
    struct scratch folder = scratch_make();

    for (int i = 0; i < 2; i++)
        CHECK_OK(locant_vectors_write(scratch_file(&folder, i ? "b" : "a"),
                                      "rope/half"));
    for (int i = 0; i < 2; i++) {
        char a[PATH_MAX], b[PATH_MAX];
        size_t n[2];
        char *bytes[2];

        snprintf(a, sizeof a, "%s/a/%s", folder.path, names[i]);
        snprintf(b, sizeof b, "%s/b/%s", folder.path, names[i]);
        bytes[0] = scratch_read(a, &n[0]);
        bytes[1] = scratch_read(b, &n[1]);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
    scratch_remove(&folder);
}

TEST(refuses_what_it_cannot_read)
{
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "broken.safetensors");
    locant_vectors_counts n;

    CHECK_OK(locant_file_write(path, "12345678{}", 10));
    assert_int_equal(locant_vectors_verify(&n, path, NULL, 0, NULL, NULL),
                     LOCANT_ERR_FORMAT);
    assert_int_equal(locant_vectors_verify(&n, scratch_file(&folder, "none"),
                                           NULL, 0, NULL, NULL),
                     LOCANT_ERR_IO);
    CHECK_REFUSED(locant_vectors_write(folder.path, "ropes"), LOCANT_ERR_PARAM,
                  "'ropes' matches no case; a case is named as "
                  "rope/half/none/f32/q");
    REFUSES(NULL, locant_vectors_write(NULL, NULL), "folder is NULL");
    scratch_remove(&folder);
}

/* Whichever allocation of the library fails, it says so. */
TEST(survives_lack_of_memory)
{
    static const struct vectors_slip slip = { .offset = 3 };
    struct scratch folder = scratch_make();
    char path[PATH_MAX], out[PATH_MAX];
    const char *name = "alibi/press-8/f32/bias";
    locant_status status[2] = { LOCANT_ERR_NOMEM, LOCANT_ERR_NOMEM };
    struct lct_vector_cases cases;
    locant_vectors_counts n;
    struct dump d;

    snprintf(path, sizeof path, "%s/dump.safetensors", folder.path);
    snprintf(out, sizeof out, "%s/out", folder.path);
    begin(&d, &cases, name);
    add(&d, &cases, lct_vector_cases_find(&cases, name), &slip);
    finish(&d, path);
    lct_vector_cases_free(&cases);
    for (long k = 1; status[0] != LOCANT_OK || status[1] != LOCANT_OK; k++) {
        test_memory_fail(k);
        status[0] = locant_vectors_verify(&n, path, name, 0, NULL, NULL);
        test_memory_fail(k);
        status[1] = locant_vectors_write(out, name);
        CHECK(test_memory_held() == 0);
        for (int i = 0; i < 2; i++)
            if (status[i] != LOCANT_OK && status[i] != LOCANT_ERR_NOMEM)
                FAIL("allocation %ld of %d: %s, %s\n", k, i,
                     locant_status_name(status[i]), locant_last_error());
        CHECK(k < 100000);
    }
    test_memory_end();
    scratch_remove(&folder);
}
