/* needs: lab */
/*
 * test_compare.c - two models are judged the same exactly if they are
 *
 * Configurations differ in one planted thing each: every pair of them must be
 * told apart, and where they part is named.  Others are written unlike and are
 * equal.
 */
#include "../src/core/error.h"
#include "locant/models.h"
#include "testing.h"
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Texts with ' for ", of which later keys replace earlier ones. */
#define SHAPE                                                                  \
    "'hidden_size':256,'num_attention_heads':8,'num_key_value_heads':2,"       \
    "'head_dim':32,'num_hidden_layers':4,'max_position_embeddings':8192"
#define ONE(type, more)                                                        \
    "'model_type':'" type "'," SHAPE ",'rope_theta':500000", more
#define LLAMA(more) ONE("llama", more)
#define SCALED(rest) "'rope_scaling':{'rope_type':" rest "}"
#define OF(length) "'original_max_position_embeddings':" #length
#define BANDS(length)                                                          \
    "'low_freq_factor':1,'high_freq_factor':4," OF(length)
#define LOCALS                                                                 \
    "'sliding_attention','sliding_attention','sliding_attention',"             \
    "'sliding_attention','sliding_attention'"
#define GEMMA3(more)                                                           \
    "'model_type':'gemma3_text'," SHAPE                                        \
    ",'num_hidden_layers':13,'sliding_window':512,'rope_theta':1e6",           \
        more
#define OLMO3(more)                                                            \
    "'model_type':'olmo3'," SHAPE ",'rope_theta':500000,"                      \
    "'sliding_window':4096",                                                   \
        more
#define DEEPSEEK(mscale)                                                       \
    "'model_type':'deepseek_v3'," SHAPE ",'qk_nope_head_dim':32,"              \
    "'qk_rope_head_dim':16,'v_head_dim':32,'kv_lora_rank':64,"                 \
    "'q_lora_rank':64,'rope_theta':10000",                                     \
        SCALED("'yarn','factor':40," mscale OF(4096))
#define LLAMA4(more)                                                           \
    "'model_type':'llama4_text'," SHAPE ",'rope_theta':500000", more
#define BERT(type, rows)                                                       \
    "'model_type':'" type "','hidden_size':64,'num_attention_heads':4,"        \
    "'num_hidden_layers':2,'max_position_embeddings':" #rows,                  \
        ""
#define BLOOM                                                                  \
    "'model_type':'bloom','hidden_size':64,'n_head':4,'n_layer':2", ""
#define T5(more)                                                               \
    "'model_type':'t5','d_model':64,'d_kv':16,'num_heads':4,'num_layers':2",   \
        more

/* clang-format off */
static const struct planted {
    const char *name;
    const char *shape, *more;
    const char *than; /* the row it is compared with; NULL: only with all */
    const char *field;
    int64_t layer, position; /* position 1: some, computed below */
} planted[] = {
#include "compare_rows.inc"
};
/* clang-format on */

/* The object of a text with ' for ". */
static json_t *object_of(const char *text)
{
    char quoted[4096];
    json_t *object;

    snprintf(quoted, sizeof quoted, "{%s}", text);
    for (char *p = quoted; *p != 0; p++)
        if (*p == '\'')
            *p = '"';
    object = json_loads(quoted, 0, NULL);
    if (object == NULL)
        FAIL("no JSON: %s\n", quoted);
    return object;
}

/* A configuration, to be freed: keys of 'more' replace those of 'shape'. */
static char *config(const char *shape, const char *more)
{
    json_t *all = object_of(shape), *other = object_of(more);
    char *text;

    json_object_update(all, other);
    text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    json_decref(other);
    return text;
}

static char *config_of(const char *name)
{
    for (size_t i = 0; i < LEN(planted); i++)
        if (strcmp(planted[i].name, name) == 0)
            return config(planted[i].shape, planted[i].more);
    FAIL("no row %s\n", name);
    return NULL;
}

static void compare(locant_comparison *out, const char *a, const char *b)
{
    locant_status s = locant_models_compare(out, a, b, NULL, 0);

    if (s != LOCANT_OK)
        FAIL("%s\n%s\n%s\n", a, b, locant_last_error());
}

static const locant_difference *field_of(const locant_comparison *c,
                                         const char *field)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->differences[i].field, field) == 0)
            return &c->differences[i];
    return NULL;
}

static void print_all(const locant_comparison *c)
{
    for (int i = 0; i < c->n; i++) {
        const locant_difference *d = &c->differences[i];

        print_error("  %s layer %d (%d): %s | %s, pair %d, position %lld, %g\n",
                    d->field, (int)d->layer, (int)d->layers, d->a, d->b,
                    (int)d->pair, (long long)d->position, d->amount);
    }
}

/* Every row differs from the row it names where it says. */
TEST(names_where_two_models_part)
{
    int wrong = 0;

    for (size_t i = 0; i < LEN(planted); i++) {
        const struct planted *p = &planted[i];
        const locant_difference *d;
        locant_comparison c;
        char *a, *b;

        if (p->than == NULL)
            continue;
        a = config_of(p->than);
        b = config(p->shape, p->more);
        compare(&c, a, b);
        free(a);
        free(b);
        d = field_of(&c, p->field);
        if (c.verdict == LOCANT_DIFFERENT && d != NULL &&
            d->layer == p->layer &&
            (p->position == 1 ? d->position >= 1 && d->pair >= 0
                              : d->position == p->position))
            continue;
        print_error("%s against %s: verdict %d, want %s layer %d\n", p->name,
                    p->than, c.verdict, p->field, (int)p->layer);
        print_all(&c);
        wrong++;
    }
    CHECK(wrong == 0);
}

/* Every row equals itself, and no other one, in either order. */
TEST(tells_every_two_apart)
{
    char *text[LEN(planted)];
    int wrong = 0;

    for (size_t i = 0; i < LEN(planted); i++)
        text[i] = config(planted[i].shape, planted[i].more);
    for (size_t i = 0; i < LEN(planted); i++)
        for (size_t j = 0; j < LEN(planted); j++) {
            locant_comparison c;

            compare(&c, text[i], text[j]);
            if (c.verdict == (i == j ? LOCANT_SAME : LOCANT_DIFFERENT))
                continue;
            print_error("%s and %s: verdict %d\n", planted[i].name,
                        planted[j].name, c.verdict);
            wrong++;
        }
    for (size_t i = 0; i < LEN(planted); i++)
        free(text[i]);
    CHECK(wrong == 0);
}
