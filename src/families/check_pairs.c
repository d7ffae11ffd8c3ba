/* check_pairs.c - checks G01, G02, A01, A02, L06 and P12: what two files of one
 * model, or a model and an adapter, say together */
#include "check.h"
#include "check_gguf.h"
#include "check_rows.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- sizes */

struct sizes {
    int64_t H, K, d, rot;
};

static struct sizes sizes_of(const struct lct_check *k)
{
    struct sizes s = { .H = k->H, .K = k->K ? k->K : k->H, .d = k->d };

    if (!lct_check_is_gguf(k)) {
        s.rot = k->n_entries > 0 ? k->entries[0].rot : k->d;
        return s;
    }
    s.H = lct_check_gguf_first(k, "attention.head_count", 0);
    s.K = lct_check_gguf_first(k, "attention.head_count_kv", s.H);
    s.d = lct_check_gguf_integer(
        k, "attention.key_length",
        s.H > 0 ? lct_check_gguf_integer(k, "embedding_length", 0) / s.H : 0);
    s.rot = lct_check_gguf_integer(k, "rope.dimension_count", s.d);
    if (s.H > LCT_ROWS_MAX || s.K > LCT_ROWS_MAX || s.d > LCT_ROWS_MAX)
        s = (struct sizes){ 0 };
    return s;
}

/* The pairing of the weights of q and k, recorded or as readers take it. */
static enum lct_recorded_pairing pairing_of(const struct lct_check *k)
{
    const enum lct_recorded_pairing p = lct_check_recorded(k);

    return p != LCT_PAIRING_UNSAID ? p : lct_check_readers(k);
}

/* ------------------------------------------------- two files of one model */

struct pair {
    struct lct_check *k;
    const struct lct_check *other;
    struct sizes sizes;
    enum lct_relation expected;
};

static const char *const relation_names[] = {
    "unrelated", "in the same order",
    "interleaved in this file and half in the other",
    "half in this file and interleaved in the other"
};

/* The relation that two pairings ask for; false if one is not known. */
static bool expect(struct pair *p)
{
    const enum lct_recorded_pairing first = pairing_of(p->k);
    const enum lct_recorded_pairing second = pairing_of(p->other);

    p->expected = first == second ? LCT_ROWS_SAME
                  : first == LCT_PAIRING_INTERLEAVED
                      ? LCT_ROWS_FIRST_INTERLEAVED
                      : LCT_ROWS_SECOND_INTERLEAVED;
    return first != LCT_PAIRING_UNSAID && second != LCT_PAIRING_UNSAID;
}

/* G01 of a pair */
static void wrong_order(const struct pair *p, const char *name,
                        enum lct_relation found)
{
    const char *why =
        found != LCT_ROWS_SAME && p->expected == LCT_ROWS_SAME
            ? "the permutation was made once too often: wrong scores from "
              "position 1 on"
            : "pairs channels that do not belong together: wrong scores from "
              "position 1 on";

    LCT_FIND(p->k, NULL, ID(G01_ROWS), S(name), S(relation_names[found]),
             S(relation_names[p->expected]),
             I(lct_check_is_gguf(p->k) || lct_check_is_gguf(p->other)), S(why));
}

/* G02 */
static void wrong_heads(const struct pair *p, const char *name)
{
    LCT_FIND(p->k, NULL, ID(G02), S(name), I(p->sizes.H),
             I(p->sizes.K * p->sizes.d / p->sizes.H), I(p->sizes.K),
             I(p->sizes.d));
}

/* G16: of a file that lies beside the model nobody said that it is the same. */
static void no_order(const struct pair *p, const char *name,
                     const struct lct_rows *x, const struct lct_rows *y)
{
    if (p->k->options->other == NULL ||
        !lct_check_rows_unrelated(x, y, p->sizes.d, p->sizes.rot))
        return;
    LCT_FIND(p->k, NULL, ID(G16), S(name));
}

/* Keys in the order of heads as many as those of the queries? */
static bool by_query_heads(const struct pair *p, const struct lct_rows *x,
                           const struct lct_rows *y)
{
    const struct sizes *s = &p->sizes;

    return s->K != s->H && s->K * s->d % s->H == 0 && s->rot == s->d &&
           lct_check_rows_relate(x, y, s->K * s->d / s->H, s->K * s->d / s->H,
                                 p->expected) == p->expected;
}

/* G01, G02, G16 */
static enum lct_relation order_of(const struct pair *p, const char *hf,
                                  const char *gguf, bool keys)
{
    const struct lct_weight *a = lct_check_rows_tensor(p->k, hf, gguf);
    const struct lct_weight *b = lct_check_rows_tensor(p->other, hf, gguf);
    const struct sizes *s = &p->sizes;
    struct lct_rows x = { 0 }, y = { 0 };
    const bool loaded =
        lct_check_rows_load(&x, a) && lct_check_rows_load(&y, b);
    enum lct_relation found = LCT_ROWS_OTHER;

    if (loaded)
        found = lct_check_rows_relate(&x, &y, s->d, s->rot, p->expected);
    if (found != LCT_ROWS_OTHER && found != p->expected)
        wrong_order(p, a->name, found);
    if (found == LCT_ROWS_OTHER && loaded && keys && by_query_heads(p, &x, &y))
        wrong_heads(p, a->name);
    else if (found == LCT_ROWS_OTHER && loaded)
        no_order(p, a->name, &x, &y);
    locant_release(x.x);
    locant_release(y.x);
    return found;
}

/* A02: the norm of one head was left in the order of the other file */
static void norm_order(const struct pair *p, enum lct_relation rows,
                       const char *hf, const char *gguf)
{
    const struct lct_weight *a = lct_check_rows_tensor(p->k, hf, gguf);
    const struct lct_weight *b = lct_check_rows_tensor(p->other, hf, gguf);
    const struct sizes *s = &p->sizes;
    struct lct_rows x = { 0 }, y = { 0 };

    if (lct_check_rows_load(&x, a) && lct_check_rows_load(&y, b) &&
        x.n == y.n && s->d >= 2 && x.n % s->d == 0 && s->rot >= 2 &&
        s->rot <= s->d) {
        const double as_rows =
            lct_check_rows_difference(&x, &y, rows, s->d, s->rot);
        const double same =
            lct_check_rows_difference(&x, &y, LCT_ROWS_SAME, s->d, s->rot);

        /* rounding to bfloat16 leaves 2^-9 of a weight, squared 4e-6 */
        if (rows != LCT_ROWS_SAME && same < 1e-4 && as_rows > 10 * same + 1e-4)
            LCT_FIND(p->k, NULL, ID(A02), S(a->name), S(relation_names[rows]));
    }
    locant_release(x.x);
    locant_release(y.x);
}

static void compare_rows(struct pair *p)
{
    enum lct_relation q;

    if (!expect(p) || p->sizes.H <= 0 || p->sizes.K <= 0 || p->sizes.d <= 0)
        return;
    q = order_of(p, "layers.0.self_attn.q_proj.weight", "blk.0.attn_q.weight",
                 false);
    order_of(p, "layers.0.self_attn.k_proj.weight", "blk.0.attn_k.weight",
             true);
    if (q == LCT_ROWS_OTHER)
        return;
    norm_order(p, q, "layers.0.self_attn.q_norm.weight",
               "blk.0.attn_q_norm.weight");
    norm_order(p, q, "layers.0.self_attn.k_norm.weight",
               "blk.0.attn_k_norm.weight");
}

/* ------------------------------------------------------------------- L06 */

/* The divisor of llama3 for a pair of wavelength w. */
static double divisor(const json_t *dict, double original, double w)
{
    const double F = lct_check_real(dict, "factor", 8);
    const double low = lct_check_real(dict, "low_freq_factor", 1);
    const double high = lct_check_real(dict, "high_freq_factor", 4);
    double s;

    if (w < original / high)
        return 1;
    if (w > original / low || high == low)
        return F;
    s = (original / w - low) / (high - low);
    return 1 / ((1 - s) / F + s);
}

static double divisor_error(const struct lct_rows *t,
                            const struct lct_rope_entry *e, double original)
{
    double most = 0;

    for (int64_t c = 0; c < t->n; c++) {
        const double w = 2 * 3.14159265358979323846 *
                         pow(e->base, 2 * (double)c / (double)e->rot);

        most = fmax(most,
                    fabs((double)t->x[c] / divisor(e->dict, original, w) - 1));
    }
    return most;
}

/* L06 */
static void divisors(const struct pair *p)
{
    const struct lct_check *hf = lct_check_is_gguf(p->k) ? p->other : p->k;
    const struct lct_check *gguf = lct_check_is_gguf(p->k) ? p->k : p->other;
    const struct lct_rope_entry *e = hf->n_entries > 0 ? &hf->entries[0] : NULL;
    const struct lct_weight *t =
        gguf->weights ? lct_weights_find(gguf->weights, "rope_freqs.weight")
                      : NULL;
    struct lct_rows x = { 0 };

    if (!lct_check_is_gguf(gguf) || lct_check_is_gguf(hf) || e == NULL ||
        strcmp(e->kind, "llama3") != 0 || e->original <= 0 ||
        !lct_check_rows_load(&x, t))
        return;
    /* float32 divisors computed in float32 differ by some 1e-6 */
    if (x.n == e->rot / 2 && divisor_error(&x, e, e->original) > 1e-3) {
        const bool usual = divisor_error(&x, e, 8192) < 1e-3;

        LCT_FIND(p->k, e, ID(L06), I(usual));
    }
    locant_release(x.x);
}

/* ------------------------------------------------------------------- P12 */

/* The window that layers have; 0: none. */
static int64_t window_of(const struct lct_check *k)
{
    if (lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW) &&
        !lct_check_is_gguf(k) &&
        !lct_check_bool(k->text, "use_sliding_window", false))
        return 0;
    return lct_check_window(k);
}

/* P12 */
static void windows(const struct pair *p)
{
    const int64_t a = window_of(p->k), b = window_of(p->other);

    if (a == b)
        return;
    LCT_FIND(p->k, NULL, ID(P12), I(a), I(b), I(a == b + 1 || b == a + 1));
}

/* ------------------------------------------------------------------- A01 */

static bool turns_queries(const struct lct_weights *adapter)
{
    const struct lct_weight *t;

    for (size_t i = 0; (t = lct_weights_at(adapter, i)) != NULL; i++)
        if (strstr(t->name, "lora_B") != NULL &&
            (strstr(t->name, "q_proj") != NULL ||
             strstr(t->name, "k_proj") != NULL))
            return true;
    return false;
}

/* A01 */
static void adapter(struct lct_check *k)
{
    const struct lct_gguf_arch *arch =
        lct_check_is_gguf(k) ? lct_check_gguf_arch(k->type) : NULL;
    const bool usual_half =
        arch ? arch->permuted || !arch->interleaved
             : lct_check_class_has(k, LCT_CLASS_HALF) ||
                   lct_check_class_has(k, LCT_CLASS_PERMUTED);
    const enum lct_recorded_pairing pairing = pairing_of(k);
    const char *text, *mine, *base = lct_check_pairing(pairing);

    if (k->adapter == NULL || !turns_queries(k->adapter))
        return;
    text = lct_weights_metadata(k->adapter, LCT_WEIGHTS_PAIRING);
    mine = text ? text : usual_half ? "half" : "interleaved";
    if (pairing == LCT_PAIRING_UNSAID || strcmp(mine, base) == 0)
        return;
    LCT_FIND(k, NULL, ID(A01),
             S(strcmp(mine, "half") == 0 ? "half" : "interleaved"),
             I(text == NULL), S(base));
}

void lct_check_pairs(struct lct_check *k)
{
    struct pair p = { .k = k, .other = k->other };

    adapter(k);
    /* beside a model may lie the GGUF file of its projector */
    if (k->other == NULL || (lct_check_is_gguf(k->other) &&
                             lct_check_gguf_arch(k->other->type) == NULL))
        return;
    p.sizes = sizes_of(
        lct_check_is_gguf(k) && !lct_check_is_gguf(k->other) ? k->other : k);
    compare_rows(&p);
    divisors(&p);
    windows(&p);
}
