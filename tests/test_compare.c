/* needs: lab */
/*
 * test_compare.c - two models are judged the same exactly if they are
 *
 * Configurations differ in one planted thing each: every pair of them must be
 * judged different, and the thing named.  Others are written unlike and are
 * equal.
 */
#define _GNU_SOURCE
#include "../src/core/error.h"
#include "../src/files/gguf.h"
#include "gguf_bytes.h"
#include "locant/models.h"
#include "scratch.h"
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
#define LLAMA(more)   ONE("llama", more)
#define SCALED(rest)  "'rope_scaling':{'rope_type':" rest "}"
#define OF(length)    "'original_max_position_embeddings':" #length
#define BANDS(length) "'low_freq_factor':1,'high_freq_factor':4," OF(length)
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
#define BLOOM "'model_type':'bloom','hidden_size':64,'n_head':4,'n_layer':2", ""
#define MROPE(sections)                                                        \
    "'rope_scaling':{'type':'mrope','mrope_section':[" sections "]}"
#define PHI3_SHAPE                                                             \
    "'hidden_size':32,'num_attention_heads':4,'num_key_value_heads':2,"        \
    "'num_hidden_layers':2,'max_position_embeddings':8192,"
#define PHI3(list)                                                             \
    "'model_type':'phi3'," PHI3_SHAPE OF(2048),                                \
        SCALED("'longrope','short_factor':[1,1,1,1],'long_factor':[" list "]")
#define MPT(more)                                                              \
    "'model_type':'mpt','d_model':64,'n_heads':4,'n_layers':3",                \
        "'attn_config':{" more "}"
#define FALCON(more)                                                           \
    "'model_type':'falcon','hidden_size':64,'num_attention_heads':4,"          \
    "'num_hidden_layers':3",                                                   \
        more
#define VIT(more)                                                              \
    "'model_type':'dinov3_vit','hidden_size':64,'num_attention_heads':4,"      \
    "'num_hidden_layers':2",                                                   \
        more
#define T5(more)                                                               \
    "'model_type':'t5','d_model':64,'d_kv':16,'num_heads':4,'num_layers':2",   \
        more

/* The second part of an operand that holds keys of a GGUF file; a spec has
 * none. */
#define GGUF "GGUF"
#define SIZES                                                                  \
    "block_count 4,embedding_length 256,attention.head_count 8,"               \
    "attention.head_count_kv 2,attention.key_length 32,"                       \
    "attention.value_length 32,context_length 8192,"                           \
    "attention.layer_norm_rms_epsilon 0.000001"

/* clang-format off */
static const struct {
    const char *name;
    struct { const char *shape, *more; } a, b;
} equal[] = {
#include "compare_equal.inc"
};

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
    locant_status s = locant_models_compare(out, a, b, LOCANT_STACK_TRUE, 0);

    if (s != LOCANT_OK)
        FAIL("%s\n%s\n%s\n", a, b, locant_last_error());
}

static const locant_model_difference *field_of(const locant_comparison *c,
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
        const locant_model_difference *d = &c->differences[i];

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
        const locant_model_difference *d;
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

/* ----------------------------------------------------- equal, though unlike */

/* Put "name value" of an architecture; a number with a point is a float. */
static void put_key(struct gguf_bytes *f, const char *arch, char *pair)
{
    char key[2048], *value = strchr(pair, ' ') + 1;

    snprintf(key, sizeof key, "%s.%.*s", arch, (int)(value - pair - 1), pair);
    if (strspn(value, "0123456789.") != strlen(value)) {
        put_text(f, key);
        put_number(f, LCT_GGUF_TEXT, 4);
        put_text(f, value);
    } else if (strchr(value, '.') != NULL) {
        float x = strtof(value, NULL);
        uint32_t bits;

        memcpy(&bits, &x, 4);
        put_value(f, key, LCT_GGUF_F32, bits, 4);
    } else {
        put_value(f, key, LCT_GGUF_U32, strtoul(value, NULL, 10), 4);
    }
}

/* Write a file with the keys "arch: name value,name value". */
static void write_gguf(const char *path, const char *keys)
{
    static struct gguf_bytes start, file;
    char text[1024], *pair, *rest;
    uint64_t n = 1;
    FILE *to = fopen(path, "wb");

    CHECK(to != NULL);
    snprintf(text, sizeof text, "%s", keys);
    rest = strchr(text, ':');
    *rest++ = 0;
    file.size = 0;
    put_text(&file, "general.architecture");
    put_number(&file, LCT_GGUF_TEXT, 4);
    put_text(&file, text);
    for (pair = strtok(rest, ","); pair != NULL; pair = strtok(NULL, ",")) {
        put_key(&file, text, pair + strspn(pair, " "));
        n++;
    }
    put_header(&start, 3, 0, n);
    fwrite(start.bytes, 1, start.size, to);
    fwrite(file.bytes, 1, file.size, to);
    fclose(to);
}

/* The text of an operand, to be freed. */
static char *operand(const char *shape, const char *more, const char *path)
{
    char *text;

    if (more != NULL && strcmp(more, GGUF) != 0)
        return config(shape, more);
    if (more != NULL)
        write_gguf(path, shape);
    else
        path = shape;
    text = malloc(strlen(path) + 1);
    return strcpy(text, path);
}

/* Both orders of every row are the same at all positions. */
TEST(knows_equal_models_written_unlike)
{
    FREED_BY(scratch_remove) struct scratch s = scratch_make();
    int wrong = 0;

    for (size_t i = 0; i < LEN(equal); i++) {
        char path[2][PATH_MAX], *a, *b;
        locant_comparison c[2];

        for (int k = 0; k < 2; k++)
            snprintf(path[k], sizeof path[k], "%s/%c.gguf", s.path, 'a' + k);
        a = operand(equal[i].a.shape, equal[i].a.more, path[0]);
        b = operand(equal[i].b.shape, equal[i].b.more, path[1]);
        compare(&c[0], a, b);
        compare(&c[1], b, a);
        free(a);
        free(b);
        for (int k = 0; k < 2; k++) {
            if (c[k].verdict == LOCANT_SAME && c[k].layers > 0)
                continue;
            print_error("%s: verdict %d\n", equal[i].name, c[k].verdict);
            print_all(&c[k]);
            wrong++;
        }
    }
    CHECK(wrong == 0);
}

/* ------------------------------------------------------------ how far apart */

/*
 * Bases 5e5 and 1e6 in heads of 32: the pair whose frequencies b^(-c/16) differ
 * most, that difference times 8192 positions, and the first position at which
 * it makes 1e-3 radians.
 */
TEST(says_how_far_apart_frequencies_are)
{
    char *a = config_of("llama"), *b = config_of("base");
    double largest = 0;
    const locant_model_difference *d;
    locant_comparison c;
    int pair = 0;

    for (int i = 0; i < 16; i++) {
        double x = fabs(pow(5e5, -i / 16.0) - pow(1e6, -i / 16.0));

        if (x > largest) {
            largest = x;
            pair = i;
        }
    }
    compare(&c, a, b);
    free(a);
    free(b);
    d = field_of(&c, "frequency");
    CHECK(d != NULL && d->pair == pair && d->layers == 4);
    CHECK(c.length == 8192 && c.exact == 0);
    /* both frequencies are within 2^-50 */
    CHECK(fabs(d->amount - 8192 * largest) < 1e-9);
    CHECK(d->position == (int64_t)floor(1e-3 / largest) + 1);
    CHECK(c.carries == d->position);
}

/* Factors 3 and 3 + 3e-7 are as near as float32 rounds: 3.3e-8 radians per
 * position, 4.4e-3 at 131072 positions and 2.7e-4 at 8192. */
TEST(leaves_the_rounding_of_float32_open_beyond_its_reach)
{
    const char *a = "rope(scaling=linear(factor=3))";
    const char *b = "rope(scaling=linear(factor=3.0000003))";
    locant_comparison c;

    CHECK_OK(locant_models_compare(&c, a, b, LOCANT_STACK_TRUE, 131072));
    CHECK(c.verdict == LOCANT_UNSETTLED && c.n == 0);
    CHECK(fabs(c.apart - 131072 * (1 / 3.0 - 1 / 3.0000003)) < 1e-9);
    CHECK(c.carries == (int64_t)floor(1e-3 / (1 / 3.0 - 1 / 3.0000003)) + 1);
    CHECK_OK(locant_models_compare(&c, a, b, LOCANT_STACK_TRUE, 8192));
    CHECK(c.verdict == LOCANT_SAME && !c.exact);
    CHECK_OK(locant_models_compare(&c, a, a, LOCANT_STACK_TRUE, 131072));
    CHECK(c.verdict == LOCANT_SAME && c.exact && c.carries == -1);
}

/* At the lengths that are tried these are one rule, and nobody tries all. */
TEST(says_why_rules_by_length_are_undecided)
{
    locant_comparison c;

    CHECK_OK(locant_models_compare(
        &c, "rope(scaling=dynamic(factor=1,original=64))",
        "rope(scaling=dynamic(factor=1.00000000001,original=64))",
        LOCANT_STACK_TRUE, 1024));
    CHECK(c.verdict == LOCANT_UNSETTLED && c.n == 0);
    CHECK(strstr(c.note, "depend on the length") != NULL);
}

/* A GGUF file of another base, and one whose window is another. */
TEST(tells_gguf_files_apart)
{
    FREED_BY(scratch_remove) struct scratch s = scratch_make();
    char path[PATH_MAX], *a = config_of("llama");
    locant_comparison c;

    snprintf(path, sizeof path, "%s/a.gguf", s.path);
    write_gguf(path, "llama: " SIZES ",rope.freq_base 500001.0");
    compare(&c, a, path);
    CHECK(c.verdict == LOCANT_DIFFERENT);
    CHECK(field_of(&c, "frequency") != NULL && c.n == 1);
    write_gguf(path, "llama: " SIZES ",rope.freq_base 500000.0,"
                     "rope.dimension_count 16");
    compare(&c, a, path);
    CHECK(c.verdict == LOCANT_DIFFERENT);
    CHECK(field_of(&c, "rotated channels") != NULL);
    free(a);
}

TEST(refuses_what_is_no_model)
{
    locant_comparison c;

    REFUSES(NULL, locant_models_compare(NULL, "rope", "rope", 0, 0),
            "out is NULL");
    REFUSES(NULL, locant_models_compare(&c, NULL, "rope", 0, 0), "a is NULL");
    REFUSES(PARAM, locant_models_compare(&c, "rope", "rope", 0, -1),
            "length is -1, expected at least 0");
    REFUSES(PARAM, locant_models_compare(&c, "rope", "rope", 9, 0),
            "as is 9, expected one of locant_stack");
    CHECK(locant_models_compare(&c, "rope", "no such file", 0, 0) ==
          LOCANT_ERR_IO);
    CHECK(locant_models_compare(&c, "rope", "{", 0, 0) == LOCANT_ERR_FORMAT);
}

/* ------------------------------------------------------------------ memory */

/* When an allocation fails there is an error, never another answer. */
TEST(says_so_when_memory_is_short)
{
    char *a = config_of("gemma3"), *b = config_of("gemma3, scaled");
    locant_status s = LOCANT_ERR_NOMEM;
    locant_comparison c;

    for (long k = 1; s != LOCANT_OK || test_memory_asked() >= k;
         k += 1 + k / 8) {
        test_memory_fail(k);
        s = locant_models_compare(&c, a, b, LOCANT_STACK_TRUE, 0);
        CHECK(test_memory_held() == 0);
        if (s == LOCANT_OK)
            CHECK(c.verdict == LOCANT_DIFFERENT && c.n == 1);
        else if (s != LOCANT_ERR_NOMEM)
            FAIL("allocation %ld: %s\n", k, locant_last_error());
    }
    test_memory_end();
    free(a);
    free(b);
}
