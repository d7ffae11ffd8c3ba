/* leaf_sums.c - gradients as trees over leaves of queries */
#include "leaf_sums.h"
#include "../core/pool.h"
#include "../core/tree.h"
#include "../kernel/row.h"
#include "param_gradients.h"
#include "real.h"
#include <string.h>

static locant_dtype dtype_of(const struct lct_plan *p)
{
    return p->request->q.dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
}

/* Elements of k, or of v with D channels. */
static size_t elements(const struct lct_plan *p, int64_t D)
{
    return (size_t)(p->B * p->Hkv * p->held_keys * D);
}

/* Those of k_coords. */
static size_t coord_elements(const struct lct_plan *p)
{
    const locant_tensor *t = p->request->a->k_coords;
    size_t n = 1;

    if (t == NULL)
        return 0;
    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

static size_t x_elements(const struct lct_plan *p)
{
    return p->request->has_x ? (size_t)(p->B * p->S * p->W) : 0;
}

void lct_leaf_sums_layout(struct lct_leaf_sums *sums, const struct lct_plan *p,
                          struct lct_arena *arena)
{
    const struct lct_request *r = p->request;

    *sums = (struct lct_leaf_sums){ .size = 0 };
    if (r->leaves == 0 || p->pass == LCT_PASS_REFERENCE ||
        r->paged.table != NULL || r->k.dtype == LOCANT_U8) /* no backward */
        return;
    sums->size = elements(p, p->D) + elements(p, p->Dv) + x_elements(p) +
                 p->params + (size_t)p->H;
    sums->arrays =
        lct_arena_alloc(arena, lct_tree_room(0, r->leaves), (int64_t)sums->size,
                        locant_dtype_size(dtype_of(p)));
    sums->coords = lct_arena_doubles(arena, lct_tree_room(0, r->leaves),
                                     (int64_t)coord_elements(p));
}

/* The sums that are asked for, one after another in an array of a leaf. */
struct leaf {
    const struct lct_leaf_sums *sums;
    const struct lct_plan *p;
    const struct lct_gradient_pass *of; /* of all leaves */
    locant_attention_gradients g;       /* as in 'of', but into the array */
    locant_tensor dk, dv, dx, dsinks, dk_coords;
    size_t params; /* element of the first parameter */
    size_t n;      /* elements */
    size_t coords; /* elements of dk_coords */
};

static void *at(const struct leaf *x, int array, size_t element)
{
    return x->sums->arrays + ((size_t)array * x->sums->size + element) *
                                 locant_dtype_size(dtype_of(x->p));
}

/* Place a tensor of the shape of 'like', unless 'wanted' is NULL. */
static locant_tensor *place(struct leaf *x, locant_tensor *t, int array,
                            const locant_tensor *wanted)
{
    size_t n = 1;

    if (wanted == NULL)
        return NULL;
    *t = locant_dense(at(x, array, x->n), dtype_of(x->p), wanted->rank,
                      wanted->shape);
    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    x->n += n;
    return t;
}

/* Whether gradients of parameters are wanted. */
static bool learns(const struct leaf *x)
{
    return x->p->params > 0 && x->of->g->dparams != NULL;
}

static double *coords_at(const struct leaf *x, int array)
{
    return x->sums->coords + (size_t)array * coord_elements(x->p);
}

static void use_array(struct leaf *x, int array)
{
    const locant_attention_gradients *g = x->of->g;

    if (g->dk_coords != NULL) {
        x->dk_coords = locant_dense(coords_at(x, array), LOCANT_F64,
                                    g->dk_coords->rank, g->dk_coords->shape);
        x->coords = coord_elements(x->p);
    }
    x->n = 0;
    x->g = *g;
    x->g.dk = place(x, &x->dk, array, g->dk);
    x->g.dv = place(x, &x->dv, array, g->dv);
    x->g.dx = place(x, &x->dx, array, g->dx);
    x->params = x->n;
    x->n += learns(x) ? x->p->params : 0;
    x->g.dsinks = place(x, &x->dsinks, array, g->dsinks);
    x->g.dq_coords = NULL; /* no sum over queries */
    x->g.dk_coords = g->dk_coords != NULL ? &x->dk_coords : NULL;
}

/* ---------------------------------------------------------------- one leaf */

/* Leaf l has tiles [l n / L, (l + 1) n / L) of the n tiles of queries. */
static int64_t first_query(const struct lct_plan *p, int64_t l)
{
    const int64_t first = l * p->q_tiles / p->request->leaves * LCT_TILE;

    return first < p->T ? first : p->T;
}

static void run_leaf(struct leaf *x, int64_t l, int array,
                     lct_backward_engine engine)
{
    const struct lct_plan *p = x->p;
    struct lct_gradient_pass pass = *x->of;

    use_array(x, array);
    pass.g = &x->g;
    pass.first = first_query(p, l);
    pass.last = first_query(p, l + 1);
    if (pass.first == pass.last) {
        memset(at(x, array, 0), 0, x->n * locant_dtype_size(dtype_of(p)));
        memset(coords_at(x, array), 0, x->coords * sizeof(double));
        return;
    }
    if (x->g.dsinks != NULL)
        memset(x->dsinks.data, 0,
               (size_t)p->H * locant_dtype_size(dtype_of(p)));
    lct_real_begin_leaf(p);
    engine(p, &pass);
    lct_real_end_backward(p, &x->g);
    if (learns(x))
        lct_row_from_f64(at(x, array, x->params), dtype_of(p),
                         p->gradients->params, p->params);
}

/* -------------------------------------------------------------------- tree */

enum { PART = 1 << 14 };

struct addition {
    const struct leaf *x;
    int array; /* to which the next one is added */
};

static void add_part(void *context, size_t task, int slot)
{
    const struct addition *a = context;
    const size_t from = task * PART, left = a->x->n - from;
    const size_t n = left < PART ? left : PART;
    void *to = at(a->x, a->array, from);
    const void *more = at(a->x, a->array + 1, from);

    (void)slot;
    if (dtype_of(a->x->p) == LOCANT_F64)
        for (size_t i = 0; i < n; i++)
            ((double *)to)[i] += ((const double *)more)[i];
    else
        for (size_t i = 0; i < n; i++)
            ((float *)to)[i] += ((const float *)more)[i];
}

/* Add array + 1 to an array. */
static void add(const struct leaf *x, int array)
{
    struct addition a = { x, array };
    double *to = coords_at(x, array), *more = coords_at(x, array + 1);

    for (size_t i = 0; i < x->coords; i++)
        to[i] += more[i];
    lct_parallel_for((x->n + PART - 1) / PART, x->p->slots, add_part, &a);
}

/* ------------------------------------------------------------------- store */

/* Copy the rows of a tensor of which the last dimension is dense. */
static void store(const locant_tensor *to, const locant_tensor *from)
{
    const int rows = to == NULL ? 0 : to->rank - 1;
    const size_t n = to == NULL ? 0 : (size_t)to->shape[rows];
    int64_t index[LOCANT_MAX_RANK] = { 0 }, count = to != NULL;

    for (int i = 0; i < rows; i++)
        count *= to->shape[i];
    for (int64_t row = 0; row < count; row++) {
        const char *data = lct_at(from, index, rows);

        if (from->dtype == LOCANT_F64)
            lct_row_from_f64(lct_at(to, index, rows), to->dtype,
                             (const double *)data, n);
        else
            lct_row_from_f32(lct_at(to, index, rows), to->dtype,
                             (const float *)data, n);
        for (int i = rows - 1; i >= 0 && ++index[i] == to->shape[i]; i--)
            index[i] = 0;
    }
}

/* Add the sums of array 0 to dsinks. */
static void add_sinks(const struct leaf *x)
{
    const locant_tensor *to = x->of->g->dsinks;

    for (int64_t h = 0; to != NULL && h < x->p->H; h++) {
        double sum, more;

        lct_row_to_f64(&sum, lct_at(to, &h, 1), to->dtype, 1);
        lct_row_to_f64(&more, lct_at(&x->dsinks, &h, 1), x->dsinks.dtype, 1);
        sum += more;
        lct_row_from_f64(lct_at(to, &h, 1), to->dtype, &sum, 1);
    }
}

void lct_leaf_sums_backward(const struct lct_leaf_sums *sums,
                            const struct lct_plan *p,
                            const struct lct_gradient_pass *pass,
                            lct_backward_engine engine)
{
    struct leaf x = { .sums = sums, .p = p, .of = pass };
    struct lct_tree tree;

    lct_tree_begin(&tree, 0, 0); /* its order only */
    while (tree.next < p->request->leaves && !lct_pool_cancelled()) {
        int array = tree.count;

        run_leaf(&x, tree.next, array, engine);
        lct_tree_add(&tree, NULL);
        for (; array >= tree.count; array--)
            add(&x, array - 1);
    }
    if (lct_pool_cancelled()) /* array 0 may not be written */
        return;
    use_array(&x, 0);
    store(pass->g->dk, &x.dk);
    store(pass->g->dv, &x.dv);
    store(pass->g->dx, &x.dx);
    store(pass->g->dk_coords, &x.dk_coords);
    add_sinks(&x);
    if (!learns(&x))
        return;
    lct_row_to_f64(p->gradients->params, at(&x, 0, x.params), dtype_of(p),
                   p->params);
    lct_param_gradients_accumulate(p, pass->g->dparams);
}
