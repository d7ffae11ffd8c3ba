/*
 * compare.c - whether two models have the same positions
 */
#include "compare.h"
#include "../core/error.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- operands */

static locant_status open_operand(struct lct_operand *o, const char *text,
                                  enum lct_stack stack)
{
    struct lct_config c;
    struct stat st;
    locant_status s;

    memset(o, 0, sizeof(*o));
    if (text[0] != '{' && stat(text, &st) != 0) {
        s = locant_encoding_create(&o->spec, text);
        o->pairing_given = strstr(text, "pairing") != NULL;
        if (s == LOCANT_OK || s == LOCANT_ERR_NOMEM)
            return s;
    }
    if (text[0] != '{')
        return lct_position_plan_read_as(&o->plan, text, stack);
    LCT_TRY(lct_config_parse(&c, text, strlen(text), "the configuration"));
    s = lct_position_plan_as(&o->plan, &c, stack);
    lct_config_free(&c);
    return s;
}

static void close_operand(struct lct_operand *o)
{
    locant_encoding_free(o->spec);
    lct_position_plan_free(&o->plan);
}

/* ------------------------------------------------------------------ towers */

/* The kind of file: those of one kind store channels in one order. */
static int kind_of(const struct lct_operand *o)
{
    switch (o->plan.dialect) {
    case LCT_DIALECT_HF4:
    case LCT_DIALECT_HF5: return 0;
    default: return (int)o->plan.dialect + 1;
    }
}

/* May the weights of the two have their channels in other orders? */
static bool may_be_reordered(locant_comparison *out,
                             const struct lct_operand *a,
                             const struct lct_operand *b, bool same_file)
{
    if (a->spec != NULL || b->spec != NULL)
        return !(a->pairing_given || b->pairing_given);
    if (same_file)
        return false;
    if (kind_of(a) != kind_of(b)) {
        lct_compare_note(
            out, "The weights of each file are taken to be in the order "
                 "that its kind of file has.");
        return true;
    }
    return !(a->plan.pairing_assumed && b->plan.pairing_assumed);
}

/* The same tower of the other plan; NULL if it has none. */
static const struct lct_tower *tower_like(const struct lct_position_plan *p,
                                          const char *name)
{
    for (int i = 0; i < p->n_towers; i++)
        if (strcmp(p->towers[i].name, name) == 0)
            return &p->towers[i];
    return NULL;
}

static const char *const id_rules[] = { "0, 1, 2, ..", "by the mask",
                                        "beyond padding", "mrope", "grid" };

/* Of what is added to embeddings: a row of a table stands for the same position
   in files of two kinds, of which one has rows before position 0. */
static bool same_input(const struct lct_layer_pair *p, const char *a,
                       const char *b)
{
    static const char table[] = "learned(";
    const char *ends[] = { strstr(a, ",offset="), strstr(b, ",offset=") };
    const size_t na = ends[0] ? (size_t)(ends[0] - a) : strcspn(a, ")");
    const size_t nb = ends[1] ? (size_t)(ends[1] - b) : strcspn(b, ")");

    if (strcmp(a, b) == 0)
        return true;
    return p->other_files && strncmp(a, table, sizeof table - 1) == 0 &&
           na == nb && strncmp(a, b, na) == 0;
}

static void compare_inputs(struct lct_layer_pair *p, const struct lct_tower *a,
                           const struct lct_tower *b)
{
    const char *ia = a->input ? a->input : "none";
    const char *ib = b->input ? b->input : "none";

    p->layer = -1;
    if (!same_input(p, ia, ib))
        (void)lct_compare_add(p, "input", ia, ib);
    lct_compare_numbers(p, "factor of embeddings", a->input_scale,
                        b->input_scale, 1e-6);
    if (a->ids != b->ids)
        (void)lct_compare_add(p, "position ids", id_rules[a->ids],
                              id_rules[b->ids]);
    else if (a->ids == LCT_IDS_PAD)
        lct_compare_numbers(p, "padding id", (double)a->pad, (double)b->pad, 0);
    lct_compare_numbers(p, "number of layers", (double)a->n_layers,
                        (double)b->n_layers, 0);
}

static locant_status compare_towers(struct lct_layer_pair *p,
                                    const struct lct_tower *a,
                                    const struct lct_tower *b)
{
    compare_inputs(p, a, b);
    for (int64_t l = 0; l < a->n_layers && l < b->n_layers; l++) {
        p->layer = l;
        p->la = &a->layers[l];
        p->lb = &b->layers[l];
        p->a = p->la->encoding;
        p->b = p->lb->encoding;
        p->dim = p->la->qk_dim;
        p->dim_b = p->lb->qk_dim;
        if (p->a != NULL && p->b != NULL)
            LCT_TRY(lct_compare_layer(p));
    }
    return LOCANT_OK;
}

static locant_status compare_plans(struct lct_layer_pair *p,
                                   const struct lct_operand *a,
                                   const struct lct_operand *b)
{
    for (int i = 0; i < a->plan.n_towers; i++) {
        const struct lct_tower *t = &a->plan.towers[i];
        const struct lct_tower *u = tower_like(&b->plan, t->name);

        p->tower = t->name;
        if (u != NULL) {
            LCT_TRY(compare_towers(p, t, u));
        } else if (strcmp(t->name, "vision") != 0) {
            p->layer = -1;
            (void)lct_compare_add(p, "tower", t->name, "none");
        }
    }
    for (int i = 0; i < b->plan.n_towers; i++) {
        const struct lct_tower *u = &b->plan.towers[i];

        p->tower = u->name;
        p->layer = -1;
        if (tower_like(&a->plan, u->name) == NULL &&
            strcmp(u->name, "vision") != 0)
            (void)lct_compare_add(p, "tower", "none", u->name);
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- specs */

/* A spec against the layers of the first tower. */
static locant_status compare_spec(struct lct_layer_pair *p,
                                  const struct lct_operand *a,
                                  const struct lct_operand *b)
{
    bool a_is = a->spec != NULL;
    const struct lct_operand *file = a_is ? b : a;
    const struct lct_tower *t = &file->plan.towers[0];
    int first;

    p->tower = t->name;
    lct_compare_note(p->out,
                     "A spec says nothing about scales, norms, caps and ids: "
                     "these are not compared.");
    for (int64_t l = 0; l < t->n_layers; l++) {
        const locant_encoding *of_spec = locant_encoding_layer_of(
            &first, a_is ? a->spec : b->spec, l, t->n_layers);

        p->layer = l;
        p->dim = p->dim_b = t->layers[l].qk_dim;
        p->a = a_is ? of_spec : t->layers[l].encoding;
        p->b = a_is ? t->layers[l].encoding : of_spec;
        if (p->a != NULL && p->b != NULL)
            LCT_TRY(lct_compare_layer(p));
    }
    return LOCANT_OK;
}

/* Two specs, with heads of 128. */
static locant_status compare_two_specs(struct lct_layer_pair *p,
                                       const struct lct_operand *a,
                                       const struct lct_operand *b)
{
    int64_t na = locant_encoding_layer_count(a->spec);
    int64_t nb = locant_encoding_layer_count(b->spec);
    int64_t n = na > nb ? na : nb;
    int first;

    p->tower = "text";
    p->dim = p->dim_b = 128;
    for (int64_t l = 0; l < (n > 0 ? n : 64); l++) {
        p->layer = l;
        p->a = locant_encoding_layer_of(&first, a->spec, l, n);
        p->b = locant_encoding_layer_of(&first, b->spec, l, n);
        LCT_TRY(lct_compare_layer(p));
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- whole */

static int64_t length_of(const struct lct_operand *a,
                         const struct lct_operand *b, int64_t given)
{
    int64_t la = a->plan.length_config, lb = b->plan.length_config;
    int64_t longer = la > lb ? la : lb;

    return given > 0 ? given : longer > 0 ? longer : 131072;
}

static locant_status compare(locant_comparison *out,
                             const struct lct_operand *a,
                             const struct lct_operand *b, bool same_file,
                             int64_t length)
{
    struct lct_layer_pair p = { .out = out };

    out->length = p.length = length_of(a, b, length);
    out->exact = 1;
    out->carries = -1;
    p.reordered = may_be_reordered(out, a, b, same_file);
    p.other_files = kind_of(a) != kind_of(b);
    if (a->spec != NULL && b->spec != NULL)
        return compare_two_specs(&p, a, b);
    if (a->spec != NULL || b->spec != NULL)
        return compare_spec(&p, a, b);
    return compare_plans(&p, a, b);
}

locant_status locant_models_compare(locant_comparison *out, const char *a,
                                    const char *b, locant_stack as,
                                    int64_t length)
{
    const char *fn = "locant_models_compare";
    struct lct_operand oa, ob;
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, a);
    memset(out, 0, sizeof(*out));
    if (length < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: length is %lld, expected at least 0", fn,
                           (long long)length);
    if (as < LOCANT_STACK_TRUE || as > LOCANT_STACK_MLX)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: as is %d, expected one of locant_stack", fn,
                           (int)as);
    LCT_TRY(open_operand(&oa, a, LCT_STACK_TRUE));
    s = open_operand(&ob, b ? b : a, (enum lct_stack)as);
    if (s == LOCANT_OK) {
        s = compare(out, &oa, &ob, b == NULL || strcmp(a, b) == 0, length);
        close_operand(&ob);
    }
    close_operand(&oa);
    return s;
}
