/*
 * convert.c - weights of another pairing; convert_names.c knows the tensors,
 * convert_parts.c their rows, convert_write.c the files, convert_verify.c
 * proves the result
 */
#include "convert.h"
#include "../files/document.h"
#include "../core/text.h"
#include "../files/path.h"
#include "convert_back.h"
#include "convert_gguf.h"
#include "convert_path.h"
#include "convert_positions.h"
#include "convert_states.h"
#include "convert_verify.h"
#include "family.h"
#include "pairing.h"
#include <stdio.h>
#include <string.h>

static const char fn[] = "locant_model_convert";

static locant_status no_memory(const char *path)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to convert it",
                       lct_path_tail(path));
}

/* --------------------------------------------------------------- the input */

/* c->folder = the model, or the folder of its file. */
static locant_status find_folder(struct lct_convert *c)
{
    const char *slash = strrchr(c->model, '/');
    const char *from = lct_convert_path_is_folder(c->model) ? c->model
                       : slash                              ? c->model
                                                            : ".";
    size_t n = strlen(from);

    if (from == c->model && !lct_convert_path_is_folder(c->model))
        n = slash == c->model ? 1 : (size_t)(slash - c->model);
    c->folder = lct_copy_text(from, n);
    return c->folder != NULL ? LOCANT_OK : no_memory(c->model);
}

/* The configuration of the model that an adapter is for. */
static locant_status read_base(struct lct_convert *c)
{
    static const char key[] = "base_model_name_or_path";
    const char *base = c->options->base;
    locant_status status;
    json_t *root = NULL;
    char *path;

    if (base != NULL)
        return lct_config_read(&c->config, base);
    path = lct_convert_path(c->folder, "adapter_config.json");
    if (path == NULL)
        return no_memory(c->model);
    status = lct_document_read(&root, path, 10000);
    locant_release(path);
    LCT_TRY(status);
    if (lct_config_text(&base, root, key) != LCT_RIGHT ||
        !lct_convert_path_is_folder(base))
        status = locant_fail(LOCANT_ERR_PARAM,
                             "%s: base: needed for an adapter whose "
                             "%s '%.100s' is no folder here",
                             fn, key, base ? base : "");
    else
        status = lct_config_read(&c->config, base);
    json_decref(root);
    return status;
}

/* *out: does the layer rotate by an encoding whose pairing a spec can say? */
static locant_status has_pairing(bool *out, const struct lct_layer_plan *layer)
{
    locant_encoding *e = NULL;
    locant_status status;
    char *spec;

    *out = false;
    if (layer->encoding == NULL ||
        !(locant_encoding_doors(layer->encoding) & LOCANT_DOOR_ROTATE))
        return LOCANT_OK;
    LCT_TRY(lct_pairing_spec(&spec, layer->spec, true));
    status = locant_encoding_create(&e, spec);
    locant_release(spec);
    locant_encoding_free(e);
    *out = status == LOCANT_OK;
    return status == LOCANT_ERR_NOMEM ? status : LOCANT_OK;
}

static locant_status no_pairing(const struct lct_convert *c)
{
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: %s does not rotate pairs of channels of queries "
                       "and keys, so that its weights have no pairing",
                       c->config.file, c->plan.family->title);
}

/* The tower whose weights have a pairing: the first of such a layer.  Models
   without one change their format alone. */
static locant_status find_tower(struct lct_convert *c)
{
    for (int i = 0; i < c->plan.n_towers; i++)
        for (int64_t l = 0; l < c->plan.towers[i].n_layers; l++) {
            LCT_TRY(has_pairing(&c->rotates, &c->plan.towers[i].layers[l]));
            if (!c->rotates)
                continue;
            c->tower = &c->plan.towers[i];
            return LOCANT_OK;
        }
    c->tower = &c->plan.towers[0];
    return c->options->format != LOCANT_MODEL_SAME && c->plan.n_towers > 0
               ? LOCANT_OK
               : no_pairing(c);
}

/* The configuration and its plan: of the model, or of that of an adapter. */
static locant_status read_plan(struct lct_convert *c)
{
    const char *base = c->options->base;

    if (c->adapter)
        LCT_TRY(read_base(c));
    else if (lct_convert_path_is_folder(c->model) || !base)
        LCT_TRY(lct_config_read_both(&c->config, &c->weights, c->model));
    else
        LCT_TRY(lct_config_read(&c->config, base));
    return lct_position_plan_beside(&c->plan, &c->config, LCT_STACK_TRUE,
                                    c->weights);
}

static locant_status read_input(struct lct_convert *c)
{
    LCT_TRY(find_folder(c));
    c->adapter = lct_convert_path_has(c->folder, "adapter_config.json");
    LCT_TRY(read_plan(c));
    LCT_TRY(find_tower(c));
    if (c->weights == NULL)
        LCT_TRY(lct_weights_open(&c->weights, c->model));
    c->gguf_in = lct_weights_gguf(c->weights) != NULL;
    c->gguf_out = c->options->format == LOCANT_MODEL_GGUF ||
                  (c->options->format == LOCANT_MODEL_SAME && c->gguf_in);
    if (!c->rotates && c->gguf_in == c->gguf_out)
        return no_pairing(c);
    return lct_convert_parts_find(&c->parts, c->weights, c->tower,
                                  c->config.model_type, c->adapter);
}

/* ---------------------------------------------------------------- pairings */

/* The pairing of the input: what is asked for, recorded, or usual. */
static locant_status find_from(locant_conversion *out, struct lct_convert *c)
{
    enum lct_recorded_pairing said;

    if (!c->rotates)
        return LOCANT_OK;
    LCT_TRY(lct_pairing_of(
        &said, lct_weights_metadata(c->weights, LCT_WEIGHTS_PAIRING),
        c->model));
    c->from = said == LCT_PAIRING_UNSAID ? c->plan.interleaved
                                         : said == LCT_PAIRING_INTERLEAVED;
    out->assumed =
        said == LCT_PAIRING_UNSAID && c->options->from == LOCANT_MODEL_UNSAID;
    if (c->options->from != LOCANT_MODEL_UNSAID)
        c->from = c->options->from == LOCANT_MODEL_INTERLEAVED;
    out->from = c->from ? LOCANT_MODEL_INTERLEAVED : LOCANT_MODEL_HALF;
    return LOCANT_OK;
}

static locant_status check_options(const locant_convert_options *o)
{
    if (o->struct_size < sizeof *o)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: options->struct_size: %zu, %zu expected", fn,
                           o->struct_size, sizeof *o);
    if ((unsigned)o->pairing > 2 || (unsigned)o->from > 2 ||
        (unsigned)o->format > 2)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: a pairing or format is none of those there are",
                           fn);
    if (o->type != NULL && !lct_is_among("F32 F16 BF16 Q8_0", o->type))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: type: '%.20s', one of F32, F16, BF16, Q8_0 "
                           "expected",
                           fn, o->type);
    return LOCANT_OK;
}

/* -------------------------------------------------------------- the whole */

/* The model_type, or the architecture of GGUF. */
static const char *type_of_output(const struct lct_convert *c)
{
    if (c->gguf_out)
        return lct_convert_gguf_family(c->config.model_type)->architecture;
    return c->gguf_in ? lct_convert_back_family(c)->model_type
                      : c->config.model_type;
}

/* Read what was written, and compare the scores; of models that do not rotate,
   the states. */
static locant_status verify(locant_conversion *out, struct lct_convert *c)
{
    struct lct_convert_parts parts = { 0 };
    struct lct_weights *written;
    const bool plus_one = c->tower->layers[0].norm.plus_one;
    const struct lct_convert_side before = { &c->parts, c->from,
                                             plus_one && !c->gguf_in };
    const struct lct_convert_side after = { &parts, c->to,
                                            plus_one && !c->gguf_out };
    locant_status status;

    LCT_TRY(lct_output_flush(&c->output));
    if (!c->rotates)
        return lct_convert_states(&out->worst, c);
    LCT_TRY(lct_weights_open(&written, c->output.temporary));
    status = lct_convert_parts_find(&parts, written, c->tower,
                                    type_of_output(c), c->adapter);
    if (status == LOCANT_OK)
        status = lct_convert_verify(&out->worst, c->tower, &before, &after);
    lct_convert_parts_free(&parts);
    lct_weights_close(written);
    return status;
}

static locant_status write_weights(struct lct_convert *c)
{
    if (c->gguf_out)
        return lct_convert_gguf(c);
    return c->gguf_in ? lct_convert_back(c) : lct_convert_write(c);
}

static locant_status write_output(locant_conversion *out, struct lct_convert *c,
                                  const char *folder)
{
    locant_status status = lct_output_begin(&c->output, folder);

    if (status == LOCANT_OK)
        status = write_weights(c);
    /* What lies beside a GGUF need not belong to it. */
    if (status == LOCANT_OK &&
        (lct_convert_path_is_folder(c->model) || !c->gguf_in))
        status = lct_convert_write_others(c);
    if (status == LOCANT_OK && c->options->verify)
        status = verify(out, c);
    if (status == LOCANT_OK)
        status = lct_convert_positions(out, c);
    if (status == LOCANT_OK)
        status = lct_output_commit(&c->output);
    if (status != LOCANT_OK)
        lct_output_abort(&c->output);
    return status;
}

/* A GGUF has the pairing of its architecture. */
static locant_status check_gguf(const struct lct_convert *c)
{
    const struct lct_convert_gguf_family *f =
        lct_convert_gguf_family(c->config.model_type);
    const locant_model_pairing asked = c->options->pairing;
    char known[512];

    if (f == NULL || c->adapter) {
        lct_convert_gguf_families(known, sizeof known);
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: a GGUF of model_type '%.60s'%s is not written; "
                           "known: %s",
                           c->config.file, c->config.model_type,
                           c->adapter ? " as an adapter" : "", known);
    }
    if (c->rotates && asked != LOCANT_MODEL_UNSAID &&
        (asked == LOCANT_MODEL_INTERLEAVED) != f->interleaved)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: pairing: a GGUF of architecture %s is %s, as "
                           "llama.cpp rotates it; leave it out",
                           fn, f->architecture,
                           f->interleaved ? "interleaved" : "half");
    return LOCANT_OK;
}

/* Options that the input decides on: numbers, proof. */
static locant_status check_type(const struct lct_convert *c)
{
    const locant_convert_options *o = c->options;

    if (o->type != NULL && !c->gguf_in && !c->gguf_out)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: type: only from or to a GGUF numbers change",
                           fn);
    if (o->type != NULL && o->type[0] == 'Q' && !c->gguf_out)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: type: safetensors have no %s; F32, F16 or BF16 "
                           "expected",
                           fn, o->type);
    if (o->type != NULL && o->verify)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: verify: not with type, which rounds numbers",
                           fn);
    return LOCANT_OK;
}

/* Formats and pairings. */
static locant_status check_formats(const struct lct_convert *c)
{
    const locant_convert_options *o = c->options;

    if (c->gguf_in && c->gguf_out)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: format: the model is a GGUF, which has the "
                           "pairing of its architecture; safetensors expected",
                           fn);
    LCT_TRY(check_type(c));
    if (!c->rotates &&
        (o->pairing != LOCANT_MODEL_UNSAID || o->from != LOCANT_MODEL_UNSAID))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: pairing: %s does not rotate pairs of channels, "
                           "so that there is no pairing to change; leave it "
                           "out",
                           fn, c->plan.family->title);
    if (c->gguf_in && lct_convert_back_family(c) == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: safetensors of architecture '%.60s' are not "
                           "written",
                           c->config.file, c->config.model_type);
    return LOCANT_OK;
}

/* The pairing of the output. */
static locant_status find_to(locant_conversion *out, struct lct_convert *c)
{
    const struct lct_convert_gguf_family *f;

    out->to = c->options->pairing;
    if (c->gguf_out) {
        LCT_TRY(check_gguf(c));
        f = lct_convert_gguf_family(c->config.model_type);
        out->to = f->interleaved ? LOCANT_MODEL_INTERLEAVED : LOCANT_MODEL_HALF;
    }
    if (!c->rotates) {
        out->to = LOCANT_MODEL_UNSAID;
        return LOCANT_OK;
    }
    if (out->to == LOCANT_MODEL_UNSAID && c->gguf_in) /* of transformers */
        out->to = c->plan.family->interleaved ? LOCANT_MODEL_INTERLEAVED
                                              : LOCANT_MODEL_HALF;
    if (out->to == LOCANT_MODEL_UNSAID)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: pairing: half or interleaved expected", fn);
    c->to = out->to == LOCANT_MODEL_INTERLEAVED;
    return LOCANT_OK;
}

/* Values that are keys, too, would change their order with them (Gemma 4). */
static locant_status check_values(const struct lct_convert *c)
{
    static const char key[] = "attention_k_eq_v";

    if (c->from == c->to || !json_is_true(json_object_get(c->config.text, key)))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: %s is true: keys that are values, too, cannot get "
                       "another order of channels",
                       c->config.file, key);
}

static locant_status convert(locant_conversion *out, struct lct_convert *c,
                             const char *folder)
{
    LCT_TRY(read_input(c));
    LCT_TRY(check_formats(c));
    LCT_TRY(find_from(out, c));
    LCT_TRY(find_to(out, c));
    LCT_TRY(check_values(c));
    while (lct_weights_at(c->weights, (size_t)out->tensors) != NULL)
        out->tensors++;
    out->moved = c->from != c->to ? (int64_t)c->parts.n : 0;
    LCT_TRY(write_output(out, c, folder));
    out->lost = c->lost;
    out->tokenizer = c->tokenizer;
    out->pre = c->pre;
    return LOCANT_OK;
}

locant_status locant_model_convert(locant_conversion *out, const char *model,
                                   const char *folder,
                                   const locant_convert_options *options)
{
    struct lct_convert c = { .options = options, .model = model };
    locant_status status;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, model);
    LCT_NOT_NULL(fn, folder);
    LCT_NOT_NULL(fn, options);
    *out = (locant_conversion){ .worst = -1 };
    LCT_TRY(check_options(options));
    status = convert(out, &c, folder);
    lct_convert_parts_free(&c.parts);
    lct_weights_close(c.weights);
    lct_position_plan_free(&c.plan);
    lct_config_free(&c.config);
    locant_release(c.folder);
    return status;
}
