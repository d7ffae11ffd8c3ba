/* net_inputs.c - inputs that layers have beside the states (Gemma 3n and 4) */
#include "net_inputs.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_mlp.h"
#include "net_norm.h"
#include <math.h>

locant_status lct_net_inputs_bind(struct lct_net_stack *s,
                                  struct lct_net_binder *b)
{
    const struct lct_net_place embed = { LCT_INPUTS_EMBED, -1, -1 };
    const struct lct_net_place project = { LCT_INPUTS_PROJECT, -1, -1 };
    const struct lct_net_place norm = { LCT_INPUTS_NORM, -1, -1 };
    const int64_t layers = s->plan->n_layers;
    const struct lct_weight *w;
    int64_t all, rows = -1;

    if (lct_net_names_role(&b->prefix, LCT_INPUTS_EMBED) == NULL)
        return LOCANT_OK;
    s->inputs_width = 256;
    LCT_TRY(lct_net_family_keys_whole(&s->inputs_width, &b->n->config,
                                      "hidden_size_per_layer_input"));
    if (s->inputs_width == 0)
        return LOCANT_OK;
    all = layers * s->inputs_width;
    LCT_TRY(lct_net_family_keys_width(&rows, &b->n->config,
                                      "vocab_size_per_layer_input"));
    LCT_TRY(lct_net_bind_need(&w, b, embed, ".weight"));
    LCT_TRY(lct_net_bind_shape(b->n, w, 2, (int64_t[2]){ rows, all }));
    LCT_TRY(lct_net_bind_blocks(b->n, w, all));
    s->inputs_embed = (struct lct_net_matrix){ .weight = w,
                                               .out = w->shape[0],
                                               .in = all,
                                               .row = all,
                                               .group = w->shape[0],
                                               .step = w->shape[0] };
    LCT_TRY(lct_net_bind_linear(&s->inputs_project, b, project, all,
                                b->n->width, 0, NULL));
    return lct_net_bind_norm(&s->inputs_norm, b, norm, s->inputs_width);
}

locant_status lct_net_inputs_bind_layer(struct lct_net_input *in,
                                        struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_place gate = { LCT_INPUT_GATE, i, -1 };
    const struct lct_net_place out = { LCT_INPUT_OUT, i, -1 };
    const struct lct_net_place norm = { LCT_INPUT_NORM, i, -1 };
    const int64_t width = b->n->text.inputs_width, D = b->n->width;

    if (width == 0)
        return LOCANT_OK;
    LCT_TRY(lct_net_mlp_act(&in->act, b));
    LCT_TRY(lct_net_bind_linear(&in->gate, b, gate, width, D, 0, NULL));
    LCT_TRY(lct_net_bind_linear(&in->out, b, out, D, width, 0, NULL));
    return lct_net_bind_norm(&in->norm, b, norm, D);
}

int64_t lct_net_inputs_scratch(const struct lct_net *n, int64_t rows)
{
    return rows * n->text.inputs_width;
}

locant_status lct_net_inputs_make(void *out, const int64_t *ids, const void *x,
                                  int64_t rows, const struct lct_net *n,
                                  const struct lct_net_room *room)
{
    const struct lct_net_math *m = n->math;
    const struct lct_net_stack *s = &n->text;
    const int64_t all = s->inputs_embed.in;
    void *token = locant_alloc((size_t)all * m->item);

    if (token == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    lct_net_linear_forward(out, all, x, rows, n, &s->inputs_project, room);
    m->scale(out, 1 / sqrt((double)n->width), rows * all);
    lct_net_norm_rows(out, out, rows * s->n_layers, m, &s->inputs_norm);
    for (int64_t r = 0; r < rows; r++) {
        void *row = lct_net_math_at(m, out, r * all);

        lct_net_matrix_rows(token, n, &s->inputs_embed,
                            ids[r] < s->inputs_embed.out ? ids[r] : 0, 1);
        m->add(row, token, sqrt((double)s->inputs_width), all);
        m->scale(row, sqrt(0.5), all);
    }
    locant_release(token);
    return LOCANT_OK;
}

void lct_net_inputs_add(void *y, const void *x, int64_t rows,
                        const struct lct_net *n, const struct lct_net_input *in,
                        const struct lct_net_inputs *inputs,
                        const struct lct_net_room *room)
{
    const struct lct_net_math *m = n->math;
    const int64_t width = n->text.inputs_width, all = n->text.inputs_embed.in;
    void *gate = inputs->scratch;

    lct_net_linear_forward(gate, width, x, rows, n, &in->gate, room);
    m->activate(gate, in->act, rows * width);
    for (int64_t r = 0; r < rows; r++)
        m->multiply(
            lct_net_math_at(m, gate, r * width),
            lct_net_math_at(m, inputs->all, r * all + inputs->layer * width),
            width);
    lct_net_linear_forward(y, n->width, gate, rows, n, &in->out, room);
    lct_net_norm_rows(y, y, rows, m, &in->norm);
}
