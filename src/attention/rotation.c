/* rotation.c - rotate or map queries and keys in double, and gradients */
#include "rotation.h"
#include "../kernel/row.h"
#include "param_gradients.h"
#include "token_angles.h"
#include <string.h>

/* Are such rows still to be rotated?  The caller may have rotated keys. */
static bool rotates(const struct lct_plan *p, enum lct_role role)
{
    return role == LCT_QUERY || !p->request->rotated_keys;
}

struct lct_places lct_rotation_places(const struct lct_plan *p,
                                      enum lct_role role)
{
    const struct lct_tables *tables = p->tables;
    const struct lct_call *call =
        tables->rotate != NULL ? tables->rotate : tables->content;
    bool query = role == LCT_QUERY;
    /* Tables of coordinates may have more rows than those of positions. */
    bool by_pos = !p->request->coords_by_head;

    return (struct lct_places){
        .s = p->schedule,
        .by = query ? tables->q_schedule : tables->k_schedule,
        .e = call->e,
        .pos = !by_pos ? NULL
               : p->request->relations != NULL
                   ? (query ? tables->q_place[0] : tables->k_place)
                   : (query ? tables->q_pos : tables->k_pos),
        .coords = query ? tables->q_coords : tables->k_coords,
    };
}

static struct lct_point point_of(const struct lct_plan *p, enum lct_role role,
                                 const int64_t at[3])
{
    const struct lct_places x = lct_rotation_places(p, role);
    int64_t row = lct_tables_row(p, role, at[0], at[1], at[2]);

    return (struct lct_point){
        .pos = x.pos == NULL ? 0 : x.pos[row],
        .coords = x.coords == NULL ? NULL : x.coords + row * p->request->axes,
    };
}

/* Rotate x [D] in place by the tables of a schedule. */
static void rotate_plain(const struct lct_plan *p, double *x,
                         enum lct_role role, const int64_t at[3], double sign)
{
    lct_rotate_row_f64(
        x, p->schedule,
        lct_tables_angles(p, p->tables->angles, role, at[0], at[1], at[2]),
        sign);
}

void lct_rotation_row(double *out, const struct lct_plan *p, const double *x,
                      enum lct_role role, const int64_t at[3])
{
    const struct lct_call *call = p->tables->rotate;

    if (p->request->token_angles != NULL) {
        lct_token_angles_rotate(out, p, x, role, at);
        return;
    }
    if (p->request->general_map && rotates(p, role)) {
        struct lct_point point = point_of(p, role, at);

        call->e->row->rotate.map(out, x, call, role, at[1], &point);
        return;
    }
    memcpy(out, x, (size_t)p->D * sizeof(*out));
    if (p->schedule != NULL && rotates(p, role))
        rotate_plain(p, out, role, at, 1);
}

void lct_rotation_relation(double *out, const struct lct_plan *p,
                           const double *x, int r, const int64_t at[3])
{
    memcpy(out, x, (size_t)p->D * sizeof(*out));
    lct_rotate_row_f64(out, p->schedule,
                       lct_tables_relation_angles(p, r, at[0], at[2]), 1);
}

void lct_rotation_relation_backward(double *dx, const struct lct_plan *p,
                                    double *dout, int r, const int64_t at[3])
{
    lct_rotate_row_f64(dout, p->schedule,
                       lct_tables_relation_angles(p, r, at[0], at[2]), -1);
    for (int64_t d = 0; d < p->D; d++)
        dx[d] += dout[d];
}

void lct_rotation_row_backward(double *dx, double *dparam,
                               const struct lct_plan *p, double *dout,
                               const double *x, enum lct_role role,
                               const int64_t at[3])
{
    const struct lct_call *call = p->tables->rotate;

    if (p->request->token_angles != NULL) {
        lct_token_angles_rotate_backward(dx, p, dout, x, role, at);
        return;
    }
    if (p->request->general_map && rotates(p, role)) {
        struct lct_point point = point_of(p, role, at);
        double *gradients[LCT_MAX_PARAMS];

        lct_param_gradients_of(gradients, p, call, dparam);
        call->e->row->rotate.backward(dx, gradients, dout, x, call, role, at[1],
                                      &point);
        return;
    }
    if (p->schedule != NULL && rotates(p, role))
        rotate_plain(p, dout, role, at, -1);
    memcpy(dx, dout, (size_t)p->D * sizeof(*dx));
}

void lct_rotation_value(const struct lct_plan *p, double *x, enum lct_role role,
                        const int64_t at[3], double sign)
{
    if (role == LCT_QUERY ? p->rotates_outputs : p->rotates_values)
        rotate_plain(p, x, role, at, sign);
}

/* Where row 'at' = b, h, i of q or k is; of a part, k has some of the keys. */
struct place {
    const locant_tensor *x;
    int64_t at[3];
};

static struct place place_of(const struct lct_plan *p, enum lct_role role,
                             const int64_t at[3])
{
    bool key = role == LCT_KEY;

    return (struct place){ key ? &p->request->k : &p->request->q,
                           { at[0], at[1], at[2] - (key ? p->first_key : 0) } };
}

void lct_rotation_load_row(float *to, const struct lct_plan *p, double *mapped,
                           enum lct_role role, const int64_t at[3])
{
    const struct place from = place_of(p, role, at);
    double *x = mapped, *y = x + p->D;

    if (role == LCT_KEY)
        lct_paged_row_to_f64(x, &p->request->paged, from.x, from.at);
    else
        lct_row_to_f64(x, lct_at(from.x, from.at, 3), from.x->dtype,
                       (size_t)p->D);
    lct_rotation_row(y, p, x, role, at);
    lct_row_from_f64(to, LOCANT_F32, y, (size_t)p->Dq);
    memset(to + p->Dq, 0, (size_t)(p->padded_q - p->Dq) * sizeof(*to));
}

void lct_rotation_load_row_backward(const locant_tensor *dx, double *dparam,
                                    const struct lct_plan *p, const float *from,
                                    const float *added, double *mapped,
                                    enum lct_role role, const int64_t at[3])
{
    const struct place raw = place_of(p, role, at);
    double *x = mapped, *dy = x + p->D, *back = dy + p->Dq;

    lct_row_to_f64(x, lct_at(raw.x, raw.at, 3), raw.x->dtype, (size_t)p->D);
    lct_row_to_f64(dy, from, LOCANT_F32, (size_t)p->Dq);
    lct_rotation_row_backward(back, dparam, p, dy, x, role, at);
    if (added != NULL)
        for (int64_t d = 0; d < p->Dv; d++)
            back[d] += (double)added[d];
    if (dx != NULL)
        lct_row_from_f64(lct_at(dx, raw.at, 3), dx->dtype, back, (size_t)p->D);
}
