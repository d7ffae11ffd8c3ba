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

enum { RANKS = 4, ARRAYS = 7 };

/* ------------------------------------------------------------------- calls */

/* What all ranks are given. */
struct job {
    const locant_model *model;
    locant_model_input in;
    locant_model_input other; /* of rank 1; struct_size 0: the same */
    const locant_model *other_model;
    bool losses;
    int flags;
    locant_tensor out;    /* of rank 0 */
    double *lost[RANKS];  /* losses of the others */
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
    CHECK_OK(job->losses
                 ? locant_model_losses(&want, job->model, &job->in)
                 : locant_model_logits(&want, NULL, job->model, &job->in,
                                       job->flags));
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

/* Groups of 1 to 4 ranks give what one process gives. */
static void check_bits(struct job *job, locant_dtype dtype, const char *what)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    locant_tensor want = begin(job, dtype);
    const size_t bytes = bytes_of(&want);

    for (int size = 1; size <= RANKS; size++) {
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
    static const char *const names[ARRAYS] = { "ids",         "mask",
                                               "positions",   "types",
                                               "decoder_ids", "pixels",
                                               "grid" };
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

static void check_fixture(const char *name, locant_dtype dtype)
{
    struct inputs x;
    struct job job = { .flags = 0 };
    locant_model *m;

    read_inputs(&x, fixture(name));
    job.flags = has_no_head(fixture(name)) ? LOCANT_MODEL_HIDDEN : 0;
    job.in = x.in;
    job.model = m = opened(name, dtype);
    check_bits(&job, dtype, name);
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
        for (size_t i = 0; i < LEN(dtypes); i++)
            check_fixture(entry->d_name, dtypes[i]);
        models++;
    }
    closedir(folder);
    CHECK(models > 50);
}

