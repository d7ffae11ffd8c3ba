/* check_tensors.c - checks that look at tensors: G01, G10, G14, L09, P19, P21,
 * W07, W14, A03 */
#include "check.h"
#include "../core/text.h"
#include "check_gguf.h"
#include "convert_names.h"
#include <stdio.h>
#include <string.h>

/* The first tensor whose name ends so, of any tower or of the text part. */
static const struct lct_weight *find(const struct lct_weights *w,
                                     const char *end, bool any)
{
    const struct lct_weight *t;
    const size_t m = strlen(end);

    for (size_t i = 0; w != NULL && (t = lct_weights_at(w, i)) != NULL; i++) {
        const size_t n = strlen(t->name);
        const char *at = t->name + (n < m ? 0 : n - m);

        if (strcmp(at, end) == 0 && (n == m || at[-1] == '.') &&
            (any || !lct_convert_name_is_other(t->name, at)))
            return t;
    }
    return NULL;
}

const struct lct_weight *lct_check_tensor(const struct lct_weights *w,
                                          const char *end)
{
    return find(w, end, false);
}

/* ------------------------------------------------------------------ pairing */

/* G01: the pairing that the file records is not what its readers take */
static void recorded_pairing(struct lct_check *k)
{
    const enum lct_recorded_pairing mine = lct_check_recorded(k);
    const enum lct_recorded_pairing readers = lct_check_readers(k);

    if (mine == LCT_PAIRING_UNSAID || readers == LCT_PAIRING_UNSAID ||
        mine == readers)
        return;
    LCT_FIND(k, NULL, ID(G01_RECORDED), S(lct_check_pairing(mine)),
             S(lct_check_pairing(readers)));
}

/* ------------------------------------------------------------------- shapes */

/* P19 */
static void sinks(struct lct_check *k)
{
    if (!lct_check_is(k, "gpt_oss") || k->weights == NULL || k->H <= 0)
        return;
    for (int64_t l = 0; l < k->L && l < 4096; l++) {
        const struct lct_weight *t;
        char name[64];

        snprintf(name, sizeof name, "layers.%lld.self_attn.sinks",
                 (long long)l);
        t = lct_check_tensor(k->weights, name);
        if (t != NULL && t->rank == 1 && t->shape[0] == k->H)
            continue;
        LCT_FIND(k, NULL, ID(P19), S(t ? t->name : name), I(l),
                 I(t ? t->shape[0] : 0), I(t != NULL));
        return;
    }
}

/* Rows before the one of position 0. */
static int64_t table_offset(const struct lct_check *k)
{
    const int64_t pad = lct_check_integer(k->text, "pad_token_id", 1);

    if (strcmp(k->type, "opt") == 0)
        return 2;
    if (strstr(k->type, "roberta") != NULL || strcmp(k->type, "camembert") == 0)
        return pad >= 0 && pad < 1 << 20 ? pad + 1 : 2;
    return 0;
}

/* The length of a class with a learned table; 0: it has none. */
static int64_t learned_length(const struct lct_check *k)
{
    static const struct {
        const char *type;
        int64_t length;
    } known[] = { { "bert", 512 },        { "roberta", 512 },
                  { "xlm-roberta", 512 }, { "camembert", 512 },
                  { "gpt2", 1024 },       { "opt", 2048 },
                  { "distilbert", 512 },  { "electra", 512 } };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(k->type, known[i].type) != 0)
            continue;
        if (lct_check_is_gguf(k))
            return lct_check_gguf_integer(k, "context_length", known[i].length);
        return k->M > 0 ? k->M : known[i].length;
    }
    return 0;
}

/* P21 */
static void learned_table(struct lct_check *k)
{
    static const char *const ends[] = { "position_embeddings.weight",
                                        "wpe.weight", "embed_positions.weight",
                                        "position_embd.weight" };
    const struct lct_weight *t = NULL;
    const int64_t offset = table_offset(k), M = learned_length(k);
    const bool opt = strcmp(k->type, "opt") == 0;
    int64_t rows = M + (opt ? 2 : 0);
    const int64_t wanted = rows, length = k->options->length;

    if (M == 0)
        return;
    for (size_t i = 0; i < 4 && t == NULL; i++)
        t = lct_check_tensor(k->weights, ends[i]);
    if (t != NULL)
        rows = t->shape[0];
    if (rows <= 0 || (rows >= wanted && length <= rows - offset))
        return;
    LCT_FIND(k, NULL, ID(P21), S(t ? t->name : "max_position_embeddings"),
             I(rows), I(rows - offset),
             I(length > rows - offset ? length : wanted),
             I(length > rows - offset));
}

/* W07 and W14 from the shapes */
static void head_shapes(struct lct_check *k)
{
    const struct lct_weight *q =
        lct_check_tensor(k->weights, "layers.0.self_attn.q_proj.weight");
    const struct lct_weight *kv = lct_check_tensor(
        k->weights, "layers.0.self_attn.kv_a_proj_with_mqa.weight");
    const int64_t rank = lct_check_integer(k->text, "kv_lora_rank", 512);
    const int64_t rope = lct_check_integer(k->text, "qk_rope_head_dim", 64);
    struct lct_draft *f;
    int64_t width;

    if (kv != NULL && kv->rank == 2 && lct_check_class_has(k, LCT_CLASS_MLA) &&
        kv->shape[0] - rank != rope)
        LCT_FIND(k, NULL, ID(W14_ROWS), S(kv->name), I(kv->shape[0]), I(rank),
                 I(kv->shape[0] - rank), I(rope));
    if (q == NULL || q->rank != 2 || k->H <= 0 || k->d <= 0 ||
        lct_check_class_has(k, LCT_CLASS_MLA) || q->shape[0] == k->H * k->d)
        return;
    width = q->shape[0] % k->H == 0 ? q->shape[0] / k->H : 0;
    f = LCT_FIND(k, NULL, ID(W07_ROWS), S(q->name), I(q->shape[0]), I(width));
    lct_check_severity(f, LOCANT_FINDING_ERROR);
    if (width > 0)
        lct_check_fix(f, "head_dim", json_integer(width));
}

/* G10, L09: divisors of frequencies in a GGUF file */
static void divisors(struct lct_check *k)
{
    static const char *const names[] = { "rope_freqs.weight",
                                         "rope_factors_long.weight",
                                         "rope_factors_short.weight" };
    const int64_t H = lct_check_gguf_first(k, "attention.head_count", 0);
    const int64_t D = lct_check_gguf_integer(k, "embedding_length", 0);
    const int64_t width = H > 0 ? D / H : 0;
    const int64_t rot = lct_check_gguf_integer(
        k, "rope.dimension_count",
        lct_check_gguf_integer(k, "attention.key_length", width));

    for (int i = 0; i < 3; i++) {
        const struct lct_weight *t = lct_weights_find(k->weights, names[i]);

        if (t == NULL || rot <= 0 || (t->rank == 1 && t->shape[0] == rot / 2))
            continue;
        LCT_FIND(k, NULL, i == 0 ? ID(G10_COUNT) : ID(L09_COUNT), S(names[i]),
                 I(t->shape[0]), I(rot), I(rot / 2));
    }
    if (strcmp(k->type, "llama") != 0 ||
        lct_weights_find(k->weights, names[0]) != NULL ||
        lct_check_gguf_real(k, "rope.freq_base", 0) != 500000 ||
        lct_check_gguf_integer(k, "context_length", 0) <= 8192)
        return;
    LCT_FIND(k, NULL, ID(G10_ABSENT), S(names[0]),
             I(lct_check_gguf_integer(k, "context_length", 0)));
}

/* X06 */
static void longrope_lists(struct lct_check *k)
{
    static const char name[] = "rope_factors_long.weight";
    const int64_t length = lct_check_gguf_integer(k, "context_length", 0);
    const int64_t original = lct_check_gguf_integer(
        k, "rope.scaling.original_context_length", length);

    if (strcmp(k->type, "phi3") != 0 || length <= original ||
        lct_weights_find(k->weights, name) != NULL)
        return;
    LCT_FIND(k, NULL, ID(X06), S(name), I(length), I(original));
}

/* G14 */
static void query_rows(struct lct_check *k)
{
    const struct lct_weight *q =
        lct_weights_find(k->weights, "blk.0.attn_q.weight");
    const int64_t H = lct_check_gguf_first(k, "attention.head_count", 0);
    const int64_t D = lct_check_gguf_integer(k, "embedding_length", 0);
    const int64_t width =
        lct_check_gguf_integer(k, "attention.key_length", H > 0 ? D / H : 0);
    char key[128];

    if (q == NULL || q->rank != 2 || H <= 0 || H > 65536 || width <= 0 ||
        width > 65536 || q->shape[0] == H * width ||
        strcmp(k->type, "deepseek2") == 0)
        return;
    LCT_FIND(k, NULL, ID(G14), I(q->shape[0]), I(H), I(width), I(H * width),
             I(!lct_check_has(k->text, key)), I(q->shape[0] / H));
}

/* A03 */
static void stored_angles(struct lct_check *k)
{
    static const char *const ends[] = { "inv_freq", "cos_cached", "sin_cached",
                                        "position_ids" };
    const struct lct_weight *t;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        t = find(k->weights, ends[i], true);
        if (t == NULL || !lct_is_among("BF16 F16", t->type->name) ||
            (k->M > 0 && k->M <= 256))
            continue;
        LCT_FIND(k, NULL, ID(A03), S(t->name), S(t->type->name),
                 I(strcmp(t->type->name, "BF16") == 0));
        return;
    }
}

void lct_check_tensors(struct lct_check *k)
{
    learned_table(k);
    if (k->weights == NULL)
        return;
    recorded_pairing(k);
    stored_angles(k);
    if (lct_check_is_gguf(k)) {
        divisors(k);
        longrope_lists(k);
        query_rows(k);
        return;
    }
    sinks(k);
    head_shapes(k);
}
