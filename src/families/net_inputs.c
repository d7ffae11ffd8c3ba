/* net_inputs.c - inputs that layers have beside the states (Gemma 3n and 4) */
#include "net_inputs.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_norm.h"
#include <math.h>

locant_status lct_net_inputs_bind(struct lct_net_stack *s,
                                  struct lct_net_binder *b)
{
    const int64_t layers = s->plan->n_layers;
    int64_t all, rows = -1;

    if (!lct_net_bind_knows(b, LCT_INPUTS_EMBED))
        return LOCANT_OK;
    s->inputs_width = 256;
    LCT_TRY(lct_net_family_keys_whole(&s->inputs_width, &b->n->config,
                                      "hidden_size_per_layer_input"));
    if (s->inputs_width == 0)
        return LOCANT_OK;
    all = layers * s->inputs_width;
    LCT_TRY(lct_net_family_keys_width(&rows, &b->n->config,
                                      "vocab_size_per_layer_input"));
    LCT_TRY(lct_net_bind_matrix(&s->inputs_embed, b, LCT_INPUTS_EMBED,
                                ".weight", 2, (int64_t[2]){ rows, all }));
    LCT_TRY(lct_net_bind_linear(&s->inputs_project, b, LCT_INPUTS_PROJECT, all,
                                b->n->width));
    return lct_net_bind_norm(&s->inputs_norm, b, LCT_INPUTS_NORM,
                             s->inputs_width);
}

locant_status lct_net_inputs_bind_layer(struct lct_net_input *in,
                                        struct lct_net_binder *b)
{
    const int64_t width = b->n->text.inputs_width, D = b->n->width;

    if (width == 0)
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_linear(&in->gate, b, LCT_INPUT_GATE, width, D));
    LCT_TRY(lct_net_bind_linear(&in->out, b, LCT_INPUT_OUT, D, width));
    return lct_net_bind_norm(&in->norm, b, LCT_INPUT_NORM, D);
}

locant_status lct_net_inputs_make(void *out, const int64_t *ids, const void *x,
                                  int64_t rows, struct lct_net_room *room)
{
    const struct lct_net *n = room->n;
    const struct lct_net_math *m = n->math;
    const struct lct_net_stack *s = &n->text;
    const int64_t all = s->inputs_embed.in;
    const size_t mark = room->used;
    void *token = lct_net_take(room, 1, all);

    LCT_NET_GOT(token);
    lct_net_linear_forward(out, x, rows, &s->inputs_project, room);
    m->scale(out, 1 / sqrt((double)n->width), rows * all);
    lct_net_norm_rows(out, out, rows * s->n_layers, m, &s->inputs_norm);
    for (int64_t r = 0; r < rows; r++) {
        void *row = lct_net_math_at(m, out, r * all);

        lct_net_matrix_rows(token, n, &s->inputs_embed,
                            ids[r] < s->inputs_embed.out ? ids[r] : 0, 1);
        m->add(row, token, sqrt((double)s->inputs_width), all);
        m->scale(row, sqrt(0.5), all);
    }
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}

locant_status lct_net_inputs_add(void *y, const void *x, int64_t rows,
                                 const struct lct_net_layer *l, int64_t layer,
                                 const void *all, struct lct_net_room *room)
{
    const struct lct_net_math *m = room->n->math;
    const struct lct_net_stack *s = &room->n->text;
    const int64_t width = s->inputs_width;
    const size_t mark = room->used;
    void *gate = lct_net_take(room, rows, width);

    LCT_NET_GOT(gate);
    lct_net_linear_forward(gate, x, rows, &l->input.gate, room);
    m->activate(gate, room->n->act, rows * width);
    for (int64_t r = 0; r < rows; r++)
        m->multiply(
            lct_net_math_at(m, gate, r * width),
            lct_net_math_at(m, all, r * s->inputs_embed.in + layer * width),
            width);
    lct_net_linear_forward(y, gate, rows, &l->input.out, room);
    lct_net_norm_rows(y, y, rows, m, &l->input.norm);
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}
