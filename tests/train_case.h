/* train_case.h - short runs that are killed, resumed, compared to the bit */
#ifndef TRAIN_CASE_H
#define TRAIN_CASE_H
#include "lab_case.h"
#include "locant/files.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static inline int make_corpus(void **state)
{
    (void)state;
    corpus = generated(512 << 10, 0);
    return 0;
}

static inline int free_corpus(void **state)
{
    (void)state;
    locant_corpus_free(corpus);
    return 0;
}

/* A run of some tenths of a second. */
static inline locant_train_options tiny(const char *encoding)
{
    locant_train_options o = narrow(encoding, 2, 32, 30);

    o.checkpoint_every = 4;
    return o;
}

static inline int64_t train(locant_store *s, const locant_train_options *o)
{
    int64_t id = 0;

    CHECK_OK(locant_train(&id, s, corpus, o));
    return id;
}

/* -------------------------------------------------------------- same bits */

static inline locant_tensors *checkpoint_of(locant_store *s, int64_t id)
{
    locant_tensors *t;
    char *path;

    CHECK_OK(lct_store_run_path(&path, s, id, "safetensors"));
    CHECK_OK(locant_tensors_read(&t, path));
    locant_release(path);
    return t;
}

static inline size_t bytes_of(const locant_tensor *t)
{
    size_t n = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

/* Parameters and moments of two runs are equal byte by byte, and metadata. */
static inline void check_same_state(locant_store *a, int64_t i, locant_store *b,
                                    int64_t j)
{
    static const char *const keys[] = { "run", "step", "batch_checksum" };
    locant_tensors *x = checkpoint_of(a, i), *y = checkpoint_of(b, j);
    const locant_tensor *t;
    const char *name;
    size_t n = 0;

    for (; (t = locant_tensors_at(x, n, &name)) != NULL; n++) {
        const locant_tensor *u = locant_tensors_find(y, name);

        if (u == NULL || bytes_of(t) != bytes_of(u) ||
            memcmp(t->data, u->data, bytes_of(t)) != 0)
            FAIL("tensor %s differs", name);
    }
    CHECK(n > 10); /* two layers, embeddings, moments */
    for (size_t k = 0; k < LEN(keys); k++)
        assert_string_equal(locant_tensors_metadata(x, keys[k]),
                            locant_tensors_metadata(y, keys[k]));
    locant_tensors_free(x);
    locant_tensors_free(y);
}

static inline void check_same_metrics(locant_store *a, int64_t i,
                                      locant_store *b, int64_t j)
{
    struct lct_metric *x, *y;
    size_t n, m;

    CHECK_OK(lct_store_read_metrics(&x, &n, a, i));
    CHECK_OK(lct_store_read_metrics(&y, &m, b, j));
    assert_int_equal(n, m);
    for (size_t k = 0; k < n; k++) {
        CHECK(x[k].step == (int64_t)k + 1 && y[k].step == x[k].step);
        CHECK(x[k].loss == y[k].loss && x[k].grad_norm == y[k].grad_norm);
        CHECK(x[k].rate == y[k].rate);
        CHECK(x[k].encoding_norm == y[k].encoding_norm ||
              (isnan(x[k].encoding_norm) && isnan(y[k].encoding_norm)));
    }
    locant_release(x);
    locant_release(y);
}

static inline void check_same_run(locant_store *a, int64_t i, locant_store *b,
                                  int64_t j)
{
    locant_run_info x, y;

    CHECK_OK(locant_store_run(&x, a, i));
    CHECK_OK(locant_store_run(&y, b, j));
    assert_string_equal(x.status, "done");
    assert_string_equal(y.status, "done");
    CHECK(x.step == y.step && x.train_loss == y.train_loss);
    check_same_state(a, i, b, j);
    check_same_metrics(a, i, b, j);
}

/* Progress that counts its calls and stops the run. */
static inline int stop(const locant_progress *p, void *context)
{
    CHECK(strcmp(p->phase, "train") == 0 && p->step > 0);
    ++*(int *)context;
    return 1;
}

/* Train in another process and kill it after some time (0: never); *killed:
 * whether it was killed before it ended. */
static inline void train_and_kill(const locant_train_options *o,
                                  const char *name, int microseconds,
                                  bool *killed)
{
    struct timespec pause = { 0, microseconds * 1000L };
    pid_t child = fork();
    int status;

    if (child == 0) {
        locant_store *s;
        int64_t id;

        if (locant_store_open(&s, scratch_file(&dir, name)) != LOCANT_OK ||
            locant_train(&id, s, corpus, o) != LOCANT_OK) {
            fprintf(stderr, "%s\n", locant_last_error());
            _exit(1);
        }
        locant_store_close(s);
        _exit(0);
    }
    if (microseconds > 0) {
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    *killed = WIFSIGNALED(status);
    CHECK(*killed || WEXITSTATUS(status) == 0);
}

/* The number of files in the folder of checkpoints. */
static inline int files_in(const char *name)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *folder;
    int n = 0;

    snprintf(path, sizeof path, "%s/checkpoints", scratch_file(&dir, name));
    folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}
#endif
