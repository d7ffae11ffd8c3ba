/*
 * test_content_hooks.c - hooks (windows, groups, ids, layers), tricks with
 * distances against the encodings they stand for, refusals and initial values.
 */
#include "content_case.h"

#define SIZES(...) ((const int64_t[6]){ __VA_ARGS__ }) /* H G T S D W */

/* -------------------------------------------------------------- hidden keys */

/* '#' where query i (row) of head h sees key j, '.' where not. */
static void check_seen(const char *spec, locant_mask mask, int64_t first,
                       const char *const want[])
{
    OWNED(content_case) *c = case_open(spec, SIZES(2, 2, 8, 8, 1, 1));
    double s[2 * 8 * 8];

    c->a.mask = mask;
    for (int64_t i = 0; i < 8; i++)
        c->q_pos[i] = c->k_pos[i] = first + i;
    case_scores(s, c);
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 64; i++)
            if ((s[h * 64 + i] == -INFINITY) !=
                (want[h][i / 8 * 9 + i % 8] == '.'))
                FAIL("%s: head %d, query %d, key %d\n", spec, h, i / 8, i % 8);
}

TEST(windows_show_the_last_keys)
{
    static const char causal[] = "#....... ##...... ###..... .###.... "
                                 "..###... ...###.. ....###. .....###";
    static const char both[] = "##...... ###..... .###.... ..###... "
                               "...###.. ....###. .....### ......##";

    check_seen("window(size=3)", LOCANT_MASK_CAUSAL, 100,
               (const char *const[]){ causal, causal });
    check_seen("window(size=2)", LOCANT_MASK_NONE, -3,
               (const char *const[]){ both, both });
}

/* Rows 1, 11, 111, 0001, 00011, .. of chunks of 3, from position 0 on. */
TEST(chunks_see_themselves_alone)
{
    static const char causal[] = "#....... ##...... ###..... ...#.... "
                                 "...##... ...###.. ......#. ......##";
    static const char both[] = "#....... .####... .####... .####... "
                               ".####... .....### .....### .....###";

    check_seen("chunked(size=3)", LOCANT_MASK_CAUSAL, 0,
               (const char *const[]){ causal, causal });
    check_seen("chunked(size=4)", LOCANT_MASK_NONE, -5,
               (const char *const[]){ both, both });
}

TEST(groups_of_half_the_heads_are_shifted)
{
    static const char plain[] = "####.... ####.... ####.... ####.... "
                                "....#### ....#### ....#### ....####";
    static const char shifted[] = "##...... ##...... ..####.. ..####.. "
                                  "..####.. ..####.. ......## ......##";

    check_seen("longlora(group=4)", LOCANT_MASK_NONE, 0,
               (const char *const[]){ plain, shifted });
    check_seen("longlora(group=4)", LOCANT_MASK_NONE, -8,
               (const char *const[]){ plain, shifted });
}

/* ------------------------------------------------- what tricks stand for */

enum { KEYS = 12, DIM = 8 };

/* Rope's angles are rounded to float: 2^-25 of products of a few units. */
static const double rounded = 2e-6;

static void compare(struct content_case *got, struct content_case *want)
{
    case_run(got);
    case_run(want);
    case_near(got->out, want->out, DIM, rounded, locant_encoding_spec(got->e));
    case_near(got->lse, want->lse, 1, rounded, locant_encoding_spec(got->e));
}

/* One query after 'keys' of the KEYS keys, those of a random problem. */
static struct content_case *query_of(const char *spec, const double *numbers,
                                     const int *key, int keys)
{
    struct content_case *c = case_open(spec, SIZES(1, 1, 1, keys, DIM, 1));

    memcpy(c->q, numbers, DIM * sizeof(double));
    for (int j = 0; j < keys; j++) {
        const double *k = numbers + (1 + key[j]) * DIM;

        memcpy(c->k + j * DIM, k, DIM * sizeof(double));
        memcpy(c->v + j * DIM, k + KEYS * DIM, DIM * sizeof(double));
    }
    return c;
}

TEST(tricks_are_rope_where_they_change_nothing)
{
    static const char *const specs[][2] = {
        { "rerope(window=12)", "rope" },
        { "rerope(window=12,leak=4,base=500)", "rope(base=500)" },
        { "selfextend(group=3,window=12,pairing=interleaved)",
          "rope(pairing=interleaved)" },
        { "selfextend(group=1,window=2)", "rope" },
        { "rerope(window=2,leak=1)", "rope" },
        { "streaming(sinks=5,window=7)", "rope" },
        { "streaming(sinks=0,window=12)+alibi", "rope+alibi" },
    };
    double numbers[(1 + 2 * KEYS) * DIM];
    int key[KEYS];

    case_fill(numbers, (int64_t)LEN(numbers), 1);
    for (int j = 0; j < KEYS; j++)
        key[j] = j;
    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(content_case) *got = query_of(specs[n][0], numbers, key, KEYS);
        OWNED(content_case) *want = query_of(specs[n][1], numbers, key, KEYS);

        compare(got, want);
    }
}

/* Without sinks there is no first position: keys before 0 are seen, too. */
TEST(without_sinks_a_stream_is_relative)
{
    static const char spec[] = "streaming(sinks=0,window=5)";
    double numbers[(1 + 2 * KEYS) * DIM];
    struct content_case *here, *there;
    int key[KEYS];

    case_fill(numbers, (int64_t)LEN(numbers), 1);
    for (int j = 0; j < KEYS; j++)
        key[j] = j;
    here = query_of(spec, numbers, key, KEYS);
    there = query_of(spec, numbers, key, KEYS);
    for (int j = 0; j < KEYS; j++)
        there->k_pos[j] = j - 8;
    there->q_pos[0] = KEYS - 1 - 8;
    compare(there, here);
    CHECK(locant_encoding_traits(here->e) & LOCANT_TRAIT_RELATIVE);
    case_close(here);
    case_close(there);
    here = query_of("streaming(sinks=1,window=5)", numbers, key, KEYS);
    CHECK(!(locant_encoding_traits(here->e) & LOCANT_TRAIT_RELATIVE));
    case_close(here);
}

/* Sinks 0 1 and the last four, at positions 0 .. 5 of a cache. */
TEST(streaming_is_rope_on_its_cache)
{
    static const int all[KEYS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    static const int kept[] = { 0, 1, 8, 9, 10, 11 };
    double numbers[(1 + 2 * KEYS) * DIM];
    struct content_case *got, *want;

    case_fill(numbers, (int64_t)LEN(numbers), 1);
    got = query_of("streaming(sinks=2,window=4)", numbers, all, KEYS);
    want = query_of("rope", numbers, kept, 6);
    compare(got, want);
    case_close(got);
    case_close(want);
}

/* ---------------------------------------------------------------------- ids */

enum { ROWS = 3, TOKENS = 20 };

static void ask_ids(int64_t *ids, const char *spec, int training)
{
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_ids(VIEW(I64, ids, ROWS, TOKENS), e, 7, training));
}

/* Row b of ids is what the builders of positions.h draw from its stream. */
TEST(ids_are_those_of_the_builders)
{
    static const char *const specs[] = { "randomized(length=31)+rope",
                                         "randomized(length=20)",
                                         "pose(length=64)+rope",
                                         "pose(length=64,chunks=5)" };

    for (size_t n = 0; n < LEN(specs); n++) {
        int64_t got[ROWS * TOKENS], want[TOKENS];
        locant_tensor out = DENSE(I64, want, 1, TOKENS);

        ask_ids(got, specs[n], 1);
        for (uint64_t b = 0; b < ROWS; b++) {
            locant_random r = { .seed = 7, .stream = b };

            if (n < 2)
                CHECK_OK(
                    locant_positions_randomized(&out, n == 0 ? 31 : 20, &r));
            else
                CHECK_OK(locant_positions_pose(&out, n == 2 ? 2 : 5, 64, &r));
            if (memcmp(got + b * TOKENS, want, sizeof(want)) != 0)
                FAIL("%s: row %d differs\n", specs[n], (int)b);
        }
    }
}

TEST(evaluation_draws_nothing)
{
    int64_t got[ROWS * TOKENS], want[TOKENS];

    CHECK_OK(locant_positions_spaced(VIEW(I64, want, 1, TOKENS), 31));
    ask_ids(got, "randomized(length=31)", 0);
    assert_memory_equal(got + TOKENS, want, sizeof(want));
    for (int t = 0; t < TOKENS; t++)
        want[t] = t;
    ask_ids(got, "pose(length=64)", 0);
    assert_memory_equal(got, want, sizeof(want));
    ask_ids(got, "pose(length=20)", 1); /* no room to skip */
    assert_memory_equal(got, want, sizeof(want));
    ask_ids(got, "pose(length=19)", 0);
    assert_memory_equal(got, want, sizeof(want));
}

/* A model that is to learn 19 positions is not shown 20. */
TEST(training_beyond_its_length_is_refused)
{
    int64_t got[TOKENS] = { 7 };
    locant_tensor out = DENSE(I64, got, 1, TOKENS);
    OWNED(locant_encoding) *e = test_create("pose(length=19)+rope");

    REFUSES(PARAM, locant_encoding_ids(&out, e, 7, 1),
            "out has rows of 20 tokens, expected at most the 19 that "
            "pose(length=19) is to be trained for");
    assert_int_equal(got[0], 7);
}

/* ------------------------------------------------------------------- layers */

TEST(layers_take_turns)
{
    locant_encoding *e =
        test_create("layers(local=t5,global=kerple+rope,period=3)");
    int first;

    for (int64_t l = 0; l < 9; l++) {
        const locant_encoding *one = locant_encoding_layer(&first, e, l);
        int global = l == 2 || l == 5 || l == 8;

        assert_string_equal(locant_encoding_spec(one),
                            global ? "kerple+rope" : "t5");
        assert_int_equal(first, global ? 1 : 0);
    }
    assert_int_equal(locant_encoding_doors(e),
                     LOCANT_DOOR_SCORE | LOCANT_DOOR_ROTATE);
    locant_encoding_free(e);
    CHECK_OK(locant_encoding_create(&e, "layers(local=rope)"));
    assert_string_equal(locant_encoding_spec(e), "layers(local=rope)");
    assert_string_equal(
        locant_encoding_spec(locant_encoding_layer(&first, e, 3)), "none");
    locant_encoding_free(e);
}

/* ----------------------------------------------------------------- refusals */

static void refuse(const char *spec, const char *sentence)
{
    locant_encoding *e;

    CHECK_REFUSED(locant_encoding_create(&e, spec), LOCANT_ERR_PARAM, sentence);
}

TEST(bad_specs_are_refused)
{
    refuse("cope(length=1)",
           "locant_encoding_create: key 'length' of 'cope': "
           "'1' at byte 12 should be an integer 2 .. 1048576");
    refuse("rerope(leak=0.5)",
           "locant_encoding_create: leak of rerope is 0.5, "
           "expected 0 or at least 1: beyond the window steps become shorter");
    refuse("deberta(version=2,span=1)",
           "locant_encoding_create: span of "
           "deberta is 1, expected at least 2 in version 2: half of the "
           "buckets hold one distance each");
    refuse("deberta(version=3,span=8,distance=5)",
           "locant_encoding_create: "
           "distance of deberta is 5, expected more than 5, one beyond the "
           "buckets that hold one distance each");
    refuse("temperature(kind=logn,floor=1)",
           "locant_encoding_create: floor of "
           "temperature is 1, expected a length of at least 2 for logn, whose "
           "logarithm divides");
    refuse("layers(local=layers)",
           "locant_encoding_create: local of layers is "
           "itself layers(..), expected another encoding");
}

TEST(bad_calls_are_refused)
{
    struct content_case *c =
        case_open("randomized(length=8)+rope", SIZES(1, 1, 1, 1, 2, 2));

    c->q_pos[0] = 8;
    REFUSES(PARAM,
            locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a),
            "position 8 (index 0) is beyond the 8 positions of randomized");
    case_close(c);
    c = case_open("music", SIZES(1, 1, 1, 1, 2, 2));
    c->param[0].shape[0] = 0;
    REFUSES(PARAM,
            locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a),
            "music has no length, expected one as in music(length=1024)");
    case_close(c);
}

/* ----------------------------------------------------------- initial values */

/* Mean square of a parameter at its start. */
static double start_of(const char *spec, const char *name)
{
    struct content_case *c = case_open(spec, SIZES(4, 4, 1, 1, 16, 64));
    const double *x = case_param(c, name);
    double sum = 0, n = 0;

    for (int i = 0; i < c->params; i++) {
        CHECK_OK(
            locant_encoding_param_init(&c->param[i], c->e, i, test_seed()));
        if (c->param[i].data == x)
            n = (double)case_count(&c->param[i]);
    }
    for (int64_t i = 0; i < (int64_t)n; i++)
        sum += x[i] * x[i];
    case_close(c);
    return sum / n;
}

/* Of n draws the mean square lies within 6 sqrt(2 / n) of its expectation. */
TEST(parameters_start_as_the_papers_do)
{
    static const struct {
        const char *spec, *name;
        double square, n;
    } starts[] = {
        { "shaw(distance=100)", "keys", 2.0 / (201 + 16), 201 * 16 },
        { "relative(distance=100)", "table", 0.0004, 201 * 16 },
        { "music(length=200)", "table", 1.0 / 16, 200 * 16 },
        { "transformer-xl", "projection", 0.0004, 4 * 16 * 64 },
        { "xlnet", "segments", 0.0004, 2 * 4 * 16 },
        { "deberta", "table", 0.0004, 512 * 64 },
        { "fox", "weight", 0.0004, 4 * 64 },
        { "dape", "w1", 1.0 / (3 * 8), 8 * 32 },
        { "dape(version=2)", "w2", 1.0 / (3 * 32 * 3), 32 * 4 * 3 },
        { "deberta(version=3)", "norm_weight", 1, 1e30 },
        { "deberta(version=3)", "key_bias", 0, 1e30 },
        { "cope", "table", 0, 1e30 },
        { "fox", "bias", 0, 1e30 },
    };

    for (size_t i = 0; i < LEN(starts); i++)
        case_is(start_of(starts[i].spec, starts[i].name), starts[i].square,
                6 * sqrt(2 / starts[i].n) * starts[i].square);
}
