/* check_model.c - see check_model.h */
#define _GNU_SOURCE
#include "check_model.h"
#include "check_gguf.h"
#include "check_params.h"
#include "check_view.h"
#include "check_whole.h"
#include "family.h"
#include "plan_gguf.h"
#include "../core/quote.h"
#include "../core/suggest.h"
#include "../core/text.h"
#include "../files/document.h"
#include "../files/path.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ opening */

/* What a folder holds besides its configuration. */
struct folder {
    bool weights, tokenizer;
    int n_gguf;
    char gguf[256];
};

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void look(struct folder *out, const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;

    *out = (struct folder){ 0 };
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;

        if (lct_is_among("model.safetensors model.safetensors.index.json "
                         "consolidated.safetensors "
                         "consolidated.safetensors.index.json",
                         name))
            out->weights = true;
        if (strcmp(name, "tokenizer_config.json") == 0)
            out->tokenizer = true;
        if (lct_ends_with(name, ".gguf") && out->n_gguf++ == 0)
            snprintf(out->gguf, sizeof out->gguf, "%s", name);
    }
    if (dir != NULL)
        closedir(dir);
}

static locant_status open_folder(struct lct_check_model *m, const char *path)
{
    char name[4096];
    struct folder f;

    look(&f, path);
    if (f.weights)
        LCT_TRY(lct_weights_open(&m->weights, path));
    if (f.n_gguf == 1 && snprintf(m->gguf, sizeof m->gguf, "%s/%s", path,
                                  f.gguf) >= (int)sizeof m->gguf)
        m->gguf[0] = '\0';
    if (f.tokenizer && snprintf(name, sizeof name, "%s/tokenizer_config.json",
                                path) < (int)sizeof name)
        LCT_TRY(lct_document_read(&m->tokenizer, name, 100000));
    return LOCANT_OK;
}

/* The configuration failed: may its model_type be reported as a finding? */
static bool has_wrong_type(const struct lct_config *c)
{
    const json_t *value = json_object_get(c->text, "model_type");

    if (value == NULL)
        value = json_object_get(c->root, "model_type");
    return c->dialect != LCT_DIALECT_GGUF && value != NULL &&
           !json_is_string(value);
}

static locant_status accept(struct lct_check_model *m, locant_status status)
{
    m->wrong_type = status == LOCANT_ERR_FORMAT && has_wrong_type(&m->config);
    return m->wrong_type ? LOCANT_OK : status;
}

locant_status lct_check_model_open(struct lct_check_model *m, const char *path)
{
    *m = (struct lct_check_model){ 0 };
    LCT_TRY(accept(m, lct_config_read(&m->config, path)));
    if (is_folder(path))
        return open_folder(m, path);
    if (m->config.dialect == LCT_DIALECT_GGUF)
        return lct_weights_open(&m->weights, path);
    return LOCANT_OK;
}

locant_status lct_check_model_parse(struct lct_check_model *m, const char *text,
                                    size_t n, const char *name)
{
    *m = (struct lct_check_model){ 0 };
    return accept(m, lct_config_parse(&m->config, text, n, name));
}

void lct_check_model_close(struct lct_check_model *m)
{
    lct_weights_close(m->weights);
    json_decref(m->tokenizer);
    lct_config_free(&m->config);
    *m = (struct lct_check_model){ 0 };
}

/* --------------------------------------------------------- which are known */

static bool is_known(const struct lct_check *k)
{
    if (lct_check_is_gguf(k))
        return lct_family_of_gguf(k->type) != NULL ||
               lct_check_gguf_arch(k->type) != NULL;
    return k->class != NULL || lct_family_find(k->type) != NULL;
}

/* Families, then the classes that are none. */
static const char *type_at(const void *list, size_t i)
{
    const struct lct_family *f;
    size_t n = 0;

    (void)list;
    for (; (f = lct_family_at(n)) != NULL; n++)
        if (n == i)
            return f->model_type;
    return lct_class_at(i - n) != NULL ? lct_class_at(i - n)->type : NULL;
}

static locant_status unknown(const struct lct_check *k)
{
    const bool gguf = lct_check_is_gguf(k);
    char known[2560], quoted[LCT_QUOTE_BYTES];

    if (gguf)
        lct_plan_gguf_suggest(known, sizeof known, k->type);
    else
        lct_suggest(known, sizeof known, type_at, NULL, k->type,
                    strlen(k->type));
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: %s is '%s', which is no known "
                       "%s%s",
                       k->config->file,
                       gguf ? "general.architecture" : "model_type",
                       lct_quote(quoted, k->type, strlen(k->type)),
                       gguf ? "one" : "family", known);
}

/* ------------------------------------------------------------------ running */

/* What was looked at, in a line. */
static void summary(char *out, size_t size, const struct lct_check *k,
                    enum lct_dialect dialect)
{
    static const char *const dialects[] = {
        [LCT_DIALECT_HF4] = "configuration of transformers 4",
        [LCT_DIALECT_HF5] = "configuration of transformers 5",
        [LCT_DIALECT_META] = "params.json of Meta",
        [LCT_DIALECT_MISTRAL] = "params.json of Mistral",
        [LCT_DIALECT_GGUF] = "GGUF file"
    };
    const enum lct_recorded_pairing pairing = lct_check_recorded(k);
    char type[LCT_QUOTE_BYTES];

    snprintf(out, size, "%s: '%s', %s, %s tensors, %d checks", k->config->file,
             lct_quote(type, k->type, strlen(k->type)), dialects[dialect],
             k->weights ? "with" : "no", (int)LCT_CHECKS);
    if (pairing != LCT_PAIRING_UNSAID)
        lct_append(out, size, ", pairing '%s' recorded",
                   lct_check_pairing(pairing));
}

static void run_groups(struct lct_check *k)
{
    if (!lct_check_is_gguf(k)) {
        lct_check_dialect(k);
        lct_check_kinds(k);
        lct_check_keys(k);
        lct_check_values(k);
        lct_check_lengths(k);
        lct_check_llama3(k);
        lct_check_longrope(k);
        lct_check_yarn(k);
        lct_check_widths(k);
        lct_check_sections(k);
        lct_check_layers(k);
        lct_check_windows(k);
        lct_check_scores(k);
    }
    lct_check_gguf(k);
    lct_check_tensors(k);
    lct_check_pairs(k);
}

static void wrong_model_type(struct lct_report *report,
                             const struct lct_check_model *m)
{
    struct lct_check k = { .config = &m->config, .report = report };

    LCT_FIND(&k, NULL, ID(X01_MODEL));
}

/* Look at a model; a params.json is read as transformers would name its keys,
   in *named, which is to be freed. */
static locant_status view(struct lct_check *k, struct lct_config *named,
                          const struct lct_check_model *m,
                          struct lct_report *report)
{
    const struct lct_config *c = &m->config;

    *named = (struct lct_config){ 0 };
    if (lct_config_is_params(c)) {
        *named = *c;
        named->root = lct_check_params(c);
        if (named->root == NULL)
            return LOCANT_ERR_NOMEM;
        named->text = named->root;
        named->dialect = LCT_DIALECT_HF4;
        c = named;
    }
    lct_check_view_open(k, c, m->weights, report);
    k->params = c == named;
    k->tokenizer = m->tokenizer;
    return LOCANT_OK;
}

locant_status lct_check_model_run(struct lct_report *report, char *checked,
                                  const struct lct_check_model *m,
                                  const locant_check_options *options)
{
    const char *beside = m->gguf[0] ? m->gguf : NULL;
    const char *path = options->other ? options->other : beside;
    struct lct_check_model other = { 0 };
    struct lct_weights *adapter = NULL;
    struct lct_config named = { 0 }, other_named = { 0 };
    struct lct_check k, second;
    locant_status status;

    if (m->wrong_type) {
        snprintf(checked, 512, "%s: model_type alone", m->config.file);
        wrong_model_type(report, m);
        return LOCANT_OK;
    }
    LCT_TRY(view(&k, &named, m, report));
    k.options = options;
    status = is_known(&k) ? LOCANT_OK : unknown(&k);
    if (status == LOCANT_OK && path != NULL)
        status = lct_check_model_open(&other, path);
    if (status == LOCANT_OK && options->adapter != NULL)
        status = lct_weights_open(&adapter, options->adapter);
    if (status == LOCANT_OK && path != NULL && !other.wrong_type) {
        status = view(&second, &other_named, &other, report);
        second.options = options;
        k.other = &second;
    }
    if (status == LOCANT_OK) {
        k.adapter = adapter;
        summary(checked, 512, &k, m->config.dialect);
        run_groups(&k);
        status = lct_check_whole(&k, m);
    }
    json_decref(named.root);
    json_decref(other_named.root);
    lct_weights_close(adapter);
    lct_check_model_close(&other);
    return status;
}
