/* compare_layer.c - what a layer does with positions, field by field */
#include "../core/error.h"
#include "../core/text.h"
#include "compare.h"
#include "spec_key.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------- differences */

void lct_compare_note(locant_comparison *out, const char *sentence)
{
    if (strstr(out->note, sentence) == NULL)
        LCT_APPEND(out->note, "%s%s", out->note[0] != '\0' ? "  " : "",
                   sentence);
}

locant_model_difference *lct_compare_add(struct lct_layer_pair *p,
                                         const char *field, const char *a,
                                         const char *b)
{
    const int most =
        (int)(sizeof(p->out->differences) / sizeof(p->out->differences[0]));
    locant_model_difference *d = p->out->differences;

    p->out->verdict = LOCANT_DIFFERENT;
    for (int i = 0; i < p->out->n; i++)
        if (strcmp(d[i].field, field) == 0 &&
            strcmp(d[i].tower, p->tower) == 0) {
            d[i].layers += p->counted[i] != p->layer;
            p->counted[i] = p->layer;
            return &d[i];
        }
    if (p->out->n == most)
        return NULL;
    p->counted[p->out->n] = p->layer;
    d += p->out->n++;
    *d = (locant_model_difference){
        .layer = p->layer, .layers = 1, .pair = -1, .position = -1
    };
    (void)snprintf(d->field, sizeof(d->field), "%s", field);
    (void)snprintf(d->tower, sizeof(d->tower), "%s", p->tower);
    (void)snprintf(d->a, sizeof(d->a), "%s", a);
    (void)snprintf(d->b, sizeof(d->b), "%s", b);
    return d;
}

static bool apart(double a, double b, double most)
{
    if (isnan(a) || isnan(b))
        return isnan(a) != isnan(b);
    return fabs(a - b) > most * fmax(fabs(a), fabs(b));
}

static void number_text(char *out, size_t size, double x)
{
    if (isnan(x))
        (void)snprintf(out, size, "none");
    else
        (void)snprintf(out, size, "%.9g", x);
}

void lct_compare_numbers(struct lct_layer_pair *p, const char *field, double a,
                         double b, double most)
{
    locant_model_difference *d;
    char ta[32], tb[32];

    if (!apart(a, b, most))
        return;
    number_text(ta, sizeof(ta), a);
    number_text(tb, sizeof(tb), b);
    d = lct_compare_add(p, field, ta, tb);
    if (d != NULL && d->layers == 1 && !isnan(a) && !isnan(b))
        d->amount = b - a;
}

static void compare_words(struct lct_layer_pair *p, const char *field,
                          const char *const *words, int a, int b)
{
    if (a != b)
        (void)lct_compare_add(p, field, words[a], words[b]);
}

/* ------------------------------------------------------------------- parts */

/* Is the part of an encoding that rotates queries and keys? */
static bool rotates(const char *part)
{
    const locant_encoding_info *row;
    size_t n = strcspn(part, "(");

    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++)
        if (strlen(row->name) == n && strncmp(row->name, part, n) == 0)
            return (row->doors & LOCANT_DOOR_ROTATE) != 0;
    return false;
}

static const char *rotation_of(const struct lct_spec_parts *s)
{
    for (int i = 0; i < s->n; i++)
        if (rotates(s->part[i]))
            return s->part[i];
    return NULL;
}

/* Is the rotation one that units vectors show: the same for all lengths of
 * vectors and both of queries and keys? */
static bool plain(const char *part)
{
    static const char *const names[] = { "rope", "mrope", "rope2d", "rope3d",
                                         NULL };

    for (int i = 0; part != NULL && names[i] != NULL; i++) {
        size_t n = strlen(names[i]);

        if (strncmp(part, names[i], n) == 0 && (part[n] == 0 || part[n] == '('))
            return true;
    }
    return part == NULL;
}

/* Windows or chunks, whose part is 'name'. */
static void compare_sizes(struct lct_layer_pair *p, const char *field,
                          const char *name, double usual,
                          const struct lct_spec_parts *pa,
                          const struct lct_spec_parts *pb)
{
    const char *a = lct_spec_part(pa, name), *b = lct_spec_part(pb, name);
    double wa = a ? lct_spec_number(a, "size", usual) : NAN;
    double wb = b ? lct_spec_number(b, "size", usual) : NAN;
    locant_model_difference *d;

    if (!apart(wa, wb, 0))
        return;
    lct_compare_numbers(p, field, wa, wb, 0);
    d = &p->out->differences[p->out->n - 1];
    if (strcmp(d->field, field) == 0 && d->layers == 1)
        d->position =
            (int64_t)fmin(isnan(wa) ? INFINITY : wa, isnan(wb) ? INFINITY : wb);
}

static bool is_word(const char *part, const char *key, const char *word)
{
    char text[32];

    return lct_spec_value(text, sizeof(text), part, key) &&
           strcmp(text, word) == 0;
}

/*
 * A causal softmax does not see a constant of a row, so press, bloom and mpt
 * are one function.  Falcon rounds to bfloat16 and multiplies by the scale.
 */
static bool same_alibi(const char *a, const char *b, bool causal)
{
    if (strcmp(a, b) == 0)
        return true;
    return causal && !is_word(a, "dialect", "falcon") &&
           !is_word(b, "dialect", "falcon") &&
           is_word(a, "learned", "yes") == is_word(b, "learned", "yes") &&
           lct_spec_number(a, "max", 8) == lct_spec_number(b, "max", 8);
}

static bool causal(const struct lct_layer_pair *p)
{
    return (p->la == NULL || p->la->mask == LCT_CAUSAL) &&
           (p->lb == NULL || p->lb->mask == LCT_CAUSAL);
}

/* Is the part compared elsewhere, or nothing? */
static bool apart_from_rest(const char *part, const char *name)
{
    return strcmp(name, "window") == 0 || strcmp(name, "chunked") == 0 ||
           strcmp(name, "none") == 0 || (rotates(part) && plain(part));
}

/* Everything but rotations, windows and chunks, as text; 'swapped': parts of b,
 * which count if a lacks them. */
static void compare_rest(struct lct_layer_pair *p,
                         const struct lct_spec_parts *a,
                         const struct lct_spec_parts *b, bool swapped)
{
    for (int i = 0; i < a->n; i++) {
        const char *part = a->part[i], *other;
        char name[64];

        (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(part, "("),
                       part);
        if (apart_from_rest(part, name))
            continue;
        other = lct_spec_part(b, name);
        if (other == NULL)
            (void)lct_compare_add(p, name, swapped ? "none" : part,
                                  swapped ? part : "none");
        else if (!swapped && strcmp(part, other) != 0 &&
                 !(strcmp(name, "alibi") == 0 &&
                   same_alibi(part, other, causal(p))))
            (void)lct_compare_add(p, name, part, other);
    }
}

static locant_status compare_specs(struct lct_layer_pair *p, const char *a,
                                   const char *b)
{
    struct lct_spec_parts *pa = locant_alloc(2 * sizeof(*pa)), *pb;
    const char *ra, *rb;
    locant_status s = LOCANT_OK;

    if (pa == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for the parts of a "
                                             "spec");
    pb = pa + 1;
    lct_spec_split(pa, a);
    lct_spec_split(pb, b);
    compare_sizes(p, "window", "window", 256, pa, pb);
    compare_sizes(p, "chunk", "chunked", 8192, pa, pb);
    compare_rest(p, pa, pb, false);
    compare_rest(p, pb, pa, true);
    ra = rotation_of(pa);
    rb = rotation_of(pb);
    if (plain(ra) && plain(rb))
        s = lct_compare_rotation(p, ra, rb);
    locant_release(pa);
    return s;
}

/* ------------------------------------------------------- beside an encoding */

static const char *const attentions[] = { "softmax", "linear", "none" };
static const char *const masks[] = { "causal", "bidirectional", "prefix",
                                     "cross" };
static const char *const norms[] = { "none", "rms", "layer", "l2" };
static const char *const overs[] = { "head", "all heads", "each head" };
static const char *const places[] = { "before the rotation",
                                      "after the rotation" };
static const char *const switches[] = { "no", "yes" };

static double or_none(int64_t x)
{
    return x == 0 ? NAN : (double)x;
}

static void compare_norms(struct lct_layer_pair *p)
{
    const struct lct_qk_norm *a = &p->la->norm, *b = &p->lb->norm;

    compare_words(p, "norm of q and k", norms, (int)a->kind, (int)b->kind);
    if (a->kind == LCT_QK_NONE || b->kind != a->kind)
        return;
    compare_words(p, "norm over", overs, (int)a->over, (int)b->over);
    compare_words(p, "norm place", places, a->after_rotation,
                  b->after_rotation);
    if (!p->other_files)
        compare_words(p, "norm with 1 + weight", switches, a->plus_one,
                      b->plus_one);
    lct_compare_numbers(p, "norm epsilon", a->eps, b->eps, 1e-6);
}

static void compare_fields(struct lct_layer_pair *p)
{
    const struct lct_layer_plan *a = p->la, *b = p->lb;

    compare_words(p, "mask", masks, (int)a->mask, (int)b->mask);
    lct_compare_numbers(p, "heads", (double)a->heads, (double)b->heads, 0);
    lct_compare_numbers(p, "heads of keys", (double)a->kv_heads,
                        (double)b->kv_heads, 0);
    lct_compare_numbers(p, "channels of a head", (double)a->qk_dim,
                        (double)b->qk_dim, 0);
    lct_compare_numbers(p, "channels of values", (double)a->v_dim,
                        (double)b->v_dim, 0);
    lct_compare_numbers(p, "softcap", a->softcap == 0 ? NAN : a->softcap,
                        b->softcap == 0 ? NAN : b->softcap, 1e-6);
    compare_words(p, "sinks", switches, a->sinks, b->sinks);
    lct_compare_numbers(p, "layer of the keys", (double)a->keys_of,
                        (double)b->keys_of, 0);
    lct_compare_numbers(p, "window of an image", or_none(a->grid_window),
                        or_none(b->grid_window), 0);
    compare_norms(p);
}

locant_status lct_compare_layer(struct lct_layer_pair *p)
{
    bool both = p->la != NULL && p->lb != NULL;

    p->out->layers++;
    if (both) {
        compare_words(p, "attention", attentions, (int)p->la->attention,
                      (int)p->lb->attention);
        if (p->la->attention != LCT_SOFTMAX || p->lb->attention != LCT_SOFTMAX)
            return LOCANT_OK;
        compare_fields(p);
    }
    return compare_specs(p, locant_encoding_spec(p->a),
                         locant_encoding_spec(p->b));
}
