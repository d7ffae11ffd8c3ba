/* sweep.c - see sweep.h */
#include "sweep.h"
#include "../corpus/corpus_kept.h"
#include "../files/io.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 1000 };

static locant_status refuse(const char *name, const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: is not a plan of a sweep as 'locant report"
                       " --make-plan' writes it: %s",
                       name, what);
}

/* Index of a name that name_of() gives, or -1. */
static int index_of(const json_t *value, const char *(*name_of)(int i))
{
    const char *text = json_string_value(value), *name;

    for (int i = 0; text != NULL && (name = name_of(i)) != NULL; i++)
        if (strcmp(name, text) == 0)
            return i;
    return -1;
}

static const char *optimizer_name(int i)
{
    return locant_optimizer_name((locant_optimizer)i);
}

static bool is_whole(const json_t *value, int64_t low, int64_t high)
{
    return json_is_integer(value) && json_integer_value(value) >= low &&
           json_integer_value(value) <= high;
}

static bool are_known(const json_t *object, const char *const *names)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        size_t i = 0;

        while (names[i] != NULL && strcmp(names[i], key) != 0)
            i++;
        if (names[i] == NULL)
            return false;
    }
    return true;
}

static locant_status read_encoding(struct lct_sweep *s, size_t i,
                                   const char *name)
{
    static const char *const members[] = { "spec", "rate", NULL };
    const json_t *one =
        json_array_get(json_object_get(s->root, "encodings"), i);
    const json_t *rate = json_object_get(one, "rate");

    s->specs[i] = json_string_value(json_object_get(one, "spec"));
    if (s->specs[i] == NULL || strlen(s->specs[i]) > 255 ||
        !are_known(one, members))
        return refuse(name, "one of 'encodings' is not a spec and a rate");
    if ((rate != NULL) != (s->rates != NULL))
        return refuse(name,
                      "some of 'encodings' have a rate, others have none");
    if (rate == NULL)
        return LOCANT_OK;
    s->rates[i] = json_number_value(rate);
    return json_is_number(rate) && s->rates[i] > 0 && isfinite(s->rates[i])
               ? LOCANT_OK
               : refuse(name, "a rate is not a number above 0");
}

static locant_status read_encodings(struct lct_sweep *s, const char *name)
{
    const json_t *list = json_object_get(s->root, "encodings");
    const bool rates = json_object_get(json_array_get(list, 0), "rate") != NULL;

    s->n = json_array_size(list);
    if (s->n < 1 || s->n > LCT_MOST_ENCODINGS)
        return refuse(name, "'encodings' is not a list of 1 to 1000");
    s->specs = locant_alloc(s->n * sizeof *s->specs);
    s->rates = rates ? locant_alloc(s->n * sizeof *s->rates) : NULL;
    if (s->specs == NULL || (rates && s->rates == NULL))
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to read it", name);
    for (size_t i = 0; i < s->n; i++)
        LCT_TRY(read_encoding(s, i, name));
    return LOCANT_OK;
}

static locant_status read_root(struct lct_sweep *s, const char *name)
{
    static const char *const members[] = {
        "format", "version",       "preset",    "optimizer", "vocabulary",
        "seeds",  "corpus_sha256", "encodings", NULL
    };
    const json_t *root = s->root;
    const char *format = json_string_value(json_object_get(root, "format"));
    const int preset =
        index_of(json_object_get(root, "preset"), lct_preset_name);
    const int optimizer =
        index_of(json_object_get(root, "optimizer"), optimizer_name);
    const json_t *vocabulary = json_object_get(root, "vocabulary");

    if (format == NULL || strcmp(format, "locant sweep") != 0)
        return refuse(name, "'format' is not 'locant sweep'");
    if (!is_whole(json_object_get(root, "version"), 1, 1))
        return refuse(name, "'version' is not 1");
    if (!are_known(root, members))
        return refuse(name, "a member is unknown");
    if (preset < 0 || optimizer < 0)
        return refuse(name, "'preset' or 'optimizer' is unknown");
    if (!is_whole(vocabulary, 0, 4096) ||
        lct_vocabulary_check(name, (int)json_integer_value(vocabulary)) !=
            LOCANT_OK)
        return refuse(name, "'vocabulary' is neither 0 nor 257 .. 4096");
    if (!is_whole(json_object_get(root, "seeds"), 1, MOST_SEEDS))
        return refuse(name, "'seeds' is not 1 .. 1000");
    s->corpus_sha256 =
        json_string_value(json_object_get(root, "corpus_sha256"));
    if (s->corpus_sha256 == NULL || !lct_is_sha256(s->corpus_sha256))
        return refuse(name, "'corpus_sha256' is not a SHA-256");
    s->preset = (locant_preset)preset;
    s->optimizer = (locant_optimizer)optimizer;
    s->vocabulary = (int)json_integer_value(vocabulary);
    s->seeds = (int)json_integer_value(json_object_get(root, "seeds"));
    return read_encodings(s, name);
}

locant_status lct_sweep_read(struct lct_sweep *out, const char *bytes,
                             size_t size, const char *name)
{
    locant_status status;

    *out = (struct lct_sweep){ .root = json_loadb(
                                   bytes, size, JSON_REJECT_DUPLICATES, NULL) };
    status = json_is_object(out->root) ? read_root(out, name)
                                       : refuse(name, "it is no JSON object");
    if (status != LOCANT_OK)
        lct_sweep_free(out);
    return status;
}

locant_status lct_sweep_open(struct lct_sweep *out, const char *path)
{
    locant_status status;
    void *bytes;
    size_t size;

    LCT_TRY(lct_read_file(&bytes, &size, path, LCT_SWEEP_MOST));
    status = lct_sweep_read(out, bytes, size, path);
    locant_release(bytes);
    return status;
}

void lct_sweep_free(struct lct_sweep *s)
{
    json_decref(s->root);
    locant_release(s->specs);
    locant_release(s->rates);
    *s = (struct lct_sweep){ 0 };
}

/* ------------------------------------------------------------------- write */

static bool add_encodings(json_t *root, const struct lct_plan *plan, bool rates)
{
    json_t *list = json_array();

    for (size_t i = 0; i < plan->n; i++) {
        json_t *one = json_pack("{s:s}", "spec", plan->specs[i]);

        if (rates)
            json_object_set_new(one, "rate", json_real(plan->rate[i]));
        json_array_append_new(list, one);
    }
    return json_array_size(list) == plan->n &&
           json_object_set_new(root, "encodings", list) == 0;
}

locant_status lct_sweep_write(const char *path, const struct lct_plan *plan,
                              const char *corpus_sha256, bool rates)
{
    json_t *root =
        json_pack("{s:s, s:i, s:s, s:s, s:i, s:i, s:s}", "format",
                  "locant sweep", "version", 1, "preset", plan->name,
                  "optimizer", locant_optimizer_name(plan->train.optimizer),
                  "vocabulary", plan->train.vocabulary, "seeds", plan->seeds,
                  "corpus_sha256", corpus_sha256);
    locant_status status;
    char *text = NULL;

    if (root != NULL && add_encodings(root, plan, rates))
        text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to write it", path);
    status = lct_write_file(
        path, (struct lct_piece[]){ { text, strlen(text) }, { "\n", 1 } }, 2);
    free(text);
    return status;
}
