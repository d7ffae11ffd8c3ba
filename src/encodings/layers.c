/*
 * layers.c - several encodings in one model, each in some of its layers.
 *
 * By default layer l is global where l + 1 is a multiple of 'period', else
 * local: the pattern of Gemma 3 (period 6), Llama 4, SmolLM3 and Command R7B
 * (period 4), whose global layers have no positional encoding or one of longer
 * wavelengths.  Yang et al.: RoPE to NoPE and Back Again: A New Hybrid
 * Attention Strategy.  2025. arXiv:2501.18795.
 * A 'map' (layer_map.h) says the same of any number of encodings by name: that
 * pattern is every(period,global,else=local).
 */
#include "../core/text.h"
#include "layer_map.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LOCAL, GLOBAL, PERIOD, MAP, TYPES, COUNT };

static locant_status read_map(locant_encoding *e, int k, struct lct_reader *r);
static locant_status read_types(locant_encoding *e, int k,
                                struct lct_reader *r);

static const char *const map_forms[] = { "a name",
                                         "list(a:b:..,repeat=yes)",
                                         "every(period,at=k,a,else=b)",
                                         "first(n,a)",
                                         "last(n,a)",
                                         "several of these with : between",
                                         NULL };
static const char *const type_forms[] = { "a:b:..", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "local", .kind = LCT_SPEC, .def = NAN, .family = lct_encodings,
      .doc = "of most layers; left out: none" },
    { .name = "global", .kind = LCT_SPEC, .def = NAN, .family = lct_encodings,
      .doc = "of every period-th layer; left out: none" },
    { .name = "period", .kind = LCT_INTEGER, .def = 4, .min = 1,
      .max = 1 << 20, .doc = "layer l is global if (l + 1) % period is 0" },
    { .name = "map", .kind = LCT_EXPRESSION, .def = NAN, .words = map_forms,
      .read = read_map,
      .doc = "instead of period: which encoding a layer uses, by name; each "
             "name is a key whose value is a spec, or else an encoding with "
             "its defaults. Of the terms for a layer the last counts; without "
             "one, a layer has no encoding" },
    { .name = "types", .kind = LCT_EXPRESSION, .def = NAN, .words = type_forms,
      .read = read_types,
      .doc = "short for map=list(..): the layer_types of a config" },
    { .name = "count", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 20,
      .doc = "layers of the model, from which last counts; left out: as list "
             "says, or as the model has" },
    { 0 }
};
/* clang-format on */

/* The name of e->nested[k]; NULL: nothing is nested there. */
static const char *nested_name(const locant_encoding *e, int k)
{
    if (k < lct_key_count(e->row))
        return keys[k].kind == LCT_SPEC ? keys[k].name : NULL;
    return e->text[k];
}

/* -------------------------------------------------------------------- read */

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "locant_encoding_create: no memory for the encoding");
}

static locant_status given_already(const locant_encoding *e)
{
    return e->text[MAP] == NULL
               ? LOCANT_OK
               : LCT_REFUSE("map and types of layers are both given, expected "
                            "one of them");
}

static locant_status read_map(locant_encoding *e, int k, struct lct_reader *r)
{
    struct lct_map m;

    LCT_TRY(given_already(e));
    LCT_TRY(lct_map_read(&m, r));
    e->text[k] = lct_map_print(&m, r->text);
    return e->text[k] == NULL ? no_memory() : LOCANT_OK;
}

/* A list of names becomes the map list(..). */
static locant_status read_types(locant_encoding *e, int k, struct lct_reader *r)
{
    char text[LCT_SPEC_BYTES + 8] = "list(";
    size_t used = strlen(text);

    (void)k;
    LCT_TRY(given_already(e));
    do {
        struct lct_token t;

        LCT_TRY(lct_read_name(&t, r, "the name of an encoding of layers"));
        memcpy(text + used, r->text + t.at, t.n);
        used += t.n;
        text[used++] = ':';
    } while (lct_read_accept(r, ':'));
    text[used - 1] = ')';
    e->text[MAP] = lct_copy_text(text, used);
    return e->text[MAP] == NULL ? no_memory() : LOCANT_OK;
}

/* ------------------------------------------------------------------- check */

/* Without a map there are two names. */
static locant_status check_others(const locant_encoding *e)
{
    const int first = lct_key_count(e->row);
    char suggest[240];

    if (e->text[MAP] != NULL || e->text[first] == NULL)
        return LOCANT_OK;
    lct_suggest(suggest, sizeof(suggest), lct_key_name, keys, e->text[first],
                strlen(e->text[first]));
    return LCT_REFUSE("unknown key '%s' of 'layers' without a map%s",
                      e->text[first], suggest);
}

static locant_status check_map(const locant_encoding *e)
{
    if (e->text[MAP] == NULL && !isnan(e->value[COUNT]))
        return LCT_REFUSE("count of layers is %.0f without a map",
                          e->value[COUNT]);
    if (e->text[MAP] != NULL && e->value[PERIOD] != keys[PERIOD].def)
        return LCT_REFUSE("period and map of layers are both given, expected "
                          "one of them");
    return check_others(e);
}

static locant_status check(const locant_encoding *e)
{
    for (int k = 0; k < LCT_MAX_KEYS; k++)
        if (e->nested[k] != NULL && e->nested[k]->row->layers != NULL)
            return LCT_REFUSE(
                "%s of layers is itself layers(..), expected another encoding",
                nested_name(e, k));
    return check_map(e);
}

/* A token has the same position in all layers. */
static locant_status check_positions(const locant_encoding *e)
{
    const locant_encoding *first = lct_placing_part(e);

    for (int k = 0; k < LCT_MAX_KEYS; k++) {
        const locant_encoding *other =
            e->nested[k] == NULL ? NULL : lct_placing_part(e->nested[k]);

        if (other != NULL && strcmp(first->spec, other->spec) != 0)
            return LCT_REFUSE("two encodings of layers choose positions, by %s "
                              "and by %s, expected the same",
                              first->spec, other->spec);
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- prepare */

/* The index in e->nested of the encoding of this name; -1: it is not given. */
static int find(const locant_encoding *e, const char *name, size_t n)
{
    for (int k = 0; k < LCT_MAX_KEYS; k++) {
        const char *own = nested_name(e, k);

        if (own != NULL && strlen(own) == n && memcmp(own, name, n) == 0)
            return k;
    }
    return -1;
}

static locant_status parse(locant_encoding **out, const char *spec)
{
    return lct_spec_parse(out, "locant_encoding_create", spec, lct_encodings);
}

static locant_status unknown_name(const locant_encoding *e, const char *name)
{
    const char *known[LCT_MAX_KEYS + 1];
    char suggest[240];
    int n = 0;

    for (int k = 0; k < LCT_MAX_KEYS; k++)
        if (nested_name(e, k) != NULL && e->nested[k] != NULL)
            known[n++] = nested_name(e, k);
    known[n] = NULL;
    lct_suggest(suggest, sizeof(suggest), lct_word_name, known, name,
                strlen(name));
    return LCT_REFUSE("map of layers names '%s', which is neither given nor an "
                      "encoding%s",
                      name, suggest);
}

/* Add the encoding 'name' with default keys; *k is its index. */
static locant_status add_default(locant_encoding *e, int *k, const char *name,
                                 size_t n)
{
    int i = 0;

    *k = lct_key_count(e->row);
    while (*k < LCT_MAX_KEYS && e->text[*k] != NULL)
        ++*k;
    if (*k == LCT_MAX_KEYS)
        return LCT_REFUSE("map of layers names more than %d encodings",
                          LCT_MAX_KEYS - lct_key_count(e->row));
    e->text[*k] = lct_copy_text(name, n);
    if (e->text[*k] == NULL)
        return no_memory();
    while (lct_encodings[i] != NULL &&
           strcmp(lct_encodings[i]->info.name, e->text[*k]) != 0)
        i++;
    if (lct_encodings[i] == NULL || lct_encodings[i]->layers != NULL)
        return unknown_name(e, e->text[*k]);
    return parse(&e->nested[*k], e->text[*k]);
}

/* Replace the names of the map by indices of e->nested. */
static locant_status resolve_names(locant_encoding *e, struct lct_map *m,
                                   bool used[LCT_MAX_KEYS])
{
    for (int i = 0; i < m->names; i++) {
        const char *name = e->text[MAP] + m->name[i].token.at;
        int k = find(e, name, m->name[i].token.n);

        if (k < 0)
            LCT_TRY(add_default(e, &k, name, m->name[i].token.n));
        if (e->nested[k] == NULL)
            LCT_TRY(parse(&e->nested[k], "none"));
        m->name[i].nested = k;
        used[k] = true;
    }
    return LOCANT_OK;
}

/* A spec that no layer uses is a mistake. */
static locant_status check_used(const locant_encoding *e,
                                const bool used[LCT_MAX_KEYS])
{
    for (int k = 0; k < LCT_MAX_KEYS; k++)
        if (e->nested[k] != NULL && !used[k])
            return LCT_REFUSE("'%s' of layers is given, but its map does not "
                              "name it",
                              nested_name(e, k));
    return LOCANT_OK;
}

static locant_status check_count(const locant_encoding *e,
                                 const struct lct_map *m)
{
    if (m->count == 0 || isnan(e->value[COUNT]) ||
        e->value[COUNT] == (double)m->count)
        return LOCANT_OK;
    return LCT_REFUSE("count of layers is %.0f, but its list names %" PRId64
                      " layers",
                      e->value[COUNT], m->count);
}

/* The map, and what layers have that it does not name. */
struct state {
    int others; /* an index of e->nested; -1: there are no such layers */
    struct lct_map map;
};

static locant_status prepare_map(locant_encoding *e)
{
    struct lct_reader r = { "locant_encoding_create", e->text[MAP], 0,
                            strlen(e->text[MAP]), 0 };
    bool used[LCT_MAX_KEYS] = { false };
    struct state *s = locant_alloc(sizeof(*s));

    if (s == NULL)
        return no_memory();
    e->state = s;
    s->others = -1;
    LCT_TRY(lct_map_read(&s->map, &r));
    LCT_TRY(check_count(e, &s->map));
    LCT_TRY(resolve_names(e, &s->map, used));
    LCT_TRY(check_used(e, used));
    if (!isnan(e->value[COUNT]))
        s->map.count = (int64_t)e->value[COUNT];
    if (lct_map_covers(&s->map))
        return LOCANT_OK;
    s->others = find(e, "none", strlen("none"));
    return s->others >= 0 ? LOCANT_OK
                          : add_default(e, &s->others, "none", strlen("none"));
}

/* A kind of layer that is left out has no encoding. */
static locant_status prepare(locant_encoding *e)
{
    if (e->text[MAP] != NULL) {
        LCT_TRY(prepare_map(e));
    } else {
        for (int k = LOCAL; k <= GLOBAL; k++)
            if (e->nested[k] == NULL)
                LCT_TRY(parse(&e->nested[k], "none"));
    }
    LCT_TRY(check_positions(e));
    return lct_encoding_compose(e);
}

/* ------------------------------------------------------------------- layer */

static int index_of_layer(const locant_encoding *e, int64_t l, int64_t count)
{
    const struct state *s = e->state;
    int64_t period = (int64_t)e->value[PERIOD];
    int k;

    if (s == NULL)
        return l % period == period - 1 ? GLOBAL : LOCAL;
    k = lct_map_layer(&s->map, l, count);
    return k >= 0 ? k : s->others;
}

static int64_t layer_count(const locant_encoding *e)
{
    const struct state *s = e->state;

    return s == NULL ? 0 : s->map.count;
}

static const locant_variant variants[] = {
    { "layers(local=window(size=1024)+rope,"
      "global=rope(base=1000000,scaling=linear(factor=8)),period=6)",
      "5 local to 1 global, 4B and larger", "Gemma 3" },
    { "layers(local=window(size=512)+rope,global=rope(base=1000000),period=6)",
      "5 local to 1 global, 1B", "Gemma 3 1B" },
    { "layers(local=chunked(size=8192)+rope(base=500000,pairing=interleaved),"
      "global=temperature,period=4)",
      "3 chunked with RoPE to 1 with a temperature instead", "Llama 4" },
    { "layers(local=rope(base=5000000),global=none,period=4)",
      "no RoPE in every 4th layer", "SmolLM3" },
    { "layers(local=window(size=4096)+rope(base=50000,pairing=interleaved),"
      "global=none,period=4)",
      "3 local with RoPE to 1 global without", "Command R7B, Command A" },
    { "layers(local=window(size=4096)+rope(base=1000000),global=none,period=4)",
      "3 local with RoPE to 1 global without", "EXAONE 4 32B" },
    { "layers(local=window(size=512)+rope,"
      "global=rope(base=1e6,scaling=proportional),"
      "map=every(6,at=5,global,else=local):last(1,global))",
      "5 local to 1 global; the last layer is always global", "Gemma 4" },
    { "layers(local=window(size=65)+rope,"
      "global=rope(base=160000),map=every(3,at=0,global,else=local))",
      "1 global to 2 local, global first", "ModernBERT" },
    { "layers(local=window(size=128)+rope,global=rope,"
      "map=every(4,at=0,global,else=local))",
      "1 global to 3 local, global first", "Granite with sliding windows" },
    { 0 }
};

const struct lct_encoding lct_enc_layers = {
    .info = {
        .name = "layers",
        .title = "Several encodings, by layer",
        .formula = "layer l: global if (l + 1) % period = 0, else local; or "
                   "as the map says",
        .gradient = "",
        .source = "Yang et al. 2025, arXiv:2501.18795v1; transformers 5, "
                  "models/gemma3, gemma4, llama4, smollm3, cohere2, modernbert",
        .used_by = "Gemma 3 and 4, Llama 4, SmolLM3, Command R7B, EXAONE 4, "
                   "ModernBERT",
        .pitfalls = "no_rope_layers of Llama 4 and SmolLM3 is 1 where RoPE is "
                    "used.  ModernBERT is global where l % 3 = 0, Gemma 3 "
                    "where (l + 1) % 6 = 0.  last(..) needs the number of "
                    "layers: of the model, or the key count.",
        .variants = variants,
        .traits = 0,
    },
    .keys = keys,
    .check = check,
    .prepare = prepare,
    .layers = index_of_layer,
    .layer_count = layer_count,
    .others = lct_encodings,
};
