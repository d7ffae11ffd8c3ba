/*
 * convert.c - weights of another pairing; convert_names.c knows the tensors,
 * convert_parts.c their rows, convert_write.c the files, convert_verify.c
 * proves the result
 */
#define _GNU_SOURCE
#include "convert.h"
#include "../files/document.h"
#include "../files/path.h"
#include "convert_verify.h"
#include "family.h"
#include "pairing.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char fn[] = "locant_model_convert";

char *lct_convert_path(const char *folder, const char *name)
{
    const size_t n = strlen(folder) + strlen(name) + 2;
    char *path = locant_alloc(n);

    if (path != NULL)
        snprintf(path, n, "%s/%s", folder, name);
    return path;
}

static locant_status no_memory(const char *path)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to convert it",
                       lct_path_tail(path));
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_file(const char *folder, const char *name)
{
    char *path = lct_convert_path(folder, name);
    struct stat st;
    const bool there = path != NULL && stat(path, &st) == 0;

    locant_release(path);
    return there;
}

/* --------------------------------------------------------------- the input */

/* c->folder = the model, or the folder of its file. */
static locant_status find_folder(struct lct_convert *c)
{
    const char *slash = strrchr(c->model, '/');
    const char *from = is_folder(c->model) ? c->model : slash ? c->model : ".";
    size_t n = strlen(from);

    if (from == c->model && !is_folder(c->model))
        n = slash == c->model ? 1 : (size_t)(slash - c->model);
    c->folder = locant_alloc(n + 1);
    if (c->folder == NULL)
        return no_memory(c->model);
    memcpy(c->folder, from, n);
    return LOCANT_OK;
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
    if (lct_config_text(&base, root, key) != LCT_RIGHT || !is_folder(base))
        status = locant_fail(LOCANT_ERR_PARAM,
                             "%s: base: needed for an adapter whose "
                             "%s '%.100s' is no folder here",
                             fn, key, base ? base : "");
    else
        status = lct_config_read(&c->config, base);
    json_decref(root);
    return status;
}

/* The first tower that rotates. */
static struct lct_tower *rotating_tower(struct lct_position_plan *p)
{
    for (int i = 0; i < p->n_towers; i++)
        for (int64_t l = 0; l < p->towers[i].n_layers; l++) {
            const locant_encoding *e = p->towers[i].layers[l].encoding;

            if (e && locant_encoding_doors(e) & LOCANT_DOOR_ROTATE)
                return &p->towers[i];
        }
    return NULL;
}

static locant_status find_tower(struct lct_convert *c)
{
    c->tower = rotating_tower(&c->plan);
    if (c->tower == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s does not rotate queries and keys, so that "
                           "its weights have no pairing",
                           c->config.file, c->plan.family->title);
    return LOCANT_OK;
}

static locant_status read_input(struct lct_convert *c)
{
    LCT_TRY(find_folder(c));
    c->adapter = has_file(c->folder, "adapter_config.json");
    if (c->adapter)
        LCT_TRY(read_base(c));
    else
        LCT_TRY(lct_config_read(&c->config,
                                is_folder(c->model) || c->options->base == NULL
                                    ? c->model
                                    : c->options->base));
    LCT_TRY(lct_position_plan_of(&c->plan, &c->config));
    LCT_TRY(find_tower(c));
    LCT_TRY(lct_weights_open(&c->weights, c->model));
    c->gguf_in = lct_weights_gguf(c->weights) != NULL;
    return lct_convert_parts_find(&c->parts, c->weights, c->tower,
                                  c->config.model_type, c->adapter);
}

/* ---------------------------------------------------------------- pairings */

/* The pairing of the input: what is asked for, recorded, or usual. */
static locant_status find_from(locant_conversion *out, struct lct_convert *c)
{
    enum lct_recorded_pairing said;

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
    return LOCANT_OK;
}

/* -------------------------------------------------------------- the whole */

/* Read what was written, and compare the scores. */
static locant_status verify(locant_conversion *out, struct lct_convert *c)
{
    struct lct_convert_parts parts = { 0 };
    struct lct_weights *written;
    const bool plus_one = c->tower->layers[0].norm.plus_one;
    const struct lct_convert_side before = { &c->parts, c->from, plus_one };
    const struct lct_convert_side after = { &parts, c->to, plus_one };
    locant_status status;

    LCT_TRY(lct_output_flush(&c->output));
    LCT_TRY(lct_weights_open(&written, c->output.temporary));
    status = lct_convert_parts_find(&parts, written, c->tower,
                                    c->config.model_type, c->adapter);
    if (status == LOCANT_OK)
        status = lct_convert_verify(&out->worst, c->tower, &before, &after);
    lct_convert_parts_free(&parts);
    lct_weights_close(written);
    return status;
}

static locant_status write_output(locant_conversion *out, struct lct_convert *c,
                                  const char *folder)
{
    locant_status status = lct_output_begin(&c->output, folder);

    if (status == LOCANT_OK)
        status = lct_convert_write(c);
    if (status == LOCANT_OK)
        status = lct_convert_write_others(c);
    if (status == LOCANT_OK && c->options->verify)
        status = verify(out, c);
    if (status == LOCANT_OK)
        status = lct_output_commit(&c->output);
    if (status != LOCANT_OK)
        lct_output_abort(&c->output);
    return status;
}

static locant_status convert(locant_conversion *out, struct lct_convert *c,
                             const char *folder)
{
    LCT_TRY(read_input(c));
    if (c->gguf_in || c->options->format == LOCANT_MODEL_GGUF)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: format: GGUF cannot be converted yet", fn);
    LCT_TRY(find_from(out, c));
    out->to = c->options->pairing;
    c->to = out->to == LOCANT_MODEL_INTERLEAVED;
    while (lct_weights_at(c->weights, (size_t)out->tensors) != NULL)
        out->tensors++;
    out->moved = c->from != c->to ? (int64_t)c->parts.n : 0;
    return write_output(out, c, folder);
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
