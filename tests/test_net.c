/* needs: lab */
/*
 * test_net.c - models of the fixtures: a text whole, in chunks and token by
 * token; rows by themselves; padding; greedy continuation; refusals
 *
 * Whether logits are right is the subject of tests/run_models.py.
 */
#include "../src/families/net_run.h"
#include "net_case.h"

/* Families whose rotation does not depend on the length of the text. */
static const char *const names[] = {
    "bloom",       "cohere",  "cohere2",  "deepseek_v2", "deepseek_v3",
    "falcon_7b",   "gemma2",  "gemma3",   "gemma3n",     "gemma4",
    "glm4",        "gpt2",    "gpt_neox", "gpt_oss",     "gptj",
    "kimi_linear", "llama",   "llama_3",  "llama4",      "minimax_m2",
    "ministral3",  "mistral", "mixtral",  "mpt",         "olmo2",
    "opt",         "phi",     "qwen2",    "qwen2_moe",   "qwen3",
    "qwen3_next",  "smollm3", "stablelm"
};

enum { B = 2, T = 13 };

/* --------------------------------------------------------- texts in parts */

/* Logits [B, T, vocab] of steps of at most 'most' tokens. */
static void run_in_steps(void *logits, const struct lct_net *n,
                         const int64_t *ids, int64_t most)
{
    struct lct_net_run r;
    const size_t item = locant_dtype_size(n->dtype);

    CHECK_OK(lct_net_run_begin(&r, n, B, T, most));
    for (int64_t t = 0; t < T; t += most) {
        const int64_t count = T - t < most ? T - t : most;
        const struct lct_net_tokens part = { .T = count,
                                             .ids = ids + t,
                                             .stride = T };

        CHECK_OK(lct_net_run_step(&r, &part));
        for (int64_t b = 0; b < B; b++)
            lct_net_run_head(
                (char *)logits + (size_t)((b * T + t) * n->vocab) * item,
                (char *)r.x + (size_t)(b * count * n->width) * item, count, &r);
    }
    lct_net_run_end(&r);
}

static void check_steps(const char *name, locant_dtype dtype)
{
    const int64_t steps[] = { 1, 2, 5, 12 };
    struct lct_net *n;
    int64_t ids[B * T];
    size_t bytes;
    void *whole, *part;

    CHECK_OK(lct_net_open(&n, fixture(name), dtype, NULL));
    draw_ids(ids, B * T, n->vocab);
    bytes = (size_t)(B * T * n->vocab) * locant_dtype_size(n->dtype);
    whole = malloc(bytes);
    part = malloc(bytes);
    run_in_steps(whole, n, ids, T);
    for (size_t i = 0; i < LEN(steps); i++) {
        run_in_steps(part, n, ids, steps[i]);
        if (memcmp(whole, part, bytes) != 0)
            FAIL("%s %s: steps of %d tokens have other bits", name,
                 locant_dtype_name(dtype), (int)steps[i]);
    }
    free(whole);
    free(part);
    lct_net_close(n);
}

static void check_all_steps(void)
{
    for (size_t i = 0; i < LEN(names); i++) {
        check_steps(names[i], LOCANT_F32);
        check_steps(names[i], LOCANT_F64);
        check_steps(names[i], LOCANT_BF16);
    }
}

TEST(a_text_has_the_same_bits_whole_in_chunks_and_by_tokens)
{
    test_each_isa(check_all_steps);
}

/* -------------------------------------------------------- rows and padding */

/* Logits of ids [rows, count], with a mask or NULL. */
static float *logits_of(const locant_model *m, int64_t *ids, int64_t *mask,
                        int64_t rows, int64_t count)
{
    const int64_t vocab = locant_model_info_of(m).vocab;
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    float *out = malloc((size_t)(rows * count * vocab) * sizeof(*out));
    const locant_tensor tokens = DENSE(I64, ids, rows, count);
    const locant_tensor seen = DENSE(I64, mask, rows, count);

    in.ids = &tokens;
    in.mask = mask != NULL ? &seen : NULL;
    CHECK_OK(locant_model_logits(VIEW(F32, out, rows, count, vocab), NULL, m,
                                 &in, 0));
    return out;
}

TEST(rows_do_not_depend_on_each_other)
{
    for (size_t i = 0; i < LEN(names); i++) {
        locant_model *m = opened(names[i], LOCANT_F32);
        const size_t row = T * (size_t)locant_model_info_of(m).vocab;
        int64_t ids[B * T];
        float *both, *one;

        draw_ids(ids, B * T, locant_model_info_of(m).vocab);
        both = logits_of(m, ids, NULL, B, T);
        for (size_t b = 0; b < B; b++) {
            one = logits_of(m, ids + b * T, NULL, 1, T);
            if (memcmp(one, both + b * row, row * sizeof(*one)) != 0)
                FAIL("%s: row %zu has other bits alone", names[i], b);
            free(one);
        }
        free(both);
        locant_model_close(m);
    }
}

/* Padding on the left shifts slots but, where positions are counted by the
   mask, nothing else; on the right it changes nothing at all.  Angles of float
   differ by a rounding where positions do, so this is as near as float is to
   the truth (tests/run_models.py). */
static void check_padding(const char *name, int64_t before)
{
    enum { PAD = 3 };
    locant_model *m = opened(name, LOCANT_F32);
    const int64_t vocab = locant_model_info_of(m).vocab;
    int64_t ids[T + PAD], mask[T + PAD] = { 0 };
    float *plain, *padded, most = 0;

    draw_ids(ids, T + PAD, vocab);
    for (int t = 0; t < T; t++)
        mask[before + t] = 1;
    plain = logits_of(m, ids + before, NULL, 1, T);
    padded = logits_of(m, ids, mask, 1, T + PAD);
    for (int64_t i = 0; i < T * vocab; i++)
        most = fmaxf(most, fabsf(plain[i]));
    for (int64_t i = 0; i < T * vocab; i++)
        if (!(fabsf(padded[before * vocab + i] - plain[i]) <= 3e-5f * most))
            FAIL("%s: %d tokens of padding before: logit %d is %g, not %g",
                 name, (int)before, (int)i, (double)padded[before * vocab + i],
                 (double)plain[i]);
    free(plain);
    free(padded);
    locant_model_close(m);
}

/* Positions, or a temperature, count from the first slot. */
static bool by_slots(const char *name)
{
    return strcmp(name, "gpt2") == 0 || strcmp(name, "llama4") == 0 ||
           strcmp(name, "ministral3") == 0;
}

TEST(padding_changes_nothing)
{
    for (size_t i = 0; i < LEN(names); i++) {
        check_padding(names[i], 0);
        if (!by_slots(names[i]))
            check_padding(names[i], 3);
    }
}

/* Tokens at given positions are those at these slots of a row whose other
   slots are padding: distances and temperatures (Ministral 3) are the same. */
TEST(given_positions_are_slots_with_padding_between)
{
    enum { N = 6, SLOTS = 41 };
    static const char *const some[] = { "llama", "ministral3", "qwen3" };
    int64_t at[N] = { 0, 9, 17, 20, 33, 40 }, ids[N];

    for (size_t i = 0; i < LEN(some); i++) {
        locant_model *m = opened(some[i], LOCANT_F32);
        const int64_t vocab = locant_model_info_of(m).vocab;
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;
        int64_t row[SLOTS] = { 0 }, mask[SLOTS] = { 0 };
        float *given = malloc((size_t)(N * vocab) * sizeof(*given));
        float *spread, most = 0;

        CHECK(given != NULL);
        draw_ids(ids, N, vocab);
        for (int t = 0; t < N; t++) {
            row[at[t]] = ids[t];
            mask[at[t]] = 1;
        }
        spread = logits_of(m, row, mask, 1, SLOTS);
        in.ids = VIEW(I64, ids, 1, N);
        in.positions = VIEW(I64, at, 1, N);
        CHECK_OK(locant_model_logits(VIEW(F32, given, 1, N, vocab), NULL, m,
                                     &in, 0));
        for (int64_t k = 0; k < N * vocab; k++)
            most = fmaxf(most, fabsf(given[k]));
        for (int64_t k = 0; k < N * vocab; k++)
            if (!(fabsf(given[k] - spread[at[k / vocab] * vocab + k % vocab]) <=
                  3e-5f * most))
                FAIL("%s: token %d is not that of its slot", some[i],
                     (int)(k / vocab));
        free(given);
        free(spread);
        locant_model_close(m);
    }
}

/* ---------------------------------------------------------------- generate */

TEST(greedy_tokens_are_the_largest_logits)
{
    enum { NEW = 6 };
    locant_model *m = opened("llama", LOCANT_F32);
    const int64_t vocab = locant_model_info_of(m).vocab;
    int64_t ids[B * T], out[B * (T + NEW)];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_generation g = LOCANT_GENERATION_INIT;
    float *logits;

    draw_ids(ids, B * T, vocab);
    in.ids = VIEW(I64, ids, B, T);
    g.ignore_end = 1;
    CHECK_OK(locant_model_generate(VIEW(I64, out, B, T + NEW), m, &in, &g));
    logits = logits_of(m, out, NULL, B, T + NEW);
    for (int64_t b = 0; b < B; b++) {
        CHECK(memcmp(out + b * (T + NEW), ids + b * T, T * sizeof(*ids)) == 0);
        for (int64_t t = T; t < T + NEW; t++)
            CHECK(out[b * (T + NEW) + t] ==
                  argmax(logits + (b * (T + NEW) + t - 1) * vocab, vocab));
    }
    free(logits);
    locant_model_close(m);
}

/* The most likely token after the first 'n' of a text. */
static int64_t likely(const locant_model *m, int64_t *ids, int64_t n)
{
    const int64_t vocab = locant_model_info_of(m).vocab;
    float *logits = logits_of(m, ids, NULL, 1, n);
    int64_t best = argmax(logits + (n - 1) * vocab, vocab);

    free(logits);
    return best;
}

/* Where one token more rotates all others otherwise, cached keys and values are
   not those of the longer text: a token is chosen from the whole text again. */
static void check_lengths(const char *name, const char *with)
{
    enum { NEW = 8 };
    locant_model *m;
    int64_t ids[B * T], out[B * (T + NEW)];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_generation g = LOCANT_GENERATION_INIT;

    CHECK_OK(locant_model_open_with(&m, fixture(name), LOCANT_F32, with));
    draw_ids(ids, B * T, locant_model_info_of(m).vocab);
    in.ids = VIEW(I64, ids, B, T);
    g.ignore_end = 1;
    CHECK_OK(locant_model_generate(VIEW(I64, out, B, T + NEW), m, &in, &g));
    for (int64_t b = 0; b < B; b++)
        for (int64_t t = T; t < T + NEW; t++)
            if (out[b * (T + NEW) + t] != likely(m, out + b * (T + NEW), t))
                FAIL("%s with %s: token %d of row %d is not that of the whole "
                     "text",
                     name, with, (int)t, (int)b);
    locant_model_close(m);
}

TEST(tokens_are_those_of_whole_texts_where_the_length_rotates)
{
    static const char longrope[] =
        "longrope(factor=2,original=15,short=1:1,long=1.5:3)";
    const char *const with[] = { "dynamic(factor=4,original=8)",
                                 "dynamic(factor=40,original=16)", longrope };

    for (size_t i = 0; i < LEN(with); i++)
        check_lengths("llama", with[i]);
}

/* Dynamic NTK of 13 positions, trained on 8, is NTK by 4 * 13 / 8 - 3, for a
   shorter row of the batch, too: so transformers rotates it. */
TEST(the_longest_row_rotates_all)
{
    enum { SHORT = 10 };
    locant_model *dynamic, *fixed;
    int64_t ids[2 * T], mask[2 * T], vocab;
    float *both, *alone, most = 0;

    CHECK_OK(locant_model_open_with(&dynamic, fixture("llama"), LOCANT_F32,
                                    "dynamic(factor=4,original=8)"));
    CHECK_OK(locant_model_open_with(&fixed, fixture("llama"), LOCANT_F32,
                                    "ntk(factor=3.5)"));
    vocab = locant_model_info_of(fixed).vocab;
    draw_ids(ids, 2 * T, vocab);
    for (int t = 0; t < 2 * T; t++)
        mask[t] = t < T + SHORT;
    both = logits_of(dynamic, ids, mask, 2, T);
    alone = logits_of(fixed, ids + T, NULL, 1, SHORT);
    for (int64_t i = 0; i < SHORT * vocab; i++)
        most = fmaxf(most, fabsf(alone[i]));
    for (int64_t i = 0; i < SHORT * vocab; i++)
        CHECK(fabsf(both[T * vocab + i] - alone[i]) <= 3e-5f * most);
    free(both);
    free(alone);
    locant_model_close(dynamic);
    locant_model_close(fixed);
}

/* Rows of a batch that are padded go on as they do alone, whether positions are
   rotated or rows of a table. */
TEST(continuations_do_not_count_padding)
{
    enum { PAD = 3, NEW = 6 };
    const char *const some[] = { "gpt2", "llama", "ministral3", "mpt" };
    int64_t ids[3 * (T + PAD)], mask[3 * (T + PAD)];
    int64_t out[3 * (T + PAD + NEW)], alone[T + PAD + NEW];
    locant_generation g = LOCANT_GENERATION_INIT;

    g.ignore_end = 1;
    for (size_t i = 0; i < LEN(some); i++) {
        locant_model *m = opened(some[i], LOCANT_F32);
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;

        draw_ids(ids, LEN(ids), locant_model_info_of(m).vocab);
        for (int t = 0; t < T + PAD; t++) {
            mask[t] = 1;
            mask[T + PAD + t] = t >= PAD;
            mask[2 * (T + PAD) + t] = t < T;
        }
        in.ids = VIEW(I64, ids, 3, T + PAD);
        in.mask = VIEW(I64, mask, 3, T + PAD);
        CHECK_OK(locant_model_generate(VIEW(I64, out, 3, T + PAD + NEW), m, &in,
                                       &g));
        in.mask = NULL;
        for (int b = 1; b < 3; b++) {
            in.ids = VIEW(I64, ids + b * (T + PAD) + (b == 1 ? PAD : 0), 1, T);
            CHECK_OK(locant_model_generate(VIEW(I64, alone, 1, T + NEW), m, &in,
                                           &g));
            if (memcmp(out + b * (T + PAD + NEW) + T + PAD, alone + T,
                       NEW * sizeof(*out)) != 0)
                FAIL("%s: row %d goes on otherwise than alone", some[i], b);
        }
        locant_model_close(m);
    }
}

/* New tokens have the positions after the last one that was given. */
TEST(continuations_go_on_from_given_positions)
{
    enum { NEW = 6 };
    const char *const some[] = { "gpt2", "llama" };
    int64_t ids[T], at[T + NEW], out[T + NEW];
    locant_generation g = LOCANT_GENERATION_INIT;

    g.ignore_end = 1;
    for (int t = 0; t < T + NEW; t++)
        at[t] = t < 4 ? t : t == 4 ? 9 : at[t - 1] + 1;
    for (size_t i = 0; i < LEN(some); i++) {
        locant_model *m = opened(some[i], LOCANT_F32);
        const int64_t vocab = locant_model_info_of(m).vocab;
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;
        float *logits = malloc((size_t)((T + NEW) * vocab) * sizeof(*logits));

        CHECK(logits != NULL);
        draw_ids(ids, T, vocab);
        in.ids = VIEW(I64, ids, 1, T);
        in.positions = VIEW(I64, at, 1, T);
        CHECK_OK(locant_model_generate(VIEW(I64, out, 1, T + NEW), m, &in, &g));
        in.ids = VIEW(I64, out, 1, T + NEW);
        in.positions = VIEW(I64, at, 1, T + NEW);
        CHECK_OK(locant_model_logits(VIEW(F32, logits, 1, T + NEW, vocab), NULL,
                                     m, &in, 0));
        for (int64_t t = T; t < T + NEW; t++)
            if (out[t] != argmax(logits + (t - 1) * vocab, vocab))
                FAIL("%s: token %d has another position", some[i], (int)t);
        free(logits);
        locant_model_close(m);
    }
}

/* Draws repeat with their seed, and stay among the k most likely. */
TEST(draws_repeat_and_obey_top_k)
{
    enum { NEW = 40 };
    locant_model *m = opened("llama", LOCANT_F32);
    const int64_t vocab = locant_model_info_of(m).vocab;
    int64_t ids[1] = { 3 }, out[3][1 + NEW];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_generation g = LOCANT_GENERATION_INIT;
    float *logits;

    in.ids = VIEW(I64, ids, 1, 1);
    g.ignore_end = 1;
    g.temperature = 5;
    g.top_k = 3;
    for (int i = 0; i < 3; i++) {
        g.seed = i < 2 ? 7 : 8;
        CHECK_OK(
            locant_model_generate(VIEW(I64, out[i], 1, 1 + NEW), m, &in, &g));
    }
    CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
    CHECK(memcmp(out[0], out[2], sizeof out[0]) != 0);
    logits = logits_of(m, out[0], NULL, 1, 1 + NEW);
    for (int64_t t = 1; t <= NEW; t++) {
        const float *row = logits + (t - 1) * vocab;
        int above = 0;

        for (int64_t i = 0; i < vocab; i++)
            above += row[i] > row[out[0][t]];
        CHECK(above < 3);
    }
    free(logits);
    locant_model_close(m);
}

/* After the end token a row is padded. */
TEST(rows_end_at_the_end_token)
{
    enum { NEW = 200 };
    locant_model *m = opened("llama", LOCANT_F32);
    int64_t ids[1] = { 3 }, out[1 + NEW];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_generation g = LOCANT_GENERATION_INIT;
    int t = 1;

    in.ids = VIEW(I64, ids, 1, 1);
    g.temperature = 1e6; /* nearly uniform: 200 draws of 12 tokens miss the end
                            with probability 3e-8 */
    CHECK_OK(locant_model_generate(VIEW(I64, out, 1, 1 + NEW), m, &in, &g));
    while (t <= NEW && out[t] != 2)
        t++;
    CHECK(t < NEW);
    for (t++; t <= NEW; t++)
        CHECK(out[t] == 0);
    locant_model_close(m);
}

struct told {
    int64_t ids[3], done, total;
};

static int stop_after_three(const int64_t *ids, int64_t done, int64_t total,
                            void *context)
{
    struct told *told = context;

    told->ids[told->done] = *ids;
    told->done = done;
    told->total = total;
    return done == 3;
}

/* Tokens are reported one by one, and the rest is padded when they stop. */
TEST(each_token_is_told_and_may_be_the_last)
{
    enum { NEW = 6 };
    locant_model *m = opened("llama", LOCANT_F32);
    int64_t ids[1] = { 3 }, all[1 + NEW], out[1 + NEW];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_generation g = LOCANT_GENERATION_INIT;
    struct told told = { 0 };

    in.ids = VIEW(I64, ids, 1, 1);
    g.ignore_end = 1;
    CHECK_OK(locant_model_generate(VIEW(I64, all, 1, 1 + NEW), m, &in, &g));
    g.each = stop_after_three;
    g.context = &told;
    CHECK_OK(locant_model_generate(VIEW(I64, out, 1, 1 + NEW), m, &in, &g));
    CHECK(told.done == 3 && told.total == NEW);
    CHECK(memcmp(told.ids, all + 1, sizeof(told.ids)) == 0);
    CHECK(memcmp(out, all, 4 * sizeof(*out)) == 0);
    for (int t = 4; t <= NEW; t++)
        CHECK(out[t] == 0);
    locant_model_close(m);
}

/* ---------------------------------------------------------------- refusals */

TEST(refuses_ids_beyond_the_vocabulary)
{
    locant_model *m = opened("llama", LOCANT_F32);
    int64_t ids[2] = { 1, 12 };
    float out[24];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;

    in.ids = VIEW(I64, ids, 1, 2);
    CHECK_REFUSED(
        locant_model_logits(VIEW(F32, out, 1, 2, 12), NULL, m, &in, 0),
        LOCANT_ERR_PARAM,
        "locant_model_logits: ids[0, 1] is 12, the vocabulary has 12 tokens");
    ids[1] = -1;
    CHECK_REFUSED(
        locant_model_logits(VIEW(F32, out, 1, 2, 12), NULL, m, &in, 0),
        LOCANT_ERR_PARAM,
        "locant_model_logits: ids[0, 1] is -1, the vocabulary has 12 tokens");
    ids[1] = 1;
    in.types = in.ids;
    CHECK_REFUSED(
        locant_model_logits(VIEW(F32, out, 1, 2, 12), NULL, m, &in, 0),
        LOCANT_ERR_PARAM, "locant_model_logits: llama takes no token types");
    locant_model_close(m);
}

static locant_status run_without_memory(const void *name)
{
    locant_model *m = NULL;
    int64_t ids[4] = { 1, 2, 3, 4 };
    float out[4 * 12];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_status status;

    in.ids = VIEW(I64, ids, 1, 4);
    status = locant_model_open(&m, fixture(name), LOCANT_F32);
    if (status == LOCANT_OK)
        status = locant_model_logits(VIEW(F32, out, 1, 4, 12), NULL, m, &in, 0);
    locant_model_close(m);
    return status;
}

TEST(without_memory_nothing_is_kept)
{
    check_no_memory(run_without_memory, "llama");
    check_no_memory(run_without_memory, "gemma3n");
    check_no_memory(run_without_memory, "deepseek_v3");
    check_no_memory(run_without_memory, "phi3_long");
    check_no_memory(run_without_memory, "ministral3");
    check_no_memory(run_without_memory, "kimi_linear");
}
