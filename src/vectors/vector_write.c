/*
 * vector_write.c - write the golden files: vectors.safetensors holds inputs,
 * true values and slacks, vectors.json says what they are
 */
#define _POSIX_C_SOURCE 200809L
#include "locant/models.h"
#include "../files/io.h"
#include "vector_bundle.h"
#include "vector_bias.h"
#include "vector_inputs.h"
#include "vector_tolerance.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096 };

struct writer {
    struct lct_vector_cases cases;
    struct lct_vector_bundle bundle;
    json_t *groups, *list;
    bool failed; /* no memory for JSON */
};

/* Set object[key] to the value; note if there is no memory for either. */
static void put(bool *failed, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

/* ------------------------------------------------------------------ inputs */

struct need {
    const char *role; /* of the input in the formula: "x" */
    enum lct_vector_input which;
    int rank;
    int64_t shape[3];
};

static locant_status put_input(struct writer *w, json_t *inputs,
                               const struct need *need)
{
    char name[64];
    int64_t n = 1;
    void *data;

    for (int i = 0; i < need->rank; i++)
        n *= need->shape[i];
    lct_vector_inputs_name(name, sizeof name, need->which, n);
    put(&w->failed, inputs, need->role, json_string(name));
    LCT_TRY(lct_vector_bundle_add(&data, &w->bundle, name, LOCANT_F64,
                                  need->rank, need->shape));
    for (int64_t i = 0; data != NULL && i < n; i++)
        ((double *)data)[i] = lct_vector_inputs_at(need->which, i);
    return LOCANT_OK;
}

/* The inputs of a quantity, beside positions. */
static locant_status put_inputs(struct writer *w, json_t *inputs,
                                const struct lct_vector_group *g,
                                const char *quantity)
{
    const int64_t T = g->queries->n, S = g->keys->n, H = g->heads;
    struct need q = { "q", LCT_VECTOR_Q, 2, { T, LCT_VECTOR_DIM } };
    struct need k = { "k", LCT_VECTOR_K, 2, { S, LCT_VECTOR_DIM } };
    struct need dout = { "dout", LCT_VECTOR_DOUT, 2, { T, LCT_VECTOR_DIM } };
    struct need table = { "table", LCT_VECTOR_BUCKET_TABLE, 2, { 0, H } };
    struct need dbias = { "dbias", LCT_VECTOR_DBIAS, 3, { H, T, S } };

    if (g->kind == LCT_VECTOR_ROPE || g->kind == LCT_VECTOR_ROTATE) {
        if (quantity[0] == 'd')
            return put_input(w, inputs, &dout);
        if (quantity[0] != 'k')
            LCT_TRY(put_input(w, inputs, &q));
        return quantity[0] == 'q' ? LOCANT_OK : put_input(w, inputs, &k);
    }
    if (g->kind != LCT_VECTOR_BUCKETS || strcmp(quantity, "buckets") == 0)
        return LOCANT_OK;
    if (quantity[0] == 'd')
        return put_input(w, inputs, &dbias);
    table.shape[0] = lct_vector_bias_buckets(g);
    return put_input(w, inputs, &table);
}

static locant_status put_positions(struct writer *w, json_t *inputs,
                                   const struct lct_vector_group *g,
                                   const char *quantity)
{
    if (g->kind == LCT_VECTOR_SLOPES || strcmp(quantity, "frequencies") == 0)
        return LOCANT_OK;
    LCT_TRY(lct_vector_bundle_positions(&w->bundle, g->queries));
    LCT_TRY(lct_vector_bundle_positions(&w->bundle, g->keys));
    if (g->queries == g->keys) {
        put(&w->failed, inputs, "positions", json_string(g->queries->name));
    } else {
        put(&w->failed, inputs, "query positions",
            json_string(g->queries->name));
        put(&w->failed, inputs, "key positions", json_string(g->keys->name));
    }
    return LOCANT_OK;
}

/* --------------------------------------------------------- groups and cases */

static json_t *group_json(struct writer *w, const struct lct_vector_group *g)
{
    json_t *group = json_object();

    put(&w->failed, group, "spec", json_string(g->spec));
    put(&w->failed, group, "formula",
        json_string(lct_vector_quantities_formula(g)));
    if (g->kind == LCT_VECTOR_ANGLES || g->kind == LCT_VECTOR_ROPE)
        put(&w->failed, group, "rotated", json_integer(g->rotated));
    if (g->heads > 0)
        put(&w->failed, group, "heads", json_integer(g->heads));
    put(&w->failed, group, "causal", json_boolean(g->causal));
    put(&w->failed, group, "quantities", json_object());
    return group;
}

/* The member of the group for a quantity, made on first use. */
static locant_status put_quantity(struct writer *w,
                                  const struct lct_vector_case *c)
{
    const struct lct_vector_group *g = &w->cases.groups[c->group];
    const struct lct_vector_quantity *q =
        &lct_vector_quantities_of(g->kind)[c->quantity];
    json_t *group = json_object_get(w->groups, g->name), *inputs, *quantity;

    if (group == NULL) {
        group = group_json(w, g);
        put(&w->failed, w->groups, g->name, group);
    }
    if (json_object_get(json_object_get(group, "quantities"), q->name) != NULL)
        return LOCANT_OK;
    inputs = json_object();
    quantity = json_object();
    put(&w->failed, json_object_get(group, "quantities"), q->name, quantity);
    put(&w->failed, quantity, "is", json_string(q->doc));
    put(&w->failed, quantity, "inputs", inputs);
    LCT_TRY(put_positions(w, inputs, g, q->name));
    return put_inputs(w, inputs, g, q->name);
}

static locant_status put_case(struct writer *w, const struct lct_vector_case *c)
{
    const struct lct_vector_group *g = &w->cases.groups[c->group];
    const struct lct_vector_values *v;
    struct lct_vector_tolerance t;
    json_t *entry = json_object();

    put(&w->failed, w->list, c->name, entry);
    LCT_TRY(put_quantity(w, c));
    LCT_TRY(lct_vector_cases_values(&v, &w->cases, c->group, c->quantity));
    LCT_TRY(lct_vector_bundle_values(&w->bundle, c, v));
    t = lct_vector_tolerance_of(v, c->dtype);
    put(&w->failed, entry, "group", json_string(g->name));
    put(&w->failed, entry, "quantity",
        json_string(lct_vector_quantities_of(g->kind)[c->quantity].name));
    put(&w->failed, entry, "dtype", json_string(locant_dtype_name(c->dtype)));
    put(&w->failed, entry, "truth", json_string(c->truth));
    put(&w->failed, entry, "absolute", json_real(t.absolute));
    put(&w->failed, entry, "relative", json_real(t.relative));
    if (c->slack[0] != '\0') {
        put(&w->failed, entry, "slack", json_string(c->slack));
        put(&w->failed, entry, "rounded_angles", json_real(t.angles));
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- files */

static json_t *header_json(struct writer *w)
{
    json_t *root = json_object();

    put(&w->failed, root, "format", json_string("locant-vectors"));
    put(&w->failed, root, "version", json_integer(LCT_VECTOR_VERSION));
    put(&w->failed, root, "locant", json_string(LOCANT_VERSION_STRING));
    put(&w->failed, root, "tensors", json_string("vectors.safetensors"));
    put(&w->failed, root, "tolerance", json_string(lct_vector_tolerance_words));
    put(&w->failed, root, "inputs",
        json_string(
            "multiples of 1/64 below 2, which every type holds exactly; "
            "so the truth in float64 is that of every type.  Where "
            "'causal' is true, entries of keys after the query do not "
            "count."));
    put(&w->failed, root, "groups", w->groups);
    put(&w->failed, root, "cases", w->list);
    w->groups = w->list = NULL;
    return root;
}

static locant_status write_json(struct writer *w, const char *path)
{
    json_t *root = header_json(w);
    char *text = json_dumps(root, JSON_INDENT(1));
    locant_status s;

    json_decref(root);
    if (text == NULL || w->failed) {
        free(text);
        return locant_fail(LOCANT_ERR_NOMEM, "%s: text", path);
    }
    s = locant_file_write(path, text, strlen(text));
    free(text);
    return s;
}

static locant_status write_files(struct writer *w, const char *folder)
{
    char path[PATH_ROOM], version[16];
    const char *metadata[] = { "format",  "locant-vectors",
                               "locant",  LOCANT_VERSION_STRING,
                               "version", version };

    if (strlen(folder) + sizeof "/vectors.safetensors" > sizeof path)
        return locant_fail(LOCANT_ERR_IO, "%.100s..: the path is too long",
                           folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return lct_io_error(folder, "cannot be created", errno);
    snprintf(version, sizeof version, "%d", LCT_VECTOR_VERSION);
    snprintf(path, sizeof path, "%s/vectors.safetensors", folder);
    LCT_TRY(locant_tensors_write(path, w->bundle.at, w->bundle.n, metadata, 3));
    snprintf(path, sizeof path, "%s/vectors.json", folder);
    return write_json(w, path);
}

static locant_status make(struct writer *w)
{
    w->groups = json_object();
    w->list = json_object();
    if (w->groups == NULL || w->list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%zu cases", w->cases.n);
    for (size_t i = 0; i < w->cases.n; i++)
        if (w->cases.all[i].wanted)
            LCT_TRY(put_case(w, &w->cases.all[i]));
    return w->failed ? locant_fail(LOCANT_ERR_NOMEM, "%zu cases", w->cases.n)
                     : LOCANT_OK;
}

locant_status locant_vectors_write(const char *folder, const char *only)
{
    struct writer w = { 0 };
    locant_status s;

    LCT_NOT_NULL("locant_vectors_write", folder);
    LCT_TRY(lct_vector_cases_make(&w.cases, only));
    s = make(&w);
    if (s == LOCANT_OK)
        s = write_files(&w, folder);
    json_decref(w.groups);
    json_decref(w.list);
    lct_vector_bundle_free(&w.bundle);
    lct_vector_cases_free(&w.cases);
    return s;
}
