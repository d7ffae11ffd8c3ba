/*
 * train_options.c - the options of a run as JSON.
 *
 * The JSON has the encoding, the task, the merges of the vocabulary, and
 * 'fields': every other option that decides the bits of the run, and
 * checkpoint_every.
 */
#include "train.h"
#include <jansson.h>
#include <stddef.h>
#include <string.h>

const char *locant_optimizer_name(locant_optimizer optimizer)
{
    static const char *const names[] = {
        [LOCANT_ADAMW] = "adamw", [LOCANT_MUON] = "muon"
    };

    return (unsigned)optimizer < sizeof names / sizeof names[0]
               ? names[optimizer]
               : NULL;
}

enum kind { INT64, UINT64, INT, REAL };

/* As 'condition' of a field: none.  It is the offset of struct_size. */
enum { ALWAYS = 0 };

/* A field whose condition is 0 is left out: older versions wrote JSON without
   it. */
/* clang-format off */
static const struct field {
    const char *name;
    enum kind kind;
    size_t offset;
    size_t condition; /* offset of an int64_t of the options if the field is
                         INT64, else of an int; or ALWAYS */
} fields[] = {
#define AT(name) offsetof(locant_train_options, name)
#define FIELD_IF(name, kind, condition) {#name, kind, AT(name), condition}
#define FIELD(name, kind) FIELD_IF(name, kind, ALWAYS)
    FIELD(seed, UINT64),  FIELD(layers, INT64),
    FIELD(width, INT64),  FIELD(heads, INT64),
    FIELD(kv_heads, INT64), FIELD(ff, INT64),
    FIELD(rms_norm, INT), FIELD(batch, INT64),
    FIELD(length, INT64), FIELD(steps, INT64),
    FIELD(memory, INT64), FIELD(learning_rate, REAL),
    FIELD(checkpoint_every, INT64), FIELD(parent, INT64),
    FIELD_IF(constant_rate, INT, AT(constant_rate)),
    FIELD_IF(optimizer, INT, AT(optimizer)),
    FIELD_IF(muon_rate, REAL, AT(optimizer)),
    FIELD_IF(leaves, INT64, AT(leaves)),
    FIELD_IF(gather_limit, INT64, AT(gather_limit)),
#undef FIELD
#undef FIELD_IF
#undef AT
};
/* clang-format on */

enum { FIELDS = sizeof fields / sizeof fields[0] };
_Static_assert(sizeof(locant_optimizer) == sizeof(int), "read as an int");
_Static_assert(LOCANT_ADAMW == 0, "a condition that is 0");

static bool is_left_out(const locant_train_options *o, const struct field *f)
{
    const char *at = (const char *)o + f->condition;

    if (f->condition == ALWAYS)
        return false;
    return f->kind == INT64 ? *(const int64_t *)at == 0 : *(const int *)at == 0;
}

/* An unsigned number is stored as the signed one with the same bits, as in the
   column 'seed'. */
static json_t *get(const locant_train_options *o, const struct field *f)
{
    const char *at = (const char *)o + f->offset;

    switch (f->kind) {
    case REAL: return json_real(*(const double *)at);
    case INT: return json_integer(*(const int *)at);
    default: return json_integer(*(const int64_t *)at);
    }
}

static bool set(locant_train_options *o, const struct field *f,
                const json_t *value)
{
    char *at = (char *)o + f->offset;

    if (f->kind == REAL ? !json_is_number(value) : !json_is_integer(value))
        return false;
    if (f->kind == REAL)
        *(double *)at = json_number_value(value);
    else if (f->kind == INT)
        *(int *)at = (int)json_integer_value(value);
    else if (f->kind == UINT64)
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
    else
        *(int64_t *)at = json_integer_value(value);
    return true;
}

static bool add_vocabulary(json_t *root, const struct lct_vocabulary *v)
{
    char *merges;
    bool good;

    if (v == NULL)
        return true;
    good = lct_vocabulary_print(&merges, v) == LOCANT_OK &&
           json_object_set_new(root, "vocabulary", json_string(merges)) == 0;
    locant_release(merges);
    return good;
}

/* Read the size of the vocabulary; lct_run_vocabulary() reads its merges. */
static bool read_vocabulary(locant_train_options *o, const json_t *root)
{
    const json_t *merges = json_object_get(root, "vocabulary");
    struct lct_vocabulary *v;

    o->vocabulary = 0;
    if (merges == NULL)
        return true;
    if (!json_is_string(merges) ||
        lct_vocabulary_parse(&v, json_string_value(merges), "options") !=
            LOCANT_OK)
        return false;
    o->vocabulary = v->size;
    locant_release(v);
    return true;
}

locant_status lct_options_to_json(char **out, const locant_train_options *o,
                                  const char *encoding,
                                  const struct lct_vocabulary *vocabulary)
{
    json_t *root = json_object();
    char *text = NULL;
    size_t size;
    bool good = root && json_object_set_new(root, "encoding",
                                            json_string(encoding)) == 0;

    if (good && o->source)
        good = json_object_set_new(root, "task",
                                   json_string(o->source->name)) == 0;
    good = good && add_vocabulary(root, vocabulary);
    for (int i = 0; i < FIELDS && good; i++)
        good =
            is_left_out(o, &fields[i]) ||
            json_object_set_new(root, fields[i].name, get(o, &fields[i])) == 0;
    if (good)
        text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    size = text ? strlen(text) + 1 : 0;
    *out = text ? locant_alloc(size) : NULL;
    if (*out)
        memcpy(*out, text, size);
    free(text);
    return *out ? LOCANT_OK
                : locant_fail(LOCANT_ERR_NOMEM,
                              "locant_train: no memory for the options");
}

bool lct_options_from_json(locant_train_options *o, const json_t *root,
                           const struct lct_train_hooks *hooks)
{
    const char *task = json_string_value(json_object_get(root, "task"));

    if (task && hooks->set_task(o, task) != LOCANT_OK)
        return false;
    o->encoding = json_string_value(json_object_get(root, "encoding"));
    if (!read_vocabulary(o, root))
        return false;
    o->constant_rate = 0;
    o->optimizer = LOCANT_ADAMW;
    o->leaves = 0;
    o->gather_limit = 0;
    for (int i = 0; i < FIELDS; i++) {
        const json_t *value = json_object_get(root, fields[i].name);

        if (!set(o, &fields[i], value) &&
            (value || !is_left_out(o, &fields[i])))
            return false;
    }
    return o->encoding != NULL;
}
