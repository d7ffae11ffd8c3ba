/* convert_gguf_names.c - see convert_gguf_names.h */
#include "convert_gguf_names.h"
#include "net_gguf.h"
#include "../core/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct lct_convert_gguf_family families[] = {
    { "bert",        "bert",       .root = "bert." },
    { "camembert",   "bert",       .root = "roberta." },
    { "cohere",      "command-r",  .root = "model.", .interleaved = true },
    { "cohere2",     "cohere2",    .root = "model.", .interleaved = true },
    { "deepseek_v2", "deepseek2",  .root = "model.", .interleaved = true },
    { "deepseek_v3", "deepseek2",  .root = "model.", .interleaved = true },
    { "gemma",       "gemma",      .root = "model.", .plus_one = true },
    { "gemma2",      "gemma2",     .root = "model.", .plus_one = true },
    { "gemma3_text", "gemma3",     .root = "model.", .plus_one = true },
    { "gpt_neox",    "gptneox",    .root = "gpt_neox." },
    { "granite",     "granite",    .root = "model.", .interleaved = true },
    { "kimi_k2",     "deepseek2",  .root = "model.", .interleaved = true },
    { "llama",       "llama",      .root = "model.", .interleaved = true },
    { "mistral",     "llama",      .root = "model.", .interleaved = true },
    { "mixtral",     "llama",      .root = "model.", .interleaved = true },
    { "mt5",         "t5",         .root = "" },
    { "olmo2",       "olmo2",      .root = "model." },
    { "phi3",        "phi3",       .root = "model." },
    { "qwen2",       "qwen2",      .root = "model." },
    { "qwen2_moe",   "qwen2moe",   .root = "model." },
    { "qwen3",       "qwen3",      .root = "model." },
    { "qwen3_moe",   "qwen3moe",   .root = "model." },
    { "roberta",     "bert",       .root = "roberta." },
    { "smollm3",     "smollm3",    .root = "model.", .interleaved = true },
    { "starcoder2",  "starcoder2", .root = "model." },
    { "t5",          "t5",         .root = "" },
    { "umt5",        "t5",         .root = "" },
    { "xlm-roberta", "bert",       .root = "roberta." },
};

/* Ends of names of tensors that GGUF has no use for: caches, and tables that
   are those of 'shared'. */
static const char *const left_out[] = {
    ".rotary_emb.inv_freq", ".attention.bias", ".attention.masked_bias",
    "embeddings.position_ids", "encoder.embed_tokens.weight",
    "decoder.embed_tokens.weight",
    "EncDecAttention.relative_attention_bias.weight",
};

/* Parts of names of what BERT has learned beside its layers. */
static const char *const lost[] = { "pooler.dense.", "cls.seq_relationship.",
                                    "cls.predictions.bias", "lm_head.bias" };

/* What a name ends with, and with what in GGUF. */
static const struct { const char *file, *gguf; } suffixes[] = {
    { ".weight", ".weight" }, { ".bias", ".bias" },
    { ".gamma", ".weight" }, { ".beta", ".bias" },
};
/* clang-format on */

enum { LAYERS = 1 << 20 };

const struct lct_convert_gguf_family *
lct_convert_gguf_family(const char *model_type)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].model_type, model_type) == 0)
            return &families[i];
    return NULL;
}

void lct_convert_gguf_families(char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        lct_append(out, size, "%s%s", i > 0 ? ", " : "",
                   families[i].model_type);
}

struct lct_convert_gguf_names
lct_convert_gguf_names(const struct lct_convert_gguf_family *f, int variant)
{
    const struct lct_net_family *net = lct_net_families_find(f->model_type);
    struct lct_convert_gguf_names n = { .family = f };

    n.files[0] = net->names[variant];
    n.files[1] = net->encoder[variant];
    n.gguf[0] = lct_net_gguf_names(f->model_type, false);
    n.gguf[1] = lct_net_gguf_names(f->model_type, true);
    return n;
}

/* ------------------------------------------------------------------- parts */

/* A name without what stands before its module, and behind it. */
struct module {
    const char *text;
    size_t n;
    const char *suffix; /* of the other format; "" if the module is all */
    int64_t layer;      /* -1: of none */
};

/*
 * Does 'text' [n] consist of the pattern?  *expert and *mark are then the
 * number that "%d" stands for and where it is.
 */
static bool matches(int64_t *expert, const char **mark, const char *text,
                    size_t n, const char *pattern)
{
    const char *end = text + n, *at = text;

    *expert = 0;
    *mark = NULL;
    for (; *pattern != 0; pattern++) {
        if (*pattern != '%') {
            if (at == end || *at++ != *pattern)
                return false;
            continue;
        }
        pattern++; /* the d */
        *mark = at;
        for (; at < end && *at >= '0' && *at <= '9' && *expert < LAYERS; at++)
            *expert = 10 * *expert + (*at - '0');
        if (at == *mark)
            return false;
    }
    return at == end;
}

/* What follows "LAYER N." in the name, at its start or behind a dot; NULL: it
   is of no layer. */
static const char *find_layer(int64_t *layer, const char *name,
                              const char *before)
{
    const char *at = strstr(name, before);
    char *end;

    if (at == NULL || (at > name && at[-1] != '.'))
        return NULL;
    at += strlen(before);
    if (*at < '0' || *at > '9')
        return NULL;
    *layer = strtoll(at, &end, 10);
    return *end == '.' ? end + 1 : NULL;
}

static struct module split(const char *name, const char *before, bool back)
{
    struct module m = { .text = name, .suffix = "", .layer = -1 };
    const char *inner = find_layer(&m.layer, name, before);
    const char *tail = strrchr(name, '.');

    if (inner != NULL)
        m.text = inner;
    m.n = strlen(m.text);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (tail != NULL && tail > m.text &&
            strcmp(tail, suffixes[i].file) == 0) {
            m.suffix = back ? suffixes[i].file : suffixes[i].gguf;
            m.n = (size_t)(tail - m.text);
        }
    return m;
}

/* ----------------------------------------------------------------- to GGUF */

/* Is it the module of that role? */
static bool is_role(struct lct_convert_gguf_name *out, const struct module *m,
                    const struct lct_net_names *names, enum lct_net_role role)
{
    const char *pattern = lct_net_names_of(names, role);
    const size_t n = pattern != NULL ? strlen(pattern) : 0;

    if (n == 0 || (role == LCT_CORRECTION) != (m->suffix[0] == 0))
        return false;
    if (m->layer >= 0)
        return matches(&out->expert, &out->mark, m->text, m->n, pattern);
    return m->n >= n && memcmp(m->text + m->n - n, pattern, n) == 0 &&
           (m->n == n || m->text[m->n - n - 1] == '.');
}

/* The role of a module; LCT_ROLES: none.  Those from LCT_NORM_ATTN on are of
   layers. */
static enum lct_net_role role_of(struct lct_convert_gguf_name *out,
                                 const struct module *m,
                                 const struct lct_net_names *names)
{
    const enum lct_net_role first = m->layer < 0 ? LCT_EMBED : LCT_NORM_ATTN;
    const enum lct_net_role end = m->layer < 0 ? LCT_NORM_ATTN : LCT_ROLES;
    enum lct_net_role role = first;

    while (role < end && !is_role(out, m, names, role))
        role++;
    return role < end ? role : LCT_ROLES;
}

static bool find_stack(struct lct_convert_gguf_name *out, const char *name,
                       const struct lct_net_names *files,
                       const struct lct_net_names *gguf)
{
    const struct module m = split(name, lct_net_names_layer(files), false);
    const char *suffix = m.suffix[0] != 0 ? m.suffix : ".bias";
    const char *found;

    out->layer = m.layer;
    out->role = m.layer < LAYERS ? role_of(out, &m, files) : LCT_ROLES;
    if (out->role == LCT_ROLES)
        return false;
    found = lct_net_names_of(gguf, out->role);
    if (found == NULL)
        out->kind = out->role >= LCT_HEAD && out->role <= LCT_HEAD_BIAS
                        ? LCT_CONVERT_GGUF_LOST
                        : LCT_CONVERT_GGUF_UNKNOWN;
    else
        out->kind =
            out->mark ? LCT_CONVERT_GGUF_EXPERT : LCT_CONVERT_GGUF_TENSOR;
    if (m.layer < 0)
        snprintf(out->name, sizeof out->name, "%s%s", found ? found : "",
                 suffix);
    else
        snprintf(out->name, sizeof out->name, "%s%" PRId64 ".%s%s",
                 lct_net_names_layer(gguf), m.layer, found ? found : "",
                 suffix);
    return true;
}

void lct_convert_gguf_name(struct lct_convert_gguf_name *out, const char *name,
                           const struct lct_convert_gguf_names *names)
{
    *out = (struct lct_convert_gguf_name){ .role = LCT_ROLES, .layer = -1 };
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (lct_ends_with(name, left_out[i])) {
            out->kind = LCT_CONVERT_GGUF_LEFT_OUT;
            return;
        }
    for (int i = 0; i < 2 && names->files[i] != NULL; i++)
        if (find_stack(out, name, names->files[i], names->gguf[i]))
            return;
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (strcmp(names->family->architecture, "bert") == 0 &&
            strstr(name, lost[i]) != NULL)
            out->kind = LCT_CONVERT_GGUF_LOST;
}

/* ------------------------------------------------------------- the way back */

/* Write the name of a role. */
static void put_back(struct lct_convert_gguf_name *out, const char *name,
                     const struct module *m, int64_t expert, const char *root,
                     const char *layer)
{
    const char *percent = strchr(name, '%');
    const char *suffix = out->role == LCT_CORRECTION ? "" : m->suffix;

    out->kind = percent ? LCT_CONVERT_GGUF_EXPERT : LCT_CONVERT_GGUF_TENSOR;
    if (m->layer < 0)
        snprintf(out->name, sizeof out->name, "%s%s%s",
                 out->role == LCT_HEAD ? "" : root, name, suffix);
    else if (percent == NULL)
        snprintf(out->name, sizeof out->name, "%s%s%" PRId64 ".%s%s", root,
                 layer, m->layer, name, suffix);
    else
        snprintf(out->name, sizeof out->name,
                 "%s%s%" PRId64 ".%.*s%" PRId64 "%s%s", root, layer, m->layer,
                 (int)(percent - name), name, expert, percent + 2, suffix);
}

static bool find_back(struct lct_convert_gguf_name *out, const char *name,
                      int64_t expert, const char *root,
                      const struct lct_net_names *files,
                      const struct lct_net_names *gguf)
{
    const struct module m = split(name, lct_net_names_layer(gguf), true);
    const enum lct_net_role first = m.layer < 0 ? LCT_EMBED : LCT_NORM_ATTN;
    const enum lct_net_role end = m.layer < 0 ? LCT_NORM_ATTN : LCT_ROLES;

    for (enum lct_net_role r = first; r < end && m.layer < LAYERS; r++) {
        const char *here = lct_net_names_of(gguf, r);
        const bool half = r == LCT_K_B || r == LCT_V_B;
        const char *there = lct_net_names_of(files, half ? LCT_KV_B : r);

        if (here == NULL || there == NULL || m.suffix[0] == 0 ||
            strlen(here) != m.n || memcmp(here, m.text, m.n) != 0)
            continue;
        out->role = r;
        out->layer = m.layer;
        put_back(out, there, &m, expert, root, lct_net_names_layer(files));
        return true;
    }
    return false;
}

void lct_convert_gguf_back(struct lct_convert_gguf_name *out, const char *name,
                           int64_t expert,
                           const struct lct_convert_gguf_names *names)
{
    *out = (struct lct_convert_gguf_name){ .role = LCT_ROLES, .layer = -1 };
    if (strncmp(name, "rope_", 5) == 0) {
        out->kind = LCT_CONVERT_GGUF_LEFT_OUT;
        return;
    }
    for (int i = 0; i < 2 && names->files[i] != NULL; i++)
        if (find_back(out, name, expert, names->family->root, names->files[i],
                      names->gguf[i]))
            return;
}
