/* homework.c - the answers of homework.def, by the public API alone. */
#include "homework.h"

#include "tutorial.h"

static double answer; /* of the question that runs */

/* ------------------------------------------------------------- S0: notebook */

static void equal_tokens(void)
{
    locant_tensor q = plus(ZEROS(1, 1, 8, 4), VECTOR(1, 2, 3, 4));

    answer = largest(weights((locant_attention){ .q = &q, .k = &q, .v = &q }));
}

static void similarity(void)
{
    answer = cosine(sinusoidal(3, 1, 8), sinusoidal(10, 1, 8));
}

static void slope_of_8(void)
{
    answer = data(alibi_slopes(8))[3];
}

static void slope_of_12(void)
{
    answer = data(alibi_slopes(12))[9];
}

/* ------------------------------------------------- S1: rotation of channels */

/* The angle per position of pair c of n: the arc sine of its sine at 1. */
static double frequency(int64_t c, int64_t n)
{
    return asin(entry(sinusoidal(1, 1, 2 * n), 0, 2 * c));
}

static void turn_of_pair(void)
{
    answer = 2 * PI / frequency(5, 16);
}

static void slow_pairs(void)
{
    answer = 0;
    for (int c = 0; c < 32; c++)
        answer += 2 * PI / frequency(c, 32) > 2048;
}

static void equal_vectors(void)
{
    locant_tensor x = RESHAPED(VECTOR(1, 0, 1, 0), 1, 4);

    answer = dot(rotated(ROPE_PAIRS, x, 1004), rotated(ROPE_PAIRS, x, 1000));
}

static void length_kept(void)
{
    answer = norm(rotated("rope", RESHAPED(VECTOR(3, 4), 1, 2), 123456));
}

/* --------------------------------------------------------------- S2: tables */

static void channel(void)
{
    answer = entry(sinusoidal(7, 1, 16), 0, 5);
}

static void learned_size(void)
{
    answer = (double)learned_numbers("learned(length=512)", 768, 12);
}

static void shaw_size(void)
{
    answer = (double)learned_numbers("shaw(distance=16)", 64, 1);
}

/* ------------------------------------------------------ S3: distances, RoPE */

static void t5_bucket(void)
{
    answer = *data(t5_buckets(VECTOR(40)));
}

static void t5_first(void)
{
    locant_tensor bucket = t5_buckets(as_double(positions(0, 200)));

    for (answer = 0; data(bucket)[(int)answer] < 31;)
        answer++;
}

static void t5_size(void)
{
    answer = (double)learned_numbers("t5", 768, 12);
}

static void rotated_pair(void)
{
    answer = *data(rotated("rope", RESHAPED(VECTOR(1, 0), 1, 2), 3));
}

/* ---------------------------------------------------------- S4: ALiBi, ends */

static void bias_12_back(void)
{
    answer = entry(bias_at("alibi", 4, VECTOR(12), NULL), 0, 0);
}

static void bias_reaches_1(void)
{
    locant_tensor b =
        row(bias_at("alibi", 8, as_double(positions(0, 1000)), NULL), 7);

    for (answer = 0; data(b)[(int)answer] > -1;)
        answer++;
}

/* Of 8 heads the first has the slope 0.5; with q = 0 all scores are equal. */
static void own_weight(void)
{
    locant_tensor q = ZEROS(1, 8, 2, 4);
    locant_tensor w = weights((locant_attention){ .q = &q,
                                                  .k = &q,
                                                  .v = &q,
                                                  .encoding = encoding("alibi"),
                                                  .mask = LOCANT_MASK_CAUSAL });

    answer = entry(w, 1, 1);
}

static void first_beyond(void)
{
    answer =
        (double)locant_encoding_length_limit(encoding("learned(length=128)"));
}

/* -------------------------------------------------------------------- table */

/* clang-format off */
const struct homework homework[] = {
#define QUESTION(document, number, name, ...)                                  \
    { document, number, #name, name, __VA_ARGS__ },
#include "homework.def"
#undef QUESTION
    { .name = NULL }
};
/* clang-format on */

locant_status homework_answer(double *out, const struct homework *q)
{
    const struct tutorial_row row = { .id = q->row,
                                      .symbol = q->name,
                                      .run = q->run,
                                      .kind = "text",
                                      .lines = "",
                                      .title = q->question };
    struct tutorial t = { .row = &row };
    locant_status status = tutorial_run(&t);

    json_decref(t.json);
    *out = answer;
    return status;
}
