/*
 * rotation.c - queries and keys as the scores see them, in double, and back.
 *
 * Plain rotations use the tables that locant_encoding_rotate() uses;
 * other maps of the rotate door are asked for each row.
 */
#include "problem.h"
#include <string.h>

static struct lct_point point_of(const struct lct_problem *p,
                                 enum lct_role role, int64_t row, int64_t i)
{
    int64_t at = role == LCT_QUERY ? row * p->T + i : row * p->S + i;
    const double *coords = role == LCT_QUERY ? p->q_coords : p->k_coords;

    return (struct lct_point){
        .pos = role == LCT_QUERY ? p->q_pos[at] : p->k_pos[at],
        .coords = coords == NULL ? NULL : coords + at * p->axes,
    };
}

struct lct_places lct_rotation_places(const struct lct_problem *p,
                                      enum lct_role role)
{
    bool content = p->by_terms && p->rotate == NULL;

    return (struct lct_places){
        .s = p->schedule, .by = role == LCT_QUERY ? p->q_by : p->k_by,
        .e = content ? p->content->e : p->rotate->e,
        .pos = role == LCT_QUERY ? p->q_pos : p->k_pos,
        .coords = role == LCT_QUERY ? p->q_coords : p->k_coords,
    };
}

/* x [D] in place by the tables of a schedule. */
static void turn_plain(const struct lct_problem *p, double *x,
                       enum lct_role role, int64_t row, int64_t i, double sign)
{
    bool query = role == LCT_QUERY;
    int64_t at = row * (query ? p->T : p->S) + i;

    lct_rotate_row_f64(x, p->schedule,
                       lct_table_at(query ? p->q_table : p->k_table,
                                    (size_t)(at * p->schedule->pairs)), sign);
}

void lct_rotation_row(double *out, const struct lct_problem *p, const double *x,
                      enum lct_role role, const int64_t at[3])
{
    int64_t row = lct_problem_row(p, at[0]);
    bool turned = role == LCT_KEY && p->keys_turned;

    if (p->turns && !turned) {
        struct lct_point point = point_of(p, role, row, at[2]);

        p->rotate->e->row->rotate.map(out, x, p->rotate, role, at[1], &point);
        return;
    }
    memcpy(out, x, (size_t)p->D * sizeof(*out));
    if (p->schedule != NULL && !turned)
        turn_plain(p, out, role, row, at[2], 1);
}

void lct_rotation_row_backward(double *dx, double *dparam,
                               const struct lct_problem *p, double *dout,
                               const double *x, enum lct_role role,
                               const int64_t at[3])
{
    int64_t row = lct_problem_row(p, at[0]);
    bool turned = role == LCT_KEY && p->keys_turned;

    if (p->turns && !turned) {
        struct lct_point point = point_of(p, role, row, at[2]);
        double *split[LCT_MAX_PARAMS];

        lct_param_gradients_of(split, p, p->rotate, dparam);
        p->rotate->e->row->rotate.backward(dx, split, dout, x, p->rotate, role,
                                         at[1], &point);
        return;
    }
    if (p->schedule != NULL && !turned)
        turn_plain(p, dout, role, row, at[2], -1);
    memcpy(dx, dout, (size_t)p->D * sizeof(*dx));
}
