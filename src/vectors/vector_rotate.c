/*
 * vector_rotate.c - rotations of several coordinates, xpos and tables of grids,
 * from the oracles in double
 */
#include "vector_rotate.h"
#include "oracle/pairs.h"
#include "vector_inputs.h"
#include <math.h>
#include <string.h>

enum { D = LCT_VECTOR_DIM, ROWS = 16 };

/* The maps of all positions, which are linear: x'[d] = sum_e map[d][e] x[e]. */
struct maps {
    double of[2][ROWS][D][D]; /* of queries, of keys */
};

static const struct oracle *oracle_for(const struct lct_vector_group *g)
{
    char name[32] = "";
    size_t n = strcspn(g->spec, "(");

    memcpy(name, g->spec, n < sizeof name ? n : sizeof name - 1);
    return oracle_of(name);
}

static struct oracle_call call_of(const struct lct_vector_group *g,
                                  int64_t *positions)
{
    const struct lct_vector_positions *p = g->queries;

    for (int64_t i = 0; i < p->n; i++)
        positions[i] = lct_vector_groups_position(p, i);
    return (struct oracle_call){ .spec = g->spec,
                                 .B = 1,
                                 .H = 1,
                                 .G = 1,
                                 .T = p->n,
                                 .S = p->n,
                                 .D = D,
                                 .W = D,
                                 .q_pos = positions,
                                 .k_pos = positions,
                                 .q_coords = p->coords,
                                 .k_coords = p->coords,
                                 .axes = p->axes,
                                 .scale = 1 / sqrt(D) };
}

/* The largest coordinate: angles are at most that, as frequencies are at most
   1; dinov3 has 2 pi and coordinates below 1. */
static double farthest(const struct lct_vector_group *g)
{
    const struct lct_vector_positions *p = g->queries;
    double most = 16;

    for (int64_t i = 0; i < p->n * p->axes; i++)
        most = fmax(most, p->coords[i]);
    if (p->axes == 0)
        most = fmax(most, (double)lct_vector_groups_position(p, p->n - 1));
    return most;
}

/*
 * How far the angles of a channel at row i are at most: mrope and xpos have
 * base^(-2c/dim) for pair c, whatever the coordinate.
 */
static double angle_of(const struct lct_vector_group *g, int64_t i, int64_t d)
{
    const struct lct_vector_positions *p = g->queries;
    double dim = oracle_number(g->spec, "dim", D), most = 0;
    int adjacent = strncmp(g->spec, "xpos", 4) == 0 ||
                   oracle_word(g->spec, "pairing", "interleaved", 0) ||
                   oracle_word(g->spec, "layout", "glm", 0);

    if (strncmp(g->spec, "xpos", 4) != 0 && strncmp(g->spec, "mrope", 5) != 0)
        return farthest(g);
    for (int a = 0; a < p->axes; a++)
        most = fmax(most, p->coords[i * p->axes + a]);
    if (p->axes == 0)
        most = (double)lct_vector_groups_position(p, i);
    return most *
           pow(oracle_number(g->spec, "base", 10000),
               -2.0 * (double)oracle_pair_of(d, (int64_t)dim, adjacent).c /
                   dim);
}

static void make_maps(struct maps *m, const struct lct_vector_group *g)
{
    const struct oracle *o = oracle_for(g);
    int64_t positions[ROWS];
    struct oracle_call call = call_of(g, positions);

    for (int key = 0; key < 2; key++)
        for (int64_t i = 0; i < call.T; i++)
            for (int e = 0; e < D; e++) {
                cx unit[D] = { 0 };

                unit[e] = 1;
                for (int d = 0; d < D; d++)
                    m->of[key][i][d][e] =
                        creal(o->rotated(&call, key, 0, 0, i, unit, d));
            }
}

/* One rotated channel, and the magnitude of what it is a sum of: the length of
   the row of the map times |a| + |b|. */
static double channel(double *reach, const double (*map)[D],
                      enum lct_vector_input input, int64_t i, int d,
                      int transposed)
{
    double sum = 0, squares = 0, inputs = 0;

    for (int e = 0; e < D; e++) {
        double w = transposed ? map[e][d] : map[d][e];
        double x = lct_vector_inputs_at(input, i * D + e);

        sum += w * x;
        squares += w * w;
        inputs += w != 0 ? fabs(x) : 0;
    }
    *reach = sqrt(squares) * inputs;
    return sum;
}

static void put_rows(struct lct_vector_values *out,
                     const struct lct_vector_group *g, const struct maps *m,
                     const char *name)
{
    int key = name[0] == 'k', back = name[0] == 'd';
    enum lct_vector_input input = key    ? LCT_VECTOR_K
                                  : back ? LCT_VECTOR_DOUT
                                         : LCT_VECTOR_Q;

    for (size_t at = 0; at < out->n; at++) {
        int64_t i = (int64_t)at / D;
        double reach;

        out->value[at] =
            channel(&reach, m->of[key][i], input, i, (int)(at % D), back);
        out->slack[at] = angle_of(g, i, (int64_t)(at % D)) * reach;
        out->reach = fmax(out->reach, reach);
    }
    out->doubt = out->reach * farthest(g) * 0x1p-50;
    out->relative = 1.01;
}

static void put_scores(struct lct_vector_values *out,
                       const struct lct_vector_group *g, const struct maps *m,
                       double factor)
{
    const int64_t S = out->shape[1];

    for (size_t at = 0; at < out->n; at++) {
        int64_t i = (int64_t)at / S, j = (int64_t)at % S;
        double sum = 0, reach = 0, terms = 0, slack = 0;

        for (int d = 0; d < D; d++) {
            double a_reach, b_reach;
            double a = channel(&a_reach, m->of[0][i], LCT_VECTOR_Q, i, d, 0);
            double b = channel(&b_reach, m->of[1][j], LCT_VECTOR_K, j, d, 0);

            sum += a * b;
            reach +=
                fabs(b) * (a_reach + fabs(a)) + fabs(a) * (b_reach + fabs(b));
            terms += (D + 2) * fabs(a * b);
            slack += fabs(b) * a_reach * angle_of(g, i, d) +
                     fabs(a) * b_reach * angle_of(g, j, d);
        }
        out->value[at] = sum * factor;
        out->slack[at] = slack * factor;
        out->reach = fmax(out->reach, reach * factor);
        out->terms = fmax(out->terms, terms * factor);
    }
    out->doubt = out->reach * farthest(g) * 0x1p-50;
    out->relative = 1.01;
}

locant_status lct_vector_rotate_values(struct lct_vector_values *out,
                                       const struct lct_vector_group *g, int k)
{
    const char *name = lct_vector_quantities_of(g->kind)[k].name;
    const struct oracle *o = oracle_for(g);
    struct maps *m = locant_alloc(sizeof *m);
    double factor = o->factor != NULL ? o->factor(g->spec) : 1;

    if (m == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: maps of rotations", g->name);
    make_maps(m, g);
    if (strcmp(name, "scores") == 0)
        put_scores(out, g, m, factor / sqrt(D));
    else
        put_rows(out, g, m, name);
    locant_release(m);
    return LOCANT_OK;
}

void lct_vector_rotate_table(struct lct_vector_values *out,
                             const struct lct_vector_group *g)
{
    const struct oracle *o = oracle_for(g);
    int64_t positions[ROWS];
    struct oracle_call call = call_of(g, positions);
    double far = farthest(g);

    for (size_t at = 0; at < out->n; at++) {
        out->value[at] = creal(
            o->entry(&call, (double)positions[at / D], (int64_t)(at % D)));
        out->slack[at] = far;
    }
    out->reach = 1;
    out->doubt = far * 0x1p-50;
}
