/*
 * test_attention_decode.c - a step of decoding: few queries, many keys give
 * the bits that the same queries get among many.
 */
#include "decode_case.h"

/* Rows of 'few' [H, T, ..] are the last of 'many' [H, MANY + T, ..]. */
static void expect_rows(const struct step *s, const float *few,
                        const float *many, const char *what)
{
    size_t T = (size_t)s->T, Q = MANY + T, D = (size_t)s->D;
    size_t H = (size_t)s->H;

    for (size_t h = 0; h < H; h++) {
        const float *lse = few + H * T * D, *all = many + H * Q * D;

        if (memcmp(few + h * T * D, many + (h * Q + MANY) * D,
                   T * D * sizeof(float)) != 0 ||
            memcmp(lse + h * T, all + h * Q + MANY, T * sizeof(float)) != 0)
            FAIL("%s, %s: H %d/%d D %d T %d S %d: head %zu differs\n", s->spec,
                 what, (int)s->H, (int)s->Hkv, (int)s->D, (int)s->T, (int)s->S,
                 h);
    }
}

/* The bits of a step are those of a run of more queries, by any threads. */
static void judge(struct step s)
{
    static const int threads[] = { 1, 2, 3, 7 };
    int before = locant_threads();
    float *many, *few;

    step_make(&s);
    many = run(&s, 0, MANY + s.T, false);
    for (size_t i = 0; i < LEN(threads); i++) {
        CHECK_OK(locant_set_threads(threads[i]));
        few = run(&s, MANY, s.T, false);
        expect_rows(&s, few, many, "raw keys");
        free(few);
    }
    CHECK_OK(locant_set_threads(before));
    if (strncmp(s.spec, "rope", 4) == 0 && s.dtype == LOCANT_F32) {
        CHECK_OK(locant_encoding_rotate(&s.rotated_k, &s.k, s.e,
                                        VIEW(I64, s.k_pos, s.S), NULL,
                                        LOCANT_ROTATE_KEY));
        s.rotated = true;
        few = run(&s, MANY, s.T, false);
        expect_rows(&s, few, many, "turned keys");
        free(few);
    }
    free(many);
    step_free(&s);
}

static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_BF16, LOCANT_F16 };
static const char *const specs[] = { "none",      "rope",   "alibi",
                                     "t5",        "kerple", "window(size=100)",
                                     "rope+alibi" };
static const int64_t lengths[] = { 1, 63, 64, 65, 1023, 1024, 1025, 2500 };
static const int64_t groups[][2] = { { 2, 2 }, { 6, 2 }, { 8, 1 } };
static const int64_t widths[] = { 16, 6, 128, 33, 72 };

TEST(a_step_has_the_bits_of_the_whole_run)
{
    int64_t n = 0;

    for (size_t i = 0; i < LEN(specs); i++)
        for (size_t j = 0; j < LEN(lengths); j++, n++) {
            int64_t D = widths[n % 5];

            if (TEST_SANITIZED && lengths[j] > 65 && n % 5 != 0)
                continue;
            if (strncmp(specs[i], "rope", 4) == 0)
                D += D % 2;
            judge((struct step){ .spec = specs[i],
                                 .H = groups[n % 3][0],
                                 .Hkv = groups[n % 3][1],
                                 .D = D,
                                 .T = 1 + (n + (int64_t)i) % 8,
                                 .S = lengths[j],
                                 .documents = n % 4 == 3,
                                 .dtype = dtypes[n / 2 % 3] });
        }
}

static void groups_and_widths(void)
{
    for (size_t g = 0; g < LEN(groups); g++)
        for (size_t d = 0; d < LEN(widths); d++)
            judge((struct step){ .spec = "none",
                                 .H = groups[g][0],
                                 .Hkv = groups[g][1],
                                 .D = widths[d],
                                 .T = 1,
                                 .S = 130,
                                 .documents = d % 2 == 1,
                                 .dtype = dtypes[(g + d) % 3] });
}

/* Last tiles of every size, read where they lie, and turned. */
static void short_tiles(void)
{
    for (int64_t S = 1; S < 72; S += TEST_SANITIZED ? 9 : 1)
        judge((struct step){ .spec = S % 2 == 0 ? "none" : "rope",
                             .H = 4,
                             .Hkv = S % 5 == 0 ? 4 : 1,
                             .D = 32,
                             .T = 1 + S % 3,
                             .S = S,
                             .dtype = dtypes[S / 2 % 3] });
}

TEST(the_last_tile_may_be_short)
{
    test_each_isa(short_tiles);
}

/* Tasks of several heads that share angles, some of which are left over. */
TEST(heads_share_angles)
{
    static const int64_t heads[][2] = { { 24, 6 }, { 7, 7 }, { 40, 10 } };

    for (size_t n = 0; n < LEN(heads); n++)
        judge((struct step){ .spec = "rope(dim=16)",
                             .H = heads[n][0],
                             .Hkv = heads[n][1],
                             .D = 32,
                             .T = 2,
                             .S = 1100 + 1024 * (int64_t)n,
                             .documents = n == 1,
                             .dtype = dtypes[n] });
}

TEST(one_query_of_each_group_and_width)
{
    test_each_isa(groups_and_widths);
}

/* More heads share keys than one tile has rows. */
TEST(many_heads_of_one)
{
    judge((struct step){
        .spec = "alibi", .H = 64, .Hkv = 1, .D = 16, .T = 3, .S = 200 });
}

/* Keys that a query does not see may hold anything. */
TEST(hidden_keys_leak_nothing)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };
    struct step s = { .spec = "rope",
                      .H = 4,
                      .Hkv = 2,
                      .D = 16,
                      .T = 1,
                      .S = 300,
                      .documents = true };
    size_t n;
    float *clean, *foul;

    step_make(&s);
    n = (size_t)(s.H * (s.D + 1));
    s.q_pos[MANY] = 250;
    s.q_docs[MANY] = 1;
    clean = run(&s, MANY, 1, false);
    for (int64_t j = 0; j < s.Hkv * s.S; j++)
        for (int64_t d = 0; d < s.D; d++)
            if (j % s.S > 250 || s.k_docs[j % s.S] != 1) {
                ((float *)s.k.data)[j * s.D + d] = bad[(j + d) % 3];
                ((float *)s.v.data)[j * s.D + d] = bad[(j + d) % 3];
            }
    foul = run(&s, MANY, 1, false);
    assert_memory_equal(foul, clean, n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        CHECK(isfinite(clean[i]));
    free(clean);
    free(foul);
    step_free(&s);
}

/* No document of the keys is the query's. */
TEST(a_row_that_sees_nothing_gives_zeros)
{
    struct step s = { .spec = "none",
                      .H = 3,
                      .Hkv = 1,
                      .D = 20,
                      .T = 2,
                      .S = 1100,
                      .documents = true };
    float *got;

    step_make(&s);
    s.q_docs[MANY] = 7;
    s.q_docs[MANY + 1] = -1;
    got = run(&s, MANY, 2, false);
    for (int64_t i = 0; i < s.H * s.T * s.D; i++)
        CHECK(got[i] == 0);
    for (int64_t i = 0; i < s.H * s.T; i++)
        CHECK(got[s.H * s.T * s.D + i] == -INFINITY);
    free(got);
    step_free(&s);
}

/*
 * A ring buffer: the newest key stands anywhere.  Sums run in the order of
 * memory, so the bits are not those of the whole run; the bound is that of
 * attention.h.
 */
TEST(a_ring_agrees_with_the_reference)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct step s = { .spec = specs[i],
                          .H = 4,
                          .Hkv = 2,
                          .D = 32,
                          .T = 2,
                          .S = 1100,
                          .documents = i % 2 == 1 };
        size_t n = (size_t)(s.H * s.T * s.D);
        float *got, *want;
        FREED_BY(free_memory) double *wide = malloc(n * sizeof(*wide));

        step_make(&s);
        for (int64_t j = 0; j < s.S; j++)
            s.k_pos[j] = j < 437 ? s.S + j : j;
        s.q_pos[MANY] = s.S + 435;
        s.q_pos[MANY + 1] = s.S + 436;
        got = run(&s, MANY, s.T, false);
        want = run(&s, MANY, s.T, true);
        for (size_t j = 0; j < n; j++)
            wide[j] = want[j];
        CHECK(test_relative_l2(got, wide, n) < 1e-6);
        free(got);
        free(want);
        step_free(&s);
    }
}
