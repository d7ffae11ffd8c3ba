/*
 * test_score_tables.c - the fast forms of biases and masks against one pair of
 * query and key at a time: a bias for each difference of position keys, a
 * piecewise linear bias, and a mask that classifies ranges of positions.
 */
#include "attention/bias.h"
#include "attention/mask.h"
#include "attention/problem.h"
#include "encodings/encoding.h"
#include "encodings/params.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 3, PARAMS = 16 };

/* ------------------------------------------------------------ position keys */

/* Encodings with a position key, and how many positions each defines. */
/* clang-format off */
static const struct {
    const char *spec;
    int64_t positions;
} keyed[] = {
    { "swin", 49 }, { "swin(height=1,width=9)", 9 },
    { "swin(height=6,width=1)", 6 }, { "swin(height=3,width=8)", 24 },
    { "swinv2(height=4,width=5,hidden=24)", 20 },
    { "crossformer(height=5,width=3)", 15 },
    { "beit(height=4,width=6)", 25 }, { "beit(height=1,width=1)", 2 },
    { "beit(height=1,width=5)", 6 }, { "alibi(dialect=bloom)", 1 << 20 },
    { "alibi(dialect=mpt)", 1 << 20 }, { "alibi(dialect=falcon)", 1 << 20 },
};
/* clang-format on */

/* Makes random parameters and copies them to 'memory', in double, for the
   call. */
static void load_params(struct lct_call *call, locant_tensor *params,
                        double **memory, const locant_encoding *e)
{
    locant_sizes sizes = { .heads = HEADS, .kv_heads = HEADS };
    locant_param_info info;
    size_t total;
    int n = 0;

    for (; locant_encoding_param(&info, e, n, &sizes); n++) {
        params[n] = test_tensor(LOCANT_F64, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&params[n], e, n,
                                            (uint64_t)test_rand()));
    }
    CHECK_OK(lct_params_check(&total, "test", e, params, &sizes));
    *memory = calloc(total + 1, sizeof(**memory));
    lct_params_load(call, *memory, e, params, &sizes);
}

/* A pair with the same difference of keys has the same bias in every head. */
static void check_pair(struct lct_call *call, int64_t q_pos, int64_t k_pos)
{
    const struct lct_encoding *row = call->e->row;
    struct lct_call other = *call;
    int64_t difference = row->score.fast.position_key(call, LCT_QUERY, q_pos) -
                         row->score.fast.position_key(call, LCT_KEY, k_pos);
    double want, got, heads[HEADS];
    int64_t q, k;

    CHECK(row->score.fast.pair_of(&q, &k, &other, difference));
    if (row->score.heads != NULL)
        row->score.heads(heads, call, 0, HEADS, q_pos, k_pos);
    for (int64_t h = 0; h < HEADS; h++) {
        row->score.bias(&want, call, h, q_pos, &k_pos, 1);
        row->score.bias(&got, &other, h, q, &k, 1);
        CHECK(got == want);
        CHECK(row->score.heads == NULL || heads[h] == want);
    }
}

TEST(difference_of_position_keys_determines_bias)
{
    for (size_t i = 0; i < LEN(keyed); i++) {
        locant_tensor params[PARAMS] = { 0 };
        struct lct_call call = { 0 };
        OWNED(locant_encoding) *e = test_create(keyed[i].spec);
        double *memory;

        load_params(&call, params, &memory, e);
        for (int round = 0; round < 300; round++) {
            int64_t last = keyed[i].positions - 1;

            call.last = test_range(0, last);
            call.scale = 0.125;
            check_pair(&call, test_range(0, last), test_range(0, last));
        }
        free(memory);
        for (int n = 0; n < PARAMS; n++)
            if (params[n].data != NULL)
                test_tensor_free(&params[n]);
    }
}

TEST(every_encoding_with_these_hooks_is_tested_here)
{
    for (int i = 0; lct_encodings[i] != NULL; i++) {
        const struct lct_encoding *row = lct_encodings[i];
        size_t length = strlen(row->info.name);
        bool found = row->score.fast.position_key == NULL;

        for (size_t n = 0; n < LEN(keyed); n++)
            found |= strncmp(keyed[n].spec, row->info.name, length) == 0;
        CHECK(found);
        CHECK((row->score.fast.position_key == NULL) ==
              (row->score.fast.pair_of == NULL));
        CHECK((row->mask.hide == NULL) == (row->mask.classify == NULL));
        CHECK(row->mask.hide == NULL || strcmp(row->info.name, "window") == 0 ||
              strcmp(row->info.name, "chunked") == 0 ||
              strcmp(row->info.name, "longlora") == 0 ||
              strcmp(row->info.name, "stick-breaking") == 0);
    }
}

/* ---------------------------------------------------------------- all heads */

/* Both add the same terms, in a different order. */
TEST(heads_backward_adds_the_gradients_of_each_head)
{
    static const char *const specs[] = { "dpb(hidden=7)",
                                         "dpb(hidden=5,log=yes)",
                                         "crossformer(hidden=6)",
                                         "swinv2(hidden=11)" };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_tensor params[PARAMS] = { 0 };
        locant_sizes sizes = { .heads = HEADS, .kv_heads = HEADS };
        double *memory, *together, *apart, *dparam[LCT_MAX_PARAMS];
        double dout[HEADS] = { 0.7, 0, -1.3 };
        struct lct_call call = { 0 };
        int64_t q_pos = test_range(0, 40), k_pos = test_range(0, 40);
        OWNED(locant_encoding) *e = test_create(specs[i]);
        size_t total;

        load_params(&call, params, &memory, e);
        CHECK_OK(lct_params_check(&total, "test", e, params, &sizes));
        together = calloc(2 * total, sizeof(*together));
        apart = together + total;
        lct_params_split(dparam, &call, together);
        e->row->score.heads_backward(dparam, &call, 0, HEADS, q_pos, k_pos,
                                     dout);
        lct_params_split(dparam, &call, apart);
        for (int64_t h = 0; h < HEADS; h++)
            e->row->score.backward(dparam, &call, h, q_pos, &k_pos, dout + h,
                                   1);
        for (size_t n = 0; n < total; n++)
            CHECK(fabs(together[n] - apart[n]) <= 1e-13 * (1 + fabs(apart[n])));
        free(together);
        free(memory);
        for (int n = 0; n < PARAMS; n++)
            if (params[n].data != NULL)
                test_tensor_free(&params[n]);
    }
}

/* ------------------------------------------------------- masks, by position */

/* classify() for the queries q and keys k, against hide() for each pair. */
static void check_ranges(const locant_encoding *e, struct lct_span q,
                         struct lct_span k)
{
    struct lct_head head = { test_range(0, 3), 4 };
    enum lct_visibility seen = e->row->mask.classify(e, &head, q, k);
    int64_t pairs = 0, hidden = 0;

    for (int64_t i = q.low; i <= q.high; i++)
        for (int64_t j = k.low; j <= k.high; j++) {
            char one = 0;

            e->row->mask.hide(&one, e, &head, &i, 1, j);
            hidden += one;
            pairs++;
        }
    CHECK(seen == (hidden == 0       ? LCT_VISIBLE_ALL
                   : hidden == pairs ? LCT_VISIBLE_NONE
                                     : LCT_VISIBLE_SOME));
}

static struct lct_span random_span(void)
{
    int64_t low = test_range(-60, 60);

    return (struct lct_span){ low, low + test_range(0, 24) };
}

TEST(classify_agrees_with_hide_on_each_pair)
{
    static const char *const specs[] = {
        "window(size=1)",    "window(size=7)",    "window(size=30)",
        "longlora(group=2)", "longlora(group=7)", "longlora(group=32)",
        "chunked(size=1)",   "chunked(size=7)",   "chunked(size=32)",
        "stick-breaking"
    };
    const struct lct_span ends = { INT64_MIN, INT64_MAX };
    const struct lct_head head = { 0, 4 };

    for (size_t i = 0; i < LEN(specs); i++) {
        OWNED(locant_encoding) *e = test_create(specs[i]);

        for (int round = 0; round < 400; round++)
            check_ranges(e, random_span(), random_span());
        CHECK(e->row->mask.classify(e, &head, ends, ends) == LCT_VISIBLE_SOME);
        CHECK(e->row->mask.classify(e, &head, (struct lct_span){ INT64_MIN, 0 },
                                    (struct lct_span){ 100, INT64_MAX }) ==
              LCT_VISIBLE_NONE);
    }
}

TEST(hide_treats_each_query_alone)
{
    static const char *const specs[] = { "window(size=9)", "longlora(group=6)",
                                         "chunked(size=5)", "stick-breaking" };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int round = 0; round < 50; round++) {
            struct lct_head head = { test_range(0, 3), 4 };
            int64_t q_pos[33], k_pos = test_range(-20, 20);
            char all[33], one;
            OWNED(locant_encoding) *e = test_create(specs[i]);

            for (int n = 0; n < 33; n++) {
                q_pos[n] = test_range(-30, 30);
                all[n] = n % 5 == 0; /* a hidden key stays hidden */
            }
            e->row->mask.hide(all, e, &head, q_pos, 33, k_pos);
            for (int n = 0; n < 33; n++) {
                one = n % 5 == 0;
                e->row->mask.hide(&one, e, &head, q_pos + n, 1, k_pos);
                CHECK(all[n] == one && (one == 0 || one == 1));
            }
        }
}

/* ---------------------------------------------------------------- attention */

static int64_t *positions_of(const locant_tensor *t, int64_t b)
{
    return (int64_t *)t->data + b * t->shape[1];
}

/* The positions of the tokens of a call: one after another, random, or evenly
   spread over all positions. */
enum spread { CONSECUTIVE, RANDOM, EVEN, SPREADS };

static void set_positions(struct mixed *m, enum spread how, int64_t end)
{
    for (int64_t b = 0; how != CONSECUTIVE && b < m->B; b++) {
        for (int64_t j = 0; j < m->S; j++)
            positions_of(&m->k_pos, b)[j] =
                how == RANDOM ? test_range(0, end - 1) : end / m->S * j;
        for (int64_t i = 0; i < m->T; i++)
            positions_of(&m->q_pos, b)[i] =
                how == RANDOM ? test_range(0, end - 1)
                              : end / m->S * (m->S - m->T + i);
    }
}

/* Positions lie below 'end'. */
static void check_fast(const char *spec, int64_t end, enum spread how,
                       locant_mask mask)
{
    struct mixed m = { .spec = spec,
                       .dtype = LOCANT_F32,
                       .T = 70,
                       .S = 150,
                       .H = 4,
                       .G = 2,
                       .mask = mask };

    if (end < m.S && how == CONSECUTIVE) {
        m.S = end;
        m.T = end - 1;
    }
    mixed_make(&m);
    set_positions(&m, how, end);
    mixed_judge_fast(&m);
    mixed_free(&m);
}

TEST(position_key_tables_agree_with_reference)
{
    for (size_t i = 0; i < LEN(keyed); i++)
        for (int how = 0; how <= RANDOM; how++)
            for (int mask = 0; mask < 2; mask++)
                check_fast(keyed[i].spec,
                           keyed[i].positions < 300 ? keyed[i].positions : 300,
                           (enum spread)how, (locant_mask)mask);
}

/*
 * The threshold of fire lies below, within or above the positions.  Tokens 2^27
 * / 150 positions apart are too far for a table.
 */
TEST(piecewise_linear_biases_agree_with_reference)
{
    static const char *const specs[] = {
        "fire(length=1)", "fire(length=110,hidden=5)", "fire(length=4000)",
        "fire(length=100,hidden=64)", "fire(length=128,hidden=1)"
    };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int how = 0; how < SPREADS; how++)
            for (int mask = 0; mask < 2; mask++)
                check_fast(specs[i], how == EVEN ? 1 << 27 : 220,
                           (enum spread)how, (locant_mask)mask);
}

/* ----------------------------------------------------------- rows of a tile */

static uint32_t bits(float x)
{
    uint32_t out;

    memcpy(&out, &x, sizeof(out));
    return out;
}

/* Each visible bias of every tile against lct_bias_add_row(). */
static void check_tiles(const struct lct_plan *p)
{
    struct lct_scratch *s = lct_scratch_of(p, 0, 0);
    float alone[LCT_TILE];

    for (int64_t at = 0; at < p->B * p->H * p->q_tiles; at++) {
        struct lct_tile t = lct_tile_of(
            p, at / p->q_tiles / p->H, at / p->q_tiles % p->H, at % p->q_tiles);

        for (int64_t n = 0; n < p->k_tiles; n++) {
            if (!lct_mask_classify(p, &t, n, s))
                continue;
            memset(s->s, 0, (size_t)t.keys * t.lanes * sizeof(*s->s));
            lct_bias_add(p, &t, s);
            for (int64_t i = 0; i < t.rows; i++) {
                memset(alone, 0, sizeof(alone));
                lct_bias_add_row(p, t.b, t.h, t.i + i, t.j, t.keys, alone);
                for (int64_t j = 0; j < t.keys; j++)
                    CHECK(bits(alone[j]) ==
                              bits(s->s[j * (int64_t)t.lanes + i]) ||
                          !lct_mask_visible(p, t.b, t.h, t.i + i, t.j + j));
            }
        }
    }
}

TEST(bias_add_row_has_the_bits_of_bias_add)
{
    static const char *const specs[] = { "t5",
                                         "alibi",
                                         "alibi(dialect=mpt)",
                                         "fire(length=90)",
                                         "kerple",
                                         "swin(height=16,width=14)",
                                         "dpb(hidden=4)",
                                         "graph(length=300)" };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int how = 0; how <= RANDOM; how++)
            for (int mask = 0; mask < 2; mask++) {
                struct mixed m = { .spec = specs[i],
                                   .dtype = LOCANT_F32,
                                   .T = 90,
                                   .S = 170,
                                   .mask = (locant_mask)mask };
                struct lct_problem x;
                void *workspace;

                mixed_make(&m);
                set_positions(&m, (enum spread)how, 220);
                CHECK_OK(lct_problem_begin(&x, "test", &m.a, LCT_PASS_FORWARD,
                                           NULL, 0));
                workspace = calloc(x.plan.bytes, 1);
                lct_problem_fill(&x, workspace);
                check_tiles(&x.plan);
                lct_problem_end(&x);
                free(workspace);
                mixed_free(&m);
            }
}
