/*
 * stick_breaking.c - weights that each key takes from what newer keys left.
 *
 * Tan, Yang, Courville, Panda, Shen: Scaling Stick-Breaking Attention: An
 * Efficient Implementation and In-depth Study. 2024. arXiv:2410.17980, section
 * 2 and the authors' code.  From the newest key to the oldest:
 *
 *     p_ij = sigmoid(s_ij) prod over j < t < i of (1 - sigmoid(s_it)),  j < i
 *
 * A key that matches hides what is older, so the order of keys matters and
 * their distances do not: no other encoding is needed.  The weights sum to 1 -
 * rho, rho the product over all keys; the authors add rho v_i.  A query at
 * whose position no key sits has no value to add.  Keys come in the order of
 * positions, and of equal positions, in that of memory.
 */
#include "encoding.h"

enum { CURRENT, REST };
enum { VALUE, DROP };

static const char *const rests[] = { "value", "drop", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "current", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: a query sees the key at its own position, too" },
    { .name = "rest", .kind = LCT_WORD, .def = VALUE, .words = rests,
      .doc = "value: the weight that is left goes to the query's own value; "
      "drop: to none" },
    { 0 }
};
/* clang-format on */

static bool own_rest(const locant_encoding *e)
{
    return e->value[REST] == VALUE;
}

static void hide(char *hidden, const locant_encoding *e,
                 const struct lct_head *head, const int64_t *q_pos, size_t n,
                 int64_t k_pos)
{
    (void)head;
    if (e->value[CURRENT] == 0)
        for (size_t i = 0; i < n; i++)
            hidden[i] |= k_pos >= q_pos[i];
}

static enum lct_visibility classify(const locant_encoding *e,
                                    const struct lct_head *head,
                                    struct lct_span q, struct lct_span k)
{
    (void)head;
    if (e->value[CURRENT] != 0 || k.high < q.low)
        return LCT_VISIBLE_ALL;
    return k.low >= q.high ? LCT_VISIBLE_NONE : LCT_VISIBLE_SOME;
}

static const locant_variant variants[] = {
    { "stick-breaking(current=yes,rest=drop)",
      "with the query's own key, without the rest", "" },
    { 0 }
};

const struct lct_encoding lct_enc_stick_breaking = {
    .info = {
        .name = "stick-breaking",
        .title = "Stick-breaking attention",
        .formula = "p[i,j] = sigmoid(s[i,j]) prod over j < t < i of (1 - "
                   "sigmoid(s[i,t])), j < i; o[i] = sum_j p[i,j] v[j] + (1 - "
                   "sum_j p[i,j]) v[i]",
        .gradient = "ds_j = p_j g_j - sigmoid(s_j) sum over m <= j of p_m g_m, "
                    "g_j = do.(v_j - v_i)",
        .source = "Tan et al. 2024, arXiv:2410.17980, section 2",
        .used_by = "long-context research",
        .pitfalls = "Weights do not sum to 1, and there is no softmax: sinks "
                    "are refused, and lse is ln of the weight that is left.  "
                    "The first query has its own value as output, or 0.",
        .variants = variants,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .mask = { .hide = hide, .classify = classify },
    .weights = { .stick_breaking = true, .own_rest = own_rest },
};
