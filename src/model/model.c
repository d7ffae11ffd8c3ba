/* model.c - create a model, draw its initial values, and access its members */
#include "heads.h"
#include "../core/size.h"
#include <math.h>

static const char fn[] = "lct_model_create";

static locant_tensor view(const struct lct_model_tensor *t, real *flat)
{
    return locant_dense(flat + t->offset, LCT_REAL_DTYPE, t->rank, t->shape);
}

static locant_tensor gradient_view(const struct lct_model *m,
                                   const struct lct_model_tensor *t,
                                   int64_t leaf)
{
    const size_t first = m->size - m->encoding_size; /* of the encoding */
    real *data = lct_has_leaves(m)
                     ? m->leaf_grads + (size_t)leaf * m->encoding_size +
                           (t->offset - first)
                     : m->grads + t->offset;

    return locant_dense(data, LCT_REAL_DTYPE, t->rank, t->shape);
}

static locant_status allocate_params(struct lct_model *m)
{
    const size_t bytes = m->size * sizeof(real);

    m->params = locant_alloc(bytes);
    m->packed = locant_alloc(bytes);
    if (m->train) {
        m->grads = locant_alloc((size_t)m->subtrees * bytes);
        m->transposed = locant_alloc(bytes);
    }
    if (m->params == NULL || m->packed == NULL ||
        (m->train && (m->grads == NULL || m->transposed == NULL)))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %zu bytes of parameters", fn,
                           bytes);
    for (int i = m->encoding_first; i < m->tensor_count; i++)
        for (int64_t l = 0; l < m->config.layers; l++) {
            const struct lct_model_tensor *t = &m->tensors[i];
            const int64_t k = l * m->encoding_count + t->encoding_param;

            if (t->layer >= 0 && t->layer != l)
                continue;
            m->encoding_params[k] = view(t, m->params);
            for (int64_t leaf = 0; m->train && leaf < m->leaves; leaf++)
                lct_layer_grads(m, leaf, l)[t->encoding_param] =
                    gradient_view(m, t, leaf);
        }
    return LOCANT_OK;
}

/* The longest sequence of this model for which the encoding is defined beside a
   full memory, at least 1. */
static int64_t longest(const struct lct_model *m)
{
    int64_t limit = locant_encoding_length_limit(m->config.encoding);

    limit -= limit < INT64_MAX ? m->config.memory : 0;
    return limit < 1 ? 1 : limit < m->length ? limit : m->length;
}

static locant_status build(struct lct_model *m, int64_t batch)
{
    LCT_TRY(lct_model_lay_out_params(m));
    LCT_TRY(lct_model_lay_out_values(m));
    LCT_TRY(allocate_params(m));
    LCT_TRY(lct_leaves_create(m));
    LCT_TRY(lct_sequence_create(m));
    LCT_TRY(lct_input_prepare(m));
    LCT_TRY(lct_input_positions(m, batch, m->config.memory + longest(m)));
    return lct_heads_reserve(m, batch, longest(m), m->config.memory);
}

/* Set the members that depend on the encoding. */
static void set_encoding_members(struct lct_model *m)
{
    const locant_encoding *e = m->config.encoding;
    unsigned traits = locant_encoding_traits(e);
    locant_param_info info;

    m->input_door = (locant_encoding_doors(e) & LOCANT_DOOR_INPUT) != 0;
    m->reads_x = (traits & LOCANT_TRAIT_READS_X) != 0;
    m->real_positions = (traits & LOCANT_TRAIT_REAL) != 0;
    m->chooses_positions = locant_encoding_chooses_positions(e);
    for (int i = 0; locant_encoding_param(&info, e, i, NULL); i++)
        m->table_learns |= (info.doors & LOCANT_DOOR_INPUT) != 0;
    m->rows_differ = m->chooses_positions || m->sequences.leaves > 1;
    m->table_room = m->rows_differ ? m->room : m->length;
}

locant_status lct_model_create(struct lct_model **out,
                               const struct lct_model_config *config,
                               int64_t batch, int64_t length, bool train)
{
    struct lct_model *m;
    locant_status status;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_TRY(lct_model_check(config, batch, length));
    if (train)
        LCT_TRY(lct_leaves_check(&config->leaves, batch));
    LCT_TRY(lct_sequence_check(config, batch, length));
    m = locant_alloc(sizeof(*m));
    if (m == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    m->config = *config;
    m->sequences.leaves = config->leaves.of_row > 1 ? config->leaves.of_row : 1;
    m->rows = batch * (length / m->sequences.leaves);
    m->batch = batch;
    m->room = m->rows + batch * config->memory;
    m->length = length;
    m->train = train;
    m->leaves = 1;
    m->subtrees = 1;
    if (lct_has_leaves(m) || m->sequences.leaves > 1) {
        m->leaves = config->leaves.last - config->leaves.first;
        m->subtrees =
            lct_tree_subtrees(config->leaves.first, config->leaves.last);
    }
    m->head_dim = config->width / config->heads;
    m->kv_width = m->head_dim * config->kv_heads;
    set_encoding_members(m);
    status = build(m, batch);
    if (status != LOCANT_OK) {
        lct_model_free(m);
        return status;
    }
    *out = m;
    return LOCANT_OK;
}

void lct_model_free(struct lct_model *m)
{
    if (m == NULL)
        return;
    lct_sequence_free(m);
    locant_release(m->leaf_room);
    locant_release(m->workspace);
    locant_release(m->activations);
    locant_release(m->layers);
    locant_release(m->transposed);
    locant_release(m->packed);
    locant_release(m->grads);
    locant_release(m->params);
    locant_release(m->encoding_params);
    locant_release(m->tensors);
    locant_release(m);
}

/* ---------------------------------------------------------- initial values */

/* Draw a tensor that is not of the encoding from its own random stream, so that
   its values depend only on the seed and its index. */
static void init_tensor(struct lct_model *m, int index, uint64_t seed)
{
    const struct lct_model_tensor *t = &m->tensors[index];
    const int which = (index - 1) % LCT_LAYER_TENSORS;
    const bool in_layer = index >= 1 && index < m->encoding_first - 2;
    const bool to_residual = in_layer && (which == LCT_WO || which == LCT_W2);
    const double deviation =
        lct_initial_deviation(m) /
        (to_residual ? sqrt(2.0 * (double)m->config.layers) : 1.0);
    locant_random r = { .seed = seed, .stream = (uint64_t)index };
    real *p = m->params + t->offset;

    for (size_t i = 0; i < t->size; i++)
        p[i] = t->rank == 1 ? 1 : (real)(deviation * locant_random_normal(&r));
}

locant_status lct_model_init(struct lct_model *m, uint64_t seed)
{
    for (int i = 0; i < m->encoding_first; i++)
        init_tensor(m, i, seed);
    for (int i = m->encoding_first; i < m->tensor_count; i++) {
        /* All parameters of a layer get one seed, since an encoding may draw
           them together.  Their streams count down from the last one, those of
           the other tensors up from 0. */
        const uint64_t layer = (uint64_t)(m->tensors[i].layer + 1);
        locant_random r = { .seed = seed, .stream = UINT64_MAX - layer };
        uint64_t layer_seed = (uint64_t)locant_random_word(&r) << 32;
        locant_tensor value = view(&m->tensors[i], m->params);

        layer_seed |= locant_random_word(&r);
        LCT_TRY(locant_encoding_param_init(&value, m->config.encoding,
                                           m->tensors[i].encoding_param,
                                           layer_seed));
    }
    return lct_input_scale_table(m);
}

void lct_model_draw(struct lct_model *m, uint64_t seed)
{
    m->draw_seed = seed;
    m->draw_positions = true;
}

void lct_model_project(struct lct_model *m)
{
    for (int i = m->encoding_first; i < m->tensor_count; i++) {
        locant_tensor value = view(&m->tensors[i], m->params);
        locant_status status = locant_encoding_param_project(
            &value, m->config.encoding, m->tensors[i].encoding_param);

        (void)status; /* cannot fail for dense views of the right shape */
    }
}

/* --------------------------------------------------------------- accessors */

const struct lct_model_config *lct_model_config_of(const struct lct_model *m)
{
    return &m->config;
}

int lct_model_subtrees(const struct lct_model *m)
{
    return m->subtrees;
}

size_t lct_model_size(const struct lct_model *m)
{
    return m->size;
}

real *lct_model_params(struct lct_model *m)
{
    return m->params;
}

real *lct_model_grads(struct lct_model *m)
{
    return m->grads;
}

int lct_model_tensors(const struct lct_model *m,
                      const struct lct_model_tensor **out)
{
    *out = m->tensors;
    return m->tensor_count;
}

size_t lct_model_bytes(const struct lct_model *m)
{
    const size_t params = m->size * sizeof(real);

    return params * (size_t)(m->train ? 3 + m->subtrees : 2) +
           m->activation_bytes + m->leaf_floats * sizeof(real) +
           m->sequences.bytes +
           (size_t)(m->rows * m->config.heads * m->sequences.state_width) *
               sizeof(float);
}
