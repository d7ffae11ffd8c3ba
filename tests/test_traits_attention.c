/*
 * test_traits_attention.c - attention with every encoding, F32 and F64: wrong
 * parameters and positions are refused and nothing is written; both dtypes, the
 * reference and any number of threads agree.
 */
#include "traits_run.h"

enum { ROOM = 1 << 26 };

static const char *const names[] = { "locant_attention_forward",
                                     "locant_attention_reference",
                                     "locant_attention_backward",
                                     "locant_attention_reference_backward",
                                     "locant_attention_workspace" };

/* A run as tensors of one dtype, in guarded memory. */
struct call {
    const struct subject *s;
    locant_tensor q, k, v, x, q_pos, k_pos, out, lse, dq, dk, dv;
    locant_tensor param[SUBJECT_PARAMS];
    locant_attention a;
    locant_attention_gradients g;
};

static double get(const locant_tensor *t, int64_t i)
{
    return t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                  : (double)((const float *)t->data)[i];
}

/* Guarded copy of doubles in 'dtype'; x NULL: random numbers. */
static locant_tensor copy(const double *x, locant_dtype dtype, int rank,
                          const int64_t *shape)
{
    locant_tensor t = test_tensor(dtype, rank, shape);

    for (int64_t i = 0; x != NULL && i < tensor_count(&t); i++) {
        if (dtype == LOCANT_F64)
            ((double *)t.data)[i] = x[i];
        else
            ((float *)t.data)[i] = (float)x[i];
    }
    return t;
}

static void place(struct call *c, const struct run *r)
{
    c->q_pos = TENSOR(I64, r->T);
    c->k_pos = TENSOR(I64, r->S);
    memcpy(c->q_pos.data, r->q_pos, (size_t)r->T * sizeof(int64_t));
    memcpy(c->k_pos.data, r->k_pos, (size_t)r->S * sizeof(int64_t));
}

static void make(struct call *c, const struct run *r, locant_dtype dtype)
{
    const struct subject *s = r->s;
    const int64_t q[4] = { 1, s->H, r->T, s->D },
                  k[4] = { 1, s->G, r->S, s->D };
    const int64_t x[3] = { 1, r->S, s->W };

    memset(c, 0, sizeof(*c));
    c->s = s;
    c->q = copy(r->q, dtype, 4, q);
    c->k = copy(r->k, dtype, 4, k);
    c->v = copy(r->v, dtype, 4, k);
    c->x = copy(r->x, dtype, 3, x);
    c->out = copy(NULL, dtype, 4, q);
    c->lse = copy(NULL, dtype, 3, q);
    c->dq = copy(NULL, dtype, 4, q);
    c->dk = copy(NULL, dtype, 4, k);
    c->dv = copy(NULL, dtype, 4, k);
    place(c, r);
    memcpy(c->param, s->param, sizeof(c->param));
    c->a = (locant_attention)LOCANT_ATTENTION_INIT;
    c->a.q = &c->q;
    c->a.k = &c->k;
    c->a.v = &c->v;
    c->a.x = &c->x;
    c->a.q_pos = &c->q_pos;
    c->a.k_pos = &c->k_pos;
    c->a.encoding = s->e;
    c->a.params = c->param;
    c->a.mask = LOCANT_MASK_CAUSAL;
    c->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    c->g.dq = &c->dq;
    c->g.dk = &c->dk;
    c->g.dv = &c->dv;
}

static void drop(struct call *c)
{
    locant_tensor *const all[] = { &c->q,     &c->k,     &c->v,   &c->x,
                                   &c->q_pos, &c->k_pos, &c->out, &c->lse,
                                   &c->dq,    &c->dk,    &c->dv };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
}

/* Function 'which' of names. */
static locant_status ask(struct call *c, int which)
{
    static unsigned char *work;
    size_t bytes;

    if (work == NULL)
        work = malloc(ROOM);
    assert_non_null(work);
    switch (which) {
    case 0:
        return locant_attention_forward(&c->out, &c->lse, &c->a, work, ROOM);
    case 1: return locant_attention_reference(&c->out, &c->lse, &c->a);
    case 2:
        return locant_attention_backward(&c->g, &c->out, &c->out, &c->lse,
                                         &c->a, work, ROOM);
    case 3:
        return locant_attention_reference_backward(&c->g, &c->out, &c->out,
                                                   &c->lse, &c->a);
    default: return locant_attention_workspace(&bytes, &c->a);
    }
}

/* -------------------------------------------------------- what may be wrong */

/* Spoil the call; what it is to be answered, OK if this does not apply. */
typedef locant_status (*spoiler)(struct call *c);

/* The first parameter that attention reads; -1: none. */
static int read_param(const struct call *c)
{
    locant_param_info info;

    for (int i = 0; i < c->s->params; i++) {
        CHECK(locant_encoding_param(&info, c->s->e, i, NULL) == 1);
        if (info.doors != LOCANT_DOOR_INPUT)
            return i;
    }
    return -1;
}

static locant_status no_params(struct call *c)
{
    c->a.params = NULL;
    return read_param(c) >= 0 ? LOCANT_ERR_NULL : LOCANT_OK;
}

static locant_status larger_param(struct call *c)
{
    int i = read_param(c);

    if (i < 0)
        return LOCANT_OK;
    c->param[i].shape[0]++;
    return LOCANT_ERR_SHAPE;
}

static locant_status integer_param(struct call *c)
{
    int i = read_param(c);

    if (i < 0)
        return LOCANT_OK;
    c->param[i].dtype = LOCANT_I64;
    return LOCANT_ERR_DTYPE;
}

static locant_status real_positions(struct call *c)
{
    c->k_pos.dtype = LOCANT_F64;
    return LOCANT_ERR_DTYPE;
}

static locant_status one_position_more(struct call *c)
{
    c->q_pos.shape[0]++;
    return LOCANT_ERR_SHAPE;
}

static locant_status half_the_coordinates(struct call *c)
{
    c->a.q_coords = &c->q;
    return LOCANT_ERR_NULL;
}

static locant_status coordinates_for_nobody(struct call *c)
{
    c->a.q_coords = &c->q;
    c->a.k_coords = &c->k;
    return c->s->doors & (LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE)
               ? LOCANT_OK /* some biases read them: test_real_positions.c */
               : LOCANT_ERR_UNSUPPORTED;
}

static locant_status another_struct(struct call *c)
{
    c->a.struct_size--;
    return LOCANT_ERR_PARAM;
}

static locant_status no_scale(struct call *c)
{
    c->a.scale = NAN;
    return LOCANT_ERR_PARAM;
}

static locant_status other_queries(struct call *c)
{
    c->q.dtype = c->q.dtype == LOCANT_F32 ? LOCANT_F64 : LOCANT_F32;
    return LOCANT_ERR_DTYPE;
}

/* clang-format off */
static const spoiler wrongs[] = {
    no_params, larger_param, integer_param, real_positions, one_position_more,
    half_the_coordinates, coordinates_for_nobody, another_struct, no_scale,
    other_queries,
};
/* clang-format on */

static void remember(void *to, const struct call *c)
{
    const locant_tensor *const all[] = { &c->out, &c->lse, &c->dq, &c->dk,
                                         &c->dv };
    char *at = to;

    for (size_t i = 0; i < LEN(all); i++) {
        size_t bytes =
            (size_t)tensor_count(all[i]) * locant_dtype_size(all[i]->dtype);

        memcpy(at, all[i]->data, bytes);
        at += bytes;
    }
}

/* One function, one wrong argument. */
static void spoil(const struct run *r, int which, size_t wrong)
{
    static char before[1 << 18], after[1 << 18];
    locant_status want, got;
    struct call c, whole;

    make(&c, r, test_rand() % 2 ? LOCANT_F32 : LOCANT_F64);
    whole = c;
    remember(before, &c);
    want = wrongs[wrong](&c);
    got = want == LOCANT_OK ? LOCANT_OK : ask(&c, which);
    if (got != want)
        FAIL("%s: %s, wrong argument %zu: %s, expected %s: %s", r->s->spec,
             names[which], wrong, locant_status_name(got),
             locant_status_name(want), locant_last_error());
    if (want != LOCANT_OK &&
        strncmp(locant_last_error(), names[which], strlen(names[which])) != 0)
        FAIL("%s: the sentence of %s is: %s", r->s->spec, names[which],
             locant_last_error());
    remember(after, &c);
    CHECK(memcmp(before, after, sizeof(before)) == 0);
    drop(&whole);
}

static void spoil_call(const struct subject *s)
{
    static struct run r;

    run_draw(&r, s);
    spoil(&r, (int)test_range(0, (int)LEN(names) - 1),
          test_rand() % LEN(wrongs));
}

TEST(wrong_arguments_are_refused)
{
    traits_all(10, any, spoil_call);
}

/* ---------------------------------------------------------------- agreement */

/*
 * The plain reference in double and the call itself, F64: sums in another
 * order, 1e-12 relative to values of at most max|v|.
 */
static void reference_agrees(const struct subject *s)
{
    static struct run r;
    struct call a, b;
    double most = 0;

    run_draw(&r, s);
    make(&a, &r, LOCANT_F64);
    make(&b, &r, LOCANT_F64);
    CHECK_OK(ask(&a, 0));
    CHECK_OK(ask(&b, 1));
    for (int64_t i = 0; i < tensor_count(&a.out); i++)
        most = fmax(most, fabs(get(&a.out, i) - get(&b.out, i)));
    if (!(most <= 1e-12 * (1 + run_most(r.v, (size_t)(s->G * r.S * s->D)))))
        FAIL("%s: %g off the reference", s->spec, most);
    drop(&a);
    drop(&b);
}

TEST(the_reference_agrees)
{
    traits_all(10, any, reference_agrees);
}

/* Threads share out the work, they do not change it. */
static void threads_agree(const struct subject *s)
{
    static struct run r;
    locant_dtype dtype = test_rand() % 2 ? LOCANT_F32 : LOCANT_F64;
    struct call a, b;

    run_draw(&r, s);
    make(&a, &r, dtype);
    make(&b, &r, dtype);
    CHECK_OK(locant_set_threads(1));
    CHECK_OK(ask(&a, 0));
    CHECK_OK(locant_set_threads((int)test_range(2, 5)));
    CHECK_OK(ask(&b, 0));
    CHECK_OK(locant_set_threads(0));
    if (memcmp(a.out.data, b.out.data,
               (size_t)tensor_count(&a.out) * locant_dtype_size(dtype)) != 0)
        FAIL("%s: threads change the output", s->spec);
    drop(&a);
    drop(&b);
}

TEST(threads_do_not_matter)
{
    traits_all(10, any, threads_agree);
}
