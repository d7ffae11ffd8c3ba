/* load_trained.c - load the model of a run, also under another encoding */
#define _POSIX_C_SOURCE 200809L
#include "load_trained.h"
#include "../store/checkpoint.h"
#include "../store/run_sizes.h"
#include "locant/resize.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int64_t lct_segment_rows(int64_t length, int64_t room)
{
    return length < room ? room / length : 1;
}

locant_status lct_make_untrained(struct lct_model **model,
                                 const locant_encoding *encoding,
                                 const locant_run_info *run, int64_t room,
                                 bool gradients)
{
    struct lct_model_config config;

    LCT_TRY(lct_model_parse(&config, run->model));
    config.encoding = encoding;
    if (config.memory > 0)
        return lct_model_create(model, &config,
                                lct_segment_rows(run->length, room),
                                run->length, gradients);
    return lct_model_create(model, &config, 1, room, gradients);
}

locant_status lct_check_done(const char *fn, const locant_run_info *run)
{
    if (strcmp(run->status, "done") == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: run %" PRId64 " is %s at step %" PRId64
                       " of %" PRId64 ", expected it done",
                       fn, run->id, run->status, run->step, run->steps);
}

/* Counts the query and output matrices of attention and both matrices of the
   feed-forward layer: their sizes depend on neither encoding nor heads. */
locant_status lct_check_checkpoint_size(const locant_run_info *run,
                                        const char *path, const locant_store *s)
{
    struct lct_model_config c;
    struct stat st;
    double least;

    LCT_TRY(lct_model_parse(&c, run->model));
    least = (double)sizeof(real) * (double)c.layers * 2 * (double)c.width *
            (double)(c.width + c.ff);
    if (stat(path, &st) != 0)
        return locant_fail(LOCANT_ERR_IO, "%s: cannot be opened: %s", path,
                           strerror(errno));
    if ((double)st.st_size >= least)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: run %" PRId64 ": a model of %s"
                       " takes at least %.0f bytes, its checkpoint has %lld",
                       s->path, run->id, run->model, least,
                       (long long)st.st_size);
}

static locant_status load(struct lct_model **model, locant_encoding **encoding,
                          locant_store *store, const locant_run_info *run,
                          int64_t room, bool gradients)
{
    struct lct_run_extra extra;
    struct lct_checkpoint c = { .key = extra.key };
    locant_status status;
    char *path;

    LCT_TRY(lct_store_read_run_extra(&extra, store, run->id));
    LCT_TRY(lct_encoding_of_run(encoding, store, run));
    LCT_TRY(lct_store_run_path(&path, store, run->id, "safetensors"));
    status = lct_check_checkpoint_size(run, path, store);
    if (status == LOCANT_OK)
        status = lct_store_blame(
            lct_make_untrained(model, *encoding, run, room, gradients), store,
            "run %" PRId64, run->id);
    if (status == LOCANT_OK)
        status = lct_checkpoint_read(&c, *model, path);
    locant_release(path);
    return status;
}

locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room)
{
    return load(model, encoding, store, run, room, false);
}

locant_status lct_load_for_backward(struct lct_model **model,
                                    locant_encoding **encoding,
                                    locant_store *store,
                                    const locant_run_info *run, int64_t room)
{
    return load(model, encoding, store, run, room, true);
}

/* ------------------------------------------------------ under another spec */

/*
 * The name of a parameter with the name of its encoding: "t5.table", whether
 * the model calls it "encoding.table" (t5 alone) or "encoding.t5.table" (t5 as
 * part of a sum).
 */
static void name_param(char *out, size_t size, const struct lct_model *m,
                       const struct lct_model_tensor *t)
{
    const locant_encoding *e = lct_model_config_of(m)->encoding;
    const char *name = strstr(t->name, "encoding.");

    name = name ? name + strlen("encoding.") : t->name;
    if (strchr(name, '.') != NULL)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s.%s", locant_encoding_info_of(e)->name, name);
}

/* The tensor of 'from' that corresponds to tensor t of 'to', or NULL. */
static const struct lct_model_tensor *partner(const struct lct_model *from,
                                              const struct lct_model *to,
                                              const struct lct_model_tensor *t)
{
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(from, &list);
    char want[192], name[192];

    name_param(want, sizeof want, to, t);
    for (int i = 0; i < n; i++) {
        if ((list[i].encoding_param < 0) != (t->encoding_param < 0))
            continue;
        if (t->encoding_param < 0 && strcmp(list[i].name, t->name) == 0)
            return &list[i];
        name_param(name, sizeof name, from, &list[i]);
        if (t->encoding_param >= 0 && list[i].layer == t->layer &&
            strcmp(name, want) == 0)
            return &list[i];
    }
    return NULL;
}

/* Do the shapes agree? With 'longer', 'a' may have more rows. */
static bool shapes_fit(const struct lct_model_tensor *a,
                       const struct lct_model_tensor *b, bool longer)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i] &&
            !(longer && i == 0 && a->shape[0] > b->shape[0]))
            return false;
    return true;
}

static locant_status no_partner(const struct lct_model *a,
                                const struct lct_model_tensor *t,
                                const char *what, const struct lct_model *b)
{
    char name[192];

    name_param(name, sizeof name, a, t);
    return locant_fail(
        LOCANT_ERR_PARAM,
        "locant_evaluate_as: parameter %s of %s has no partner"
        " %sin %s",
        name, locant_encoding_spec(lct_model_config_of(a)->encoding), what,
        locant_encoding_spec(lct_model_config_of(b)->encoding));
}

/* Fail unless every tensor of one model has a partner in the other, of the same
   shape. */
static locant_status check_partners(const struct lct_model *to,
                                    const struct lct_model *from, bool longer)
{
    const struct lct_model_tensor *list, *other;
    int n = lct_model_tensors(to, &list);

    for (int i = 0; i < n; i++) {
        other = partner(from, to, &list[i]);
        if (other == NULL || !shapes_fit(&list[i], other, longer))
            return no_partner(to, &list[i], other ? "of its shape " : "", from);
    }
    n = lct_model_tensors(from, &list);
    for (int i = 0; i < n; i++)
        if (partner(to, from, &list[i]) == NULL)
            return no_partner(from, &list[i], "", to);
    return LOCANT_OK;
}

locant_status lct_copy_trained(struct lct_model *to, struct lct_model *from,
                               bool longer)
{
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(to, &list);

    LCT_TRY(check_partners(to, from, longer));
    for (int i = 0; i < n; i++) {
        const struct lct_model_tensor *t = partner(from, to, &list[i]);

        memcpy(lct_model_params(to) + list[i].offset,
               lct_model_params(from) + t->offset, t->size * sizeof(real));
    }
    return LOCANT_OK;
}

locant_status lct_load_trained_as(struct lct_model **model,
                                  const locant_encoding *encoding,
                                  locant_store *store,
                                  const locant_run_info *run, int64_t room)
{
    struct lct_model *trained = NULL;
    locant_encoding *own = NULL;
    locant_status status = lct_load_trained(&trained, &own, store, run, 1);

    if (status == LOCANT_OK)
        status = lct_make_untrained(model, encoding, run, room, false);
    if (status == LOCANT_OK)
        status = lct_copy_trained(*model, trained, false);
    lct_model_free(trained);
    locant_encoding_free(own);
    return status;
}

locant_status lct_load_trained_longer(struct lct_model **model,
                                      struct lct_model **trained,
                                      locant_encoding **own,
                                      const locant_encoding *encoding,
                                      locant_store *store,
                                      const locant_run_info *run, int64_t room)
{
    LCT_TRY(lct_load_trained(trained, own, store, run, 1));
    LCT_TRY(lct_make_untrained(model, encoding, run, room, false));
    LCT_TRY(lct_copy_trained(*model, *trained, true));
    if (lct_model_size(*model) == lct_model_size(*trained))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_evaluate_as: no table of %s ends where its"
                           " positions do, expected no policy",
                           locant_encoding_spec(*own));
    return LOCANT_OK;
}

/* ----------------------------------------------------- beyond a table's end */

/* The trained row that row 'at' of a longer table copies. */
static int64_t row_for(int64_t at, int64_t rows, enum locant_eval_policy policy)
{
    if (at < rows)
        return at;
    return policy == LOCANT_POLICY_WRAP ? at % rows : rows - 1;
}

static locant_status stretch(real *to, int64_t n, const real *from,
                             int64_t rows, int64_t width)
{
    const int64_t shape[2] = { n, width }, own[2] = { rows, width };
    locant_resize how = LOCANT_RESIZE_INIT;
    locant_tensor out = locant_dense(to, LCT_REAL_DTYPE, 2, shape);
    const locant_tensor table =
        locant_dense((real *)from, LCT_REAL_DTYPE, 2, own);

    how.align_corners = 1; /* the first and the last row stay as trained */
    return locant_resize_1d(&out, &table, &how);
}

/* Fill to [to_rows, width] from the trained table from [rows, width]. The first
   'ahead' rows, which come before the row of position 0, are copied. */
static locant_status extend_table(real *to, int64_t to_rows, const real *from,
                                  int64_t rows, int64_t width, int64_t ahead,
                                  enum locant_eval_policy policy, int64_t T)
{
    memcpy(to, from, (size_t)(ahead * width) * sizeof *to);
    to += ahead * width;
    from += ahead * width;
    rows -= ahead;
    if (policy == LOCANT_POLICY_RESAMPLE && T > rows)
        return stretch(to, T, from, rows, width);
    for (int64_t i = 0; i < to_rows - ahead; i++)
        memcpy(to + i * width, from + row_for(i, rows, policy) * width,
               (size_t)width * sizeof *to);
    return LOCANT_OK;
}

locant_status lct_extend_tables(struct lct_model *to, struct lct_model *from,
                                enum locant_eval_policy policy, int64_t T)
{
    const int64_t positions =
        locant_encoding_length_limit(lct_model_config_of(from)->encoding);
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(to, &list);

    for (int i = 0; i < n; i++) {
        const struct lct_model_tensor *t = partner(from, to, &list[i]);

        if (t->shape[0] == list[i].shape[0])
            continue;
        LCT_TRY(extend_table(lct_model_params(to) + list[i].offset,
                             list[i].shape[0],
                             lct_model_params(from) + t->offset, t->shape[0],
                             (int64_t)(t->size / (size_t)t->shape[0]),
                             t->shape[0] - positions, policy, T));
    }
    return LOCANT_OK;
}

/* ------------------------------------------------- the encoding to evaluate */

/*
 * The encoding with a limit of at least 'length' positions: replace the first
 * "length=<limit>" in the spec whose change has this effect.
 */
static locant_status lengthen(locant_encoding **out, const locant_encoding *e,
                              int64_t length)
{
    const char *spec = locant_encoding_spec(e), *at = spec;
    const int64_t limit = locant_encoding_length_limit(e);
    char old[48], text[512];

    *out = NULL;
    snprintf(old, sizeof old, "length=%" PRId64, limit);
    for (; (at = strstr(at, old)) != NULL; at++) {
        int n = snprintf(text, sizeof text, "%.*slength=%" PRId64 "%s",
                         (int)(at - spec), spec, length, at + strlen(old));

        if (n < 0 || (size_t)n >= sizeof text)
            break;
        if (locant_encoding_create(out, text) == LOCANT_OK &&
            locant_encoding_length_limit(*out) >= length)
            return LOCANT_OK;
        locant_encoding_free(*out);
        *out = NULL;
    }
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "locant_evaluate_as: no way to make %s longer than its"
                       " %" PRId64 " positions",
                       spec, limit);
}

locant_status lct_encoding_as(locant_encoding **out, const locant_run_info *run,
                              const char *spec, enum locant_eval_policy policy,
                              int64_t longest)
{
    locant_encoding *resolved = NULL;
    locant_status status;

    *out = NULL;
    LCT_TRY(lct_encoding_create_at(&resolved, spec ? spec : run->encoding,
                                   run->length));
    if (policy == LOCANT_POLICY_NONE) {
        *out = resolved;
        return LOCANT_OK;
    }
    if (locant_encoding_length_limit(resolved) == INT64_MAX)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "locant_evaluate_as: %s has no end, expected no"
                             " policy",
                             locant_encoding_spec(resolved));
    else
        status = lengthen(out, resolved, longest);
    locant_encoding_free(resolved);
    return status;
}
