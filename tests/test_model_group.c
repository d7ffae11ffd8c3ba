/* needs: lab */
/*
 * test_model_group.c - logits and losses of real checkpoints that ranks share
 * out have the bits of one process, and one failure is the failure of all
 *
 * Nothing here has a tolerance.  Whether logits are right is the subject of
 * tests/run_models.py, of whose fixtures all are run.
 */
#define _GNU_SOURCE
#include "locant/files.h"
#include "net_case.h"
#include "thread_group.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>

enum { RANKS = 4 };

/* Arrays of an input. */
enum { IDS, MASK, POSITIONS, TYPES, DECODER_IDS, PIXELS, GRID, ARRAYS };

/* ------------------------------------------------------------------- calls */

/* What all ranks are given. */
struct job {
    const locant_model *model;
    locant_model_input in;
    locant_model_input other; /* of rank 1; struct_size 0: the same */
    const locant_model *other_model;
    bool no_model; /* for rank 1 */
    bool losses;
    int flags;
    locant_tensor out;   /* of rank 0 */
    double *lost[RANKS]; /* losses of the others */
};

static locant_status run_rank(const locant_group *g, void *context)
{
    const struct job *job = context;
    locant_model_input in = job->in;
    const locant_model *model = job->model;
    locant_tensor out = job->out;

    if (g->rank == 1 && job->other.struct_size > 0)
        in = job->other;
    if (g->rank == 1 && job->other_model != NULL)
        model = job->other_model;
    if (g->rank == 1 && job->no_model)
        model = NULL;
    in.group = g;
    if (!job->losses)
        return locant_model_logits(g->rank == 0 ? &out : NULL, NULL, model, &in,
                                   job->flags);
    if (g->rank > 0)
        out.data = job->lost[g->rank];
    return locant_model_losses(&out, model, &in);
}

static size_t bytes_of(const locant_tensor *t)
{
    size_t bytes = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        bytes *= (size_t)t->shape[i];
    return bytes;
}

/* Room for the results, which one process computes. */
static locant_tensor begin(struct job *job, locant_dtype dtype)
{
    locant_tensor want;
    int64_t shape[3];
    int rank = 2;

    if (job->losses) {
        shape[0] = job->in.ids->shape[0];
        shape[1] = job->in.ids->shape[1] - 1;
        dtype = LOCANT_F64;
    } else {
        CHECK_OK(
            locant_model_shape(shape, &rank, job->model, &job->in, job->flags));
        dtype = dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
    }
    job->out = locant_dense(NULL, dtype, rank, shape);
    want = job->out;
    want.data = malloc(bytes_of(&want));
    job->out.data = malloc(bytes_of(&want));
    for (int r = 1; r < RANKS && job->losses; r++)
        job->lost[r] = malloc(bytes_of(&want));
    CHECK_OK(job->losses ? locant_model_losses(&want, job->model, &job->in)
                         : locant_model_logits(&want, NULL, job->model,
                                               &job->in, job->flags));
    return want;
}

static void end(struct job *job, locant_tensor *want)
{
    free(want->data);
    free(job->out.data);
    for (int r = 1; r < RANKS; r++)
        free(job->lost[r]);
    memset(job->lost, 0, sizeof job->lost);
}

/* Groups of 1 to 4 ranks give what one process gives; under a sanitizer, where
   each costs as much as ten, of 2 and 3. */
static void check_bits(struct job *job, locant_dtype dtype, const char *what)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    locant_tensor want = begin(job, dtype);
    const size_t bytes = bytes_of(&want);

    for (int size = TEST_SANITIZED ? 2 : 1;
         size <= (TEST_SANITIZED ? 3 : RANKS); size++) {
        const struct thread_group_options o = { .size = size,
                                                .seed = test_rand() };

        memset(job->out.data, 0x55, bytes);
        thread_group_run(results, &o, run_rank, job);
        if (job->in.ids == NULL && job->in.pixels->shape[0] < size) {
            thread_group_check(results, size, LOCANT_ERR_PARAM,
                               "reads whole images, and there are");
            continue;
        }
        for (int r = 0; r < size; r++)
            if (results[r].status != LOCANT_OK)
                FAIL("%s %s: rank %d of %d: %s", what, locant_dtype_name(dtype),
                     r, size, results[r].message);
        if (memcmp(job->out.data, want.data, bytes) != 0)
            FAIL("%s %s: %d ranks have other bits", what,
                 locant_dtype_name(dtype), size);
        for (int r = 1; r < size && job->losses; r++)
            CHECK(memcmp(job->lost[r], want.data, bytes) == 0);
        assert_int_equal(thread_group_left(), 0);
    }
    end(job, &want);
}

/* ---------------------------------------------------------------- fixtures */

/* The inputs of a fixture. */
struct inputs {
    locant_array arrays[ARRAYS];
    locant_model_input in;
};

static void read_inputs(struct inputs *x, const char *folder)
{
    static const char *const names[ARRAYS] = {
        "ids", "mask", "positions", "types", "decoder_ids", "pixels", "grid"
    };
    const locant_tensor **to[ARRAYS] = { &x->in.ids,         &x->in.mask,
                                         &x->in.positions,   &x->in.types,
                                         &x->in.decoder_ids, &x->in.pixels,
                                         &x->in.grid };
    char path[600];

    *x = (struct inputs){ .in = LOCANT_MODEL_INPUT_INIT };
    for (int i = 0; i < ARRAYS; i++) {
        snprintf(path, sizeof path, "%s/%s.npy", folder, names[i]);
        if (locant_npy_read(&x->arrays[i], path) == LOCANT_OK)
            *to[i] = &x->arrays[i].tensor;
    }
}

static void release_inputs(struct inputs *x)
{
    for (int i = 0; i < ARRAYS; i++)
        locant_release(x->arrays[i].memory);
}

static bool has_no_head(const char *folder)
{
    char path[600];
    FILE *file;

    snprintf(path, sizeof path, "%s/hidden.npy", folder);
    file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* The same with three times as many rows; false if some array has none. */
static bool triple(struct inputs *x)
{
    for (int i = 0; i < ARRAYS; i++) {
        locant_tensor *t = &x->arrays[i].tensor;
        const size_t bytes = x->arrays[i].memory != NULL ? bytes_of(t) : 0;
        char *more;

        if (bytes == 0)
            continue;
        if (i == GRID || (i == POSITIONS && t->rank == 3) ||
            (i == PIXELS && x->in.ids != NULL))
            return false;
        more = locant_alloc(3 * bytes);
        for (size_t k = 0; k < 3; k++)
            memcpy(more + k * bytes, t->data, bytes);
        locant_release(x->arrays[i].memory);
        x->arrays[i].memory = t->data = more;
        t->shape[0] *= 3;
    }
    return true;
}

/* Do texts of this model have losses? */
static bool has_losses(const locant_model *m, const locant_model_input *in)
{
    double *out;
    locant_status status;

    if (in->ids == NULL || in->decoder_ids != NULL)
        return false;
    out = calloc((size_t)(in->ids->shape[0] * in->ids->shape[1]), sizeof *out);
    status = locant_model_losses(
        VIEW(F64, out, in->ids->shape[0], in->ids->shape[1] - 1), m, in);
    free(out);
    return status == LOCANT_OK;
}

static void check_fixture(const char *name, locant_dtype dtype)
{
    struct inputs x;
    struct job job = { .flags = 0 };
    locant_model *m;

    read_inputs(&x, fixture(name));
    job.flags = has_no_head(fixture(name)) ? LOCANT_MODEL_HIDDEN : 0;
    job.model = m = opened(name, dtype);
    job.in = x.in;
    check_bits(&job, dtype, name);
    if (triple(&x)) {
        job.in = x.in;
        check_bits(&job, dtype, name);
        job.losses = has_losses(m, &job.in);
        if (job.losses)
            check_bits(&job, dtype, name);
    }
    locant_model_close(m);
    release_inputs(&x);
}

TEST(all_fixtures_have_the_bits_of_one_process)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64,
                                           LOCANT_BF16 };
    struct dirent *entry;
    DIR *folder = opendir(FIXTURES);
    int models = 0;

    CHECK(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        for (size_t i = 0; i < (TEST_SANITIZED ? 1 : LEN(dtypes)); i++)
            check_fixture(entry->d_name, dtypes[i]);
        models++;
    }
    closedir(folder);
    CHECK(models > 50);
}

/* ------------------------------------------------------------------- texts */

/* Heads in groups, windows, chunks, ALiBi, a latent vector with experts, a
   state, several streams, lengths that matter, no causal mask with a
   convolution. */
static const char *const texts[] = { "llama",   "gemma3",      "llama4",
                                     "bloom",   "deepseek_v3", "qwen3_next",
                                     "gemma3n", "phi3_long",   "deberta_v3" };

/* Several tiles of 64 tokens, which cuts do not meet, in more steps than one
   rank would take; padding on the left of one row and on the right of the
   other; positions that are given. */
static void check_text(const char *name, locant_dtype dtype, bool padded,
                       bool given)
{
    enum { B = 2, T = 290 };
    static int64_t ids[B * T], mask[B * T], positions[B * T];
    const locant_tensor tokens = DENSE(I64, ids, B, T);
    const locant_tensor seen = DENSE(I64, mask, B, T);
    const locant_tensor at = DENSE(I64, positions, B, T);
    struct job job = { .in = LOCANT_MODEL_INPUT_INIT };
    locant_model *m = opened(name, dtype);

    draw_ids(ids, B * T, locant_model_info_of(m).vocab);
    for (int64_t i = 0; i < B * T; i++) {
        mask[i] = i < T ? i > 70 : i % T < T - 90;
        positions[i] = 2 * (i % T) + (i % T > 100 ? 37 : 0);
    }
    job.model = m;
    job.in.ids = &tokens;
    job.in.mask = padded ? &seen : NULL;
    job.in.positions = given ? &at : NULL;
    check_bits(&job, dtype, name);
    locant_model_close(m);
}

TEST(texts_of_several_tiles_have_the_bits_of_one_process)
{
    for (size_t i = 0; i < LEN(texts); i++) {
        check_text(texts[i], LOCANT_F32, true, false);
        check_text(texts[i], LOCANT_BF16, i % 2 == 0, true);
    }
}

/* The longest row of a batch rotates all: two ranks must not have one each. */
TEST(rows_that_depend_on_each_other_stay_together)
{
    enum { B = 2, T = 40 };
    int64_t ids[B * T], mask[B * T];
    const locant_tensor tokens = DENSE(I64, ids, B, T);
    const locant_tensor seen = DENSE(I64, mask, B, T);
    struct job job = { .in = LOCANT_MODEL_INPUT_INIT };
    locant_model *m = opened("phi3_long", LOCANT_F32);

    draw_ids(ids, B * T, locant_model_info_of(m).vocab);
    for (int64_t i = 0; i < B * T; i++)
        mask[i] = i < T || i % T < 5; /* within the trained length */
    job.in.ids = &tokens;
    job.in.mask = &seen;
    job.model = m;
    check_bits(&job, LOCANT_F32, "phi3_long");
    locant_model_close(m);
}

/* Fewer tokens than ranks: some have none. */
TEST(a_single_token_has_the_bits_of_one_process)
{
    int64_t ids[] = { 3 };
    const locant_tensor tokens = DENSE(I64, ids, 1, 1);

    for (size_t i = 0; i < LEN(texts); i++) {
        struct job job = { .in = LOCANT_MODEL_INPUT_INIT };
        locant_model *m = opened(texts[i], LOCANT_F32);

        job.in.ids = &tokens;
        job.model = m;
        check_bits(&job, LOCANT_F32, texts[i]);
        locant_model_close(m);
    }
}

/* ---------------------------------------------------------------- failures */

enum { ROWS = 2, TOKENS = 13 };

/* A text of two rows, which three ranks share out by tokens. */
static struct job short_text(const char *name)
{
    static int64_t ids[ROWS * TOKENS];
    static locant_tensor tokens;
    struct job job = { .in = LOCANT_MODEL_INPUT_INIT };

    job.model = opened(name, LOCANT_F32);
    draw_ids(ids, ROWS * TOKENS, locant_model_info_of(job.model).vocab);
    tokens = DENSE(I64, ids, ROWS, TOKENS);
    job.in.ids = &tokens;
    return job;
}

static void close_text(struct job *job)
{
    locant_model_close((locant_model *)(uintptr_t)job->model);
}

/* Run 'size' ranks, which all fail so. */
static void check_failure(struct job *job, int size, locant_status want,
                          const char *message)
{
    const struct thread_group_options o = { .size = size, .seed = test_rand() };
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const locant_model_input other = job->other;
    locant_tensor room;

    job->other.struct_size = 0;
    room = begin(job, LOCANT_F32);
    job->other = other;
    thread_group_run(results, &o, run_rank, job);
    thread_group_check(results, size, want, message);
    assert_int_equal(thread_group_left(), 0);
    end(job, &room);
}

TEST(ranks_that_differ_are_refused)
{
    struct job job = short_text("llama");
    int64_t others[ROWS * TOKENS] = { 0 };
    const locant_tensor other = DENSE(I64, others, ROWS, TOKENS);
    locant_model *bf16 = opened("llama", LOCANT_BF16);
    locant_model *granite = opened("granite", LOCANT_F32);

    job.other = job.in;
    job.other.ids = &other;
    check_failure(&job, 2, LOCANT_ERR_PARAM, "rank 1 has 'ids=");
    check_failure(&job, 3, LOCANT_ERR_PARAM, "rank 1 has 'ids=");
    job.losses = true;
    check_failure(&job, 3, LOCANT_ERR_PARAM, "rank 1 has 'ids=");
    job.losses = false;
    others[3] = 1 << 20;
    check_failure(&job, 3, LOCANT_ERR_PARAM,
                  "rank 1: locant_model_logits: ids[0, 3] is 1048576");
    job.other = job.in;
    job.other.mask = &other;
    check_failure(&job, 3, LOCANT_ERR_PARAM, "rank 1 has 'mask=");
    job.other.struct_size = 0;
    job.other_model = bf16;
    check_failure(&job, 3, LOCANT_ERR_PARAM,
                  "rank 1 has 'dtype=bf16' where rank 0 has 'dtype=f32'");
    job.other_model = granite;
    check_failure(&job, 3, LOCANT_ERR_PARAM, "rank 1 has 'model=");
    locant_model_close(bf16);
    locant_model_close(granite);
    close_text(&job);
}

/* Rank 1 alone was called wrongly: the others do not wait for it. */
TEST(one_rank_that_cannot_begin_stops_all)
{
    struct job job = short_text("llama");

    job.no_model = true;
    check_failure(&job, 3, LOCANT_ERR_PARAM,
                  "rank 1: locant_model_logits: model is NULL");
    job.losses = true;
    check_failure(&job, 3, LOCANT_ERR_PARAM,
                  "rank 1: locant_model_losses: model is NULL");
    job.no_model = false;
    job.other = job.in;
    job.other.ids = NULL;
    check_failure(&job, 2, LOCANT_ERR_PARAM, "rank 1: locant_model_losses: ");
    close_text(&job);
}

/* A position beyond the table is one of the last rank's. */
TEST(the_failure_of_one_rank_is_that_of_all)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options o = { .size = 3, .seed = 1 };
    struct job job = short_text("gpt2");
    int64_t positions[ROWS * TOKENS] = { 0 };
    const locant_tensor at = DENSE(I64, positions, ROWS, TOKENS);
    locant_tensor room = begin(&job, LOCANT_F32);

    positions[ROWS * TOKENS - 1] = 9999;
    job.in.positions = &at;
    thread_group_run(results, &o, run_rank, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM, "position 9999");
    thread_group_check(results, 2, LOCANT_ERR_PARAM, "rank 2: locant_");
    assert_int_equal(thread_group_left(), 0);
    end(&job, &room);
    close_text(&job);
}

/* Whichever exchange of a rank fails, it and all that wait for a rank end, and
   keep nothing. */
TEST(a_lost_rank_ends_all)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    struct job job = short_text("gemma3");
    locant_tensor room = begin(&job, LOCANT_F32);
    int failures = 0;

    for (int rank = 0; rank < 3; rank++) {
        bool more = true;

        for (long k = 1; more; k++) {
            const struct thread_group_options o = {
                .size = 3, .seed = test_rand(), .failing = rank, .fails_at = k
            };

            thread_group_run(results, &o, run_rank, &job);
            more = results[rank].exchanges >= k;
            CHECK((results[rank].status == LOCANT_ERR_IO) == more);
            for (int r = 0; r < 3; r++)
                CHECK(results[r].status == LOCANT_OK ||
                      (more && results[r].status == LOCANT_ERR_IO &&
                       strstr(results[r].message, "is lost") != NULL));
            failures += more;
        }
    }
    CHECK(failures > 12);
    end(&job, &room);
    close_text(&job);
}

/* No memory for the k-th allocation of any rank: none waits for ever, and all
   of its memory is given back. */
TEST(survives_any_allocation_that_fails)
{
    static const char *const names[] = { "deberta_v3", "qwen3_next", "t5",
                                         "vit" };
    struct thread_group_result results[THREAD_GROUP_RANKS];

    for (size_t i = 0; i < LEN(names); i++) {
        struct job job = { .flags = 0 };
        struct inputs x;
        locant_model *m = opened(names[i], LOCANT_F32);
        locant_tensor room;
        int failures = 0;
        bool more = true;

        read_inputs(&x, fixture(names[i]));
        if (i == LEN(names) - 1)
            triple(&x);
        job.in = x.in;
        job.model = m;
        room = begin(&job, LOCANT_F32);
        for (long k = 1; more; k += TEST_SANITIZED ? 7 : 1) {
            more = thread_group_run_short(results, k, run_rank, &job);
            failures += results[0].status == LOCANT_ERR_NOMEM;
            if (results[0].status != (more ? LOCANT_ERR_NOMEM : LOCANT_OK))
                FAIL("%s: allocation %ld: %s", names[i], k, results[0].message);
        }
        CHECK(failures > 5);
        end(&job, &room);
        locant_model_close(m);
        release_inputs(&x);
    }
}

/* --------------------------------------------------------------- refusals */

TEST(what_runs_in_one_process_refuses_a_group)
{
    struct job job = short_text("llama");
    locant_group group = { sizeof group, 0, 2, thread_group_refuse, NULL };
    int64_t ids[ROWS * (TOKENS + 2)], shape[2];
    locant_tensor *out = VIEW(I64, ids, ROWS, TOKENS + 2);
    char *text;

    job.in.group = &group;
    CHECK_REFUSED(locant_model_generate(out, job.model, &job.in, NULL),
                  LOCANT_ERR_PARAM,
                  "locant_model_generate: runs in one process, and the group"
                  " has 2 ranks");
    CHECK_REFUSED(locant_model_probe(&text, NULL, job.model, &job.in, -1, -1),
                  LOCANT_ERR_PARAM,
                  "locant_model_probe: runs in one process, and the group has"
                  " 2 ranks");
    group.exchange = NULL;
    CHECK_REFUSED(locant_model_logits(NULL, NULL, job.model, &job.in, 0),
                  LOCANT_ERR_NULL,
                  "locant_model_logits: group->exchange is NULL");
    group.struct_size = 1;
    CHECK_REFUSED(locant_model_losses(NULL, job.model, &job.in),
                  LOCANT_ERR_PARAM,
                  "locant_model_losses: group->struct_size is 1, expected 32");
    group = (locant_group){ sizeof group, 0, 1, NULL, NULL };
    CHECK_OK(locant_model_generate(out, job.model, &job.in, NULL));
    CHECK_OK(locant_model_prompt(shape, job.model, &job.in));
    close_text(&job);
}
