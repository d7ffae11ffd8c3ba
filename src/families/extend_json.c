/* extend_json.c - the candidates of an extension as JSON */
#include "locant/models.h"
#include "../files/document.h"
#include "../files/io.h"
#include "extend_model.h"
#include "extend_settings.h"
#include "plan_waves.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct extension {
    struct lct_extend e;
    struct lct_extend_model model; /* empty without one */
    bool has_model;
    int only; /* method, -1: all */
    const char *config_out;
    bool failed;                    /* no memory for JSON */
    double plain[LCT_EXTEND_PAIRS]; /* frequencies as trained */
};

static void put(struct extension *x, json_t *object, const char *key,
                json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        x->failed = true;
}

static void append(struct extension *x, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        x->failed = true;
}

/* ------------------------------------------------------------- frequencies */

/* Those of a spec for calls of the extended length; 0 of pairs that are not
   rotated. */
static locant_status frequencies(double *out, struct extension *x,
                                 const char *spec)
{
    struct lct_layer_plan layer = { .qk_dim = x->e.rotated };
    struct lct_plan_waves w;
    locant_status s;

    if (x->has_model)
        layer.qk_dim = x->model.tower->layers[x->model.layer].qk_dim;
    LCT_TRY(locant_encoding_create(&layer.encoding, spec));
    s = lct_plan_waves_of(&w, &layer, x->e.to, x->e.file);
    locant_encoding_free(layer.encoding);
    LCT_TRY(s);
    for (int64_t c = 0; c < x->e.rotated / 2; c++)
        out[c] = c < w.pairs ? w.frequency[c] : 0;
    lct_plan_waves_free(&w);
    return LOCANT_OK;
}

static json_t *wavelengths(struct extension *x, const double *frequency)
{
    const double turn = 6.283185307179586;
    json_t *list = json_array();

    for (int64_t c = 0; c < x->e.rotated / 2; c++)
        append(x, list,
               frequency[c] > 0 ? json_real(turn / frequency[c]) : json_null());
    return list;
}

/* How many pairs keep their frequency, have it divided by the whole factor, or
   something between; a millionth apart counts as equal. */
static json_t *pairs_json(const struct extension *x, const double *frequency)
{
    int64_t kept = 0, divided = 0, pairs = x->e.rotated / 2;

    for (int64_t c = 0; c < pairs; c++) {
        double by = x->plain[c] / frequency[c];

        kept += fabs(by - 1) < 1e-6;
        divided += fabs(by / x->e.factor - 1) < 1e-6;
    }
    return json_pack("{s:I, s:I, s:I}", "kept", (json_int_t)kept, "between",
                     (json_int_t)(pairs - kept - divided), "divided",
                     (json_int_t)divided);
}

/* ------------------------------------------------------------------ method */

static locant_status write_config(const struct extension *x,
                                  const json_t *config)
{
    char *text;
    locant_status s;

    if (config == NULL || x->model.config.dialect == LCT_DIALECT_GGUF)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: --output writes a config.json with pi, ntk, "
                           "dynamic, yarn, longrope or llama3, expected such "
                           "a file and method",
                           x->e.file);
    text = json_dumps(config, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", x->e.file);
    s = lct_write_file(
        x->config_out,
        (struct lct_piece[]){ { text, strlen(text) }, { "\n", 1 } }, 2);
    free(text);
    return s;
}

/* The plan of the extended model: its passport, and the spec of its layers. */
static locant_status put_plan(json_t *out, struct extension *x,
                              enum lct_extend_method m)
{
    struct lct_position_plan plan;
    json_t *config;
    char hash[65];
    locant_status s;

    LCT_TRY(lct_extend_model_apply(&config, &plan, &x->model, &x->e, m));
    s = x->config_out != NULL ? write_config(x, config) : LOCANT_OK;
    if (s == LOCANT_OK && config == NULL)
        put(x, out, "passport", json_null());
    else if (s == LOCANT_OK)
        s = lct_position_plan_hash(hash, &plan);
    if (s == LOCANT_OK && config != NULL) {
        const struct lct_tower *t =
            &plan.towers[x->model.tower - x->model.plan.towers];

        put(x, out, "passport", json_string(hash));
        put(x, out, "spec", json_string(t->layers[x->model.layer].spec));
        if (!lct_extend_model_spares_windows(&x->model, &plan))
            append(x, json_object_get(out, "notes"),
                   json_string("this class scales its layers with a window "
                               "too"));
    }
    json_decref(config);
    lct_position_plan_free(&plan);
    return s;
}

static locant_status put_method(json_t *methods, struct extension *x,
                                enum lct_extend_method m)
{
    double frequency[LCT_EXTEND_PAIRS];
    json_t *out;
    char *spec;

    LCT_TRY(lct_extend_spec(&spec, &x->e, m));
    out = json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:o}", "method",
                    lct_extend_name(m), "change", lct_extend_change(m), "spec",
                    spec, "base", lct_extend_base(&x->e, m), "attention_factor",
                    lct_extend_attention(&x->e, m), "settings",
                    lct_extend_settings_json(&x->e, m), "notes",
                    lct_extend_settings_notes(&x->e, m));
    locant_release(spec);
    if (json_array_append_new(methods, out) != 0) /* of NULL, too */
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", x->e.file);
    if (x->has_model)
        LCT_TRY(put_plan(out, x, m));
    if (m == LCT_EXTEND_SELFEXTEND)
        return LOCANT_OK;
    LCT_TRY(frequencies(frequency, x,
                        json_string_value(json_object_get(out, "spec"))));
    put(x, out, "pairs", pairs_json(x, frequency));
    put(x, out, "wavelengths", wavelengths(x, frequency));
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- whole */

static json_t *warnings(struct extension *x)
{
    json_t *list = json_array();

    if (x->e.linear > 1)
        append(x, list,
               json_string("the model is scaled already; factors of linear "
                           "scaling multiply, those of other methods do "
                           "not, so pi is all there is"));
    append(x, list,
           json_string("except for dynamic and selfextend, the scaling holds "
                       "for short texts too; switch it off where they stay "
                       "within the trained length"));
    return list;
}

static bool offered(const struct extension *x, enum lct_extend_method m)
{
    int64_t group, window;

    if (x->only >= 0)
        return (int)m == x->only;
    /* There is no encoding of Self-Extend for parts of a head. */
    if (m == LCT_EXTEND_SELFEXTEND &&
        (strstr(x->e.keys, "dim=") != NULL ||
         !lct_extend_group(&group, &window, &x->e)))
        return false;
    return x->e.linear == 1 || m == LCT_EXTEND_PI;
}

static locant_status make(json_t **out, struct extension *x)
{
    json_t *methods;
    char *plain;
    locant_status s;

    if (x->only > 0 && x->e.linear > 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: is already scaled by linear(factor=%g), and "
                           "factors of linear scaling alone multiply; "
                           "expected --method pi",
                           x->e.file, x->e.linear);
    LCT_TRY(lct_extend_spec(&plain, &x->e, LCT_EXTEND_METHODS));
    methods = json_array();
    s = frequencies(x->plain, x,
                    x->has_model ? x->model.tower->layers[x->model.layer].spec
                                 : plain);
    for (int m = 0; m < LCT_EXTEND_METHODS && s == LOCANT_OK; m++)
        if (offered(x, m))
            s = put_method(methods, x, m);
    if (s != LOCANT_OK) {
        json_decref(methods);
        locant_release(plain);
        return s;
    }
    *out = json_pack(
        "{s:s?, s:s, s:f, s:I, s:I, s:I, s:f, s:b, s:o, s:o, s:o}", "model",
        x->has_model ? x->e.file : NULL, "spec", plain, "base", x->e.base,
        "rotated", (json_int_t)x->e.rotated, "trained",
        (json_int_t)x->e.trained, "to", (json_int_t)x->e.to, "factor",
        x->e.factor, "full_layers_only", x->e.kinds, "wavelengths",
        wavelengths(x, x->plain), "methods", methods, "warnings", warnings(x));
    locant_release(plain);
    if (*out != NULL && !x->failed)
        return LOCANT_OK;
    json_decref(*out);
    *out = NULL;
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", x->e.file);
}

/* Of a model these are numbers of its file; but 'to' is always given. */
static locant_status check_rope(const struct lct_extend *e, bool of_file)
{
    const locant_status wrong = of_file ? LOCANT_ERR_FORMAT : LOCANT_ERR_PARAM;
    const char *file = of_file ? e->file : "", *colon = of_file ? ": " : "";

    if (!(e->base >= 1 && e->base <= 1e30))
        return locant_fail(wrong, "%s%sbase: %g, expected 1 to 1e30", file,
                           colon, e->base);
    if (e->rotated < 4 || e->rotated > 2 * LCT_EXTEND_PAIRS ||
        e->rotated % 2 != 0)
        return locant_fail(wrong,
                           "%s%sdim: %" PRId64
                           ", expected an even number of 4 to %d rotated "
                           "channels",
                           file, colon, e->rotated, 2 * LCT_EXTEND_PAIRS);
    if (e->trained < 2 || e->to <= e->trained || e->to > INT64_C(1) << 30)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s%strained: %" PRId64 " and to: %" PRId64
                           ", expected 2 <= trained < to <= 2^30",
                           file, colon, e->trained, e->to);
    return LOCANT_OK;
}

static locant_status open_rope(struct extension *x,
                               const locant_extend_options *o)
{
    x->e.file = "this rope";
    x->e.base = o->base;
    x->e.rotated = o->dim;
    x->e.factor = (double)x->e.to / (double)x->e.trained;
    x->e.linear = 1;
    x->e.keys = "";
    return LOCANT_OK;
}

static locant_status extend(json_t **out, const locant_extend_options *o)
{
    struct extension *x = locant_alloc(sizeof *x);
    locant_status s;

    *out = NULL;
    if (x == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model_extend: no memory");
    x->e.failed = &x->failed;
    x->only = o->method != NULL ? lct_extend_find(o->method) : -1;
    x->config_out = o->config_out;
    x->has_model = o->model != NULL;
    x->e.to = o->to;
    x->e.trained = o->trained;
    s = x->has_model ? lct_extend_model_open(&x->model, &x->e, o->model)
                     : open_rope(x, o);
    if (s == LOCANT_OK)
        s = check_rope(&x->e, x->has_model);
    if (s == LOCANT_OK)
        s = make(out, x);
    lct_extend_model_close(&x->model);
    locant_release(x);
    return s;
}

locant_status locant_model_extend(char **out, size_t *size,
                                  const locant_extend_options *o)
{
    json_t *result;

    LCT_NOT_NULL("locant_model_extend", out);
    LCT_NOT_NULL("locant_model_extend", o);
    *out = NULL;
    if (o->method != NULL && lct_extend_find(o->method) < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "method: '%.40s', expected pi, ntk, dynamic, yarn, "
                           "longrope, llama3 or selfextend",
                           o->method);
    if (o->config_out != NULL && (o->model == NULL || o->method == NULL))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_model_extend: config_out needs a model and "
                           "a method");
    LCT_TRY(extend(&result, o));
    return lct_document_text(out, size, result, JSON_PRESERVE_ORDER,
                             "locant_model_extend");
}
