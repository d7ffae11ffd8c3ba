/* numbers_surface.c - puts losses by trained length and evaluated length */
#include "numbers_extension.h"
#include "surface.h"
#include <inttypes.h>
#include <stdio.h>

/* Index of trained length t among the evaluated lengths. */
static int trained_index(const struct lct_surface *x, int t)
{
    int k = 0;

    while (x->length[k] != x->trained[t])
        k++;
    return k;
}

/* Put the results of encoding e trained at length index t: the loss at each
   evaluated length, its change from the trained length, and its difference from
   that of a model trained at the evaluated length. */
static void put_trained(const struct lct_paired_losses *p, json_t *to, size_t e,
                        int t)
{
    const struct lct_surface *x = p->n->r->surface;
    const int64_t trained = x->trained[t];
    const double *own = lct_surface_at(x, e, t, trained_index(x, t));
    json_t *loss = lct_put_at(p->n, json_object_get(to, "loss"), trained);
    json_t *change = lct_put_at(p->n, json_object_get(to, "change"), trained);
    json_t *above = lct_put_at(p->n, json_object_get(to, "above_own"), trained);

    for (int i = 0; i < x->n_lengths; i++) {
        const double *here = lct_surface_at(x, e, t, i);
        const int64_t length = x->length[i];

        lct_paired_put(p, lct_put_at(p->n, loss, length), here, NULL);
        if (length > trained)
            lct_paired_put(p, lct_put_at(p->n, change, length), here, own);
        for (int u = t + 1; u < x->n_trained; u++)
            if (x->trained[u] == length)
                lct_paired_put(p, lct_put_at(p->n, above, length), here,
                               lct_surface_at(x, e, u, i));
    }
}

static void put_encodings(const struct lct_paired_losses *p, json_t *all)
{
    const struct lct_surface *x = p->n->r->surface;
    json_t *list = lct_put_array(p->n, all, "encodings");

    for (size_t e = 0; e < x->n; e++) {
        json_t *to = lct_add_object(p->n, list), *runs;

        lct_put_object(p->n, to, "loss");
        lct_put_object(p->n, to, "change");
        lct_put_object(p->n, to, "above_own");
        lct_put_text(p->n, to, "encoding", x->encodings[e].spec);
        runs = lct_put_object(p->n, to, "runs");
        for (int t = 0; t < x->n_trained; t++) {
            char key[24];

            snprintf(key, sizeof key, "%" PRId64, x->trained[t]);
            lct_put_counts(p->n, runs, key, x->encodings[e].run[t],
                           (size_t)x->seeds);
            put_trained(p, to, e, t);
        }
    }
}

static void put_plan(struct lct_numbers *n, json_t *all)
{
    const struct lct_surface *x = n->r->surface;
    const locant_train_options *o = &x->train;

    lct_put_counts(n, all, "trained", x->trained, (size_t)x->n_trained);
    lct_put_counts(n, all, "lengths", x->length, (size_t)x->n_lengths);
    lct_put_model(n, all, o->layers, o->width, o->heads, o->ff);
    lct_put_count(n, all, "left_out", (int64_t)x->left_out);
    lct_put_count(n, all, "seeds", x->seeds);
    lct_put_count(n, all, "blocks", x->blocks);
    lct_put_count(n, all, "failures", x->failures);
    lct_put_count(n, all, "steps", o->steps);
    lct_put_count(n, all, "tokens_per_step", o->batch * o->length);
    lct_put_real(n, all, "seconds", x->seconds);
}

void lct_put_surface(struct lct_numbers *n)
{
    const struct lct_surface *x = n->r->surface;
    struct lct_paired_losses p;
    json_t *all;

    if (x == NULL || !lct_paired_alloc(&p, n, x->seeds, x->blocks))
        return;
    all = lct_put_object(n, n->all, "surface");
    put_plan(n, all);
    put_encodings(&p, all);
    locant_release(p.scratch);
}
