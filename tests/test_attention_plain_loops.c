/*
 * test_attention_plain_loops.c - attention in float32 is as good as the plain
 * float32 loops anyone would write, whatever the size of the scores.
 */
#include "oracle/mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct spec {
    const char *spec;
    int bounded; /* positions 0 .. 99 */
};

/* Specs with keys, and sums. */
static const struct spec listed[] = {
    { "none", 0 },
    { "rope", 0 },
    { "rope(pairing=interleaved,dim=8)", 0 },
    { "rope2d(width=10,height=10)", 1 },
    { "rope3d(width=5,height=5)", 1 },
    { "rope-mixed(width=10)", 1 },
    { "mrope(sections=2:2:2,dim=12)", 0 },
    { "axes(widths=4:2:4,pairing=blocks)", 0 },
    { "alibi", 0 },
    { "alibi(dialect=mpt)", 0 },
    { "beit(width=10,height=10)", 1 },
    { "crossformer(width=10,height=10)", 1 },
    { "fire(length=30)", 0 },
    { "fope(length=64)", 0 },
    { "grape-m(planes=rank2,heads=each)", 0 },
    { "graph(length=100)", 1 },
    { "kerple", 0 },
    { "kerple(kind=power)", 0 },
    { "swin(width=10,height=10)", 1 },
    { "swinv2(width=10,height=10,hidden=16)", 1 },
    { "t5", 0 },
    { "rope+alibi", 0 },
    { "t5+rope", 0 },
};

/* These, and by its name each encoding of the rotate or score door that they
 * leave out, but scale-invariant, which does more than these doors. */
static struct spec cases[100];
static size_t count;

static int is_listed(const char *name)
{
    size_t n = strlen(name);

    for (size_t k = 0; k < LEN(listed); k++)
        if (strncmp(listed[k].spec, name, n) == 0 &&
            strchr("(+", listed[k].spec[n]) != NULL)
            return 1;
    return 0;
}

static void fill_cases(void)
{
    const locant_encoding_info *row;

    memcpy(cases, listed, sizeof(listed));
    count = LEN(listed);
    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++)
        if (row->doors & (LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE) &&
            strcmp(row->name, "scale-invariant") != 0 &&
            !is_listed(row->name) && count < LEN(cases))
            cases[count++].spec = row->name;
}

/* ------------------------------------------------------------- plain loops */

/* What plain loops start from, all float32. */
struct plain {
    int64_t G, H, T, S, D, Dq;
    int causal;
    const float *q, *k, *v, *bias; /* bias: NULL or [H, T, S] */
};

static float plain_dot(const float *x, const float *y, int64_t n)
{
    float sum = 0;

    for (int64_t d = 0; d < n; d++)
        sum += x[d] * y[d];
    return sum;
}

/* Row i of head h: q.k scaled, biased, exponentials, weighted mean. */
static void plain_row(float *out, const struct plain *p, int64_t h, int64_t i)
{
    int64_t keys = p->causal ? p->S - p->T + i + 1 : p->S, g = h * p->G / p->H;
    float scale = (float)(1 / sqrt((double)p->D)), s[256], top = -INFINITY;
    float sum = 0;

    CHECK(keys <= (int64_t)LEN(s));
    for (int64_t j = 0; j < keys; j++) {
        s[j] = scale * plain_dot(p->q + (h * p->T + i) * p->Dq,
                                 p->k + (g * p->S + j) * p->Dq, p->Dq);
        if (p->bias != NULL)
            s[j] += p->bias[(h * p->T + i) * p->S + j];
        top = fmaxf(top, s[j]);
    }
    memset(out, 0, (size_t)p->D * sizeof(*out));
    for (int64_t j = 0; j < keys; j++) {
        float weight = expf(s[j] - top);

        sum += weight;
        for (int64_t d = 0; d < p->D; d++)
            out[d] += weight * p->v[(g * p->S + j) * p->D + d];
    }
    for (int64_t d = 0; d < p->D && keys > 0; d++)
        out[d] /= sum;
}

/* ------------------------------------------------------------------- cases */

/* The one row of the batch, as the doors take it. */
static locant_tensor row_of(const locant_tensor *x)
{
    locant_tensor t = *x;

    t.rank--;
    memmove(t.shape, t.shape + 1, sizeof(t.shape) - sizeof(*t.shape));
    memmove(t.stride, t.stride + 1, sizeof(t.stride) - sizeof(*t.stride));
    return t;
}

/* q or k in float32, turned by the library if the encoding turns. */
static locant_tensor turned(const struct mixed *m, const locant_tensor *x,
                            const locant_tensor *pos, int flags)
{
    int turns = locant_encoding_doors(m->e) & LOCANT_DOOR_ROTATE;
    int64_t shape[3] = { x->shape[1], x->shape[2], m->D };
    locant_tensor from = row_of(x), at = row_of(pos), out;

    if (turns)
        shape[2] = locant_encoding_rotated_width(m->e, m->D);
    out = test_tensor(LOCANT_F32, 3, shape);
    if (turns)
        CHECK_OK(
            locant_encoding_rotate(&out, &from, m->e, &at, m->a.params, flags));
    else
        memcpy(out.data, x->data, mixed_size(x) * sizeof(float));
    return out;
}

/* m->out by plain loops. */
static void run_plain(struct mixed *m)
{
    int64_t shape[3] = { m->H, m->T, m->S };
    locant_tensor q = turned(m, &m->q, &m->q_pos, 0);
    locant_tensor k = turned(m, &m->k, &m->k_pos, LOCANT_ROTATE_KEY);
    locant_tensor bias = test_tensor(LOCANT_F32, 3, shape);
    locant_tensor q_pos = row_of(&m->q_pos), k_pos = row_of(&m->k_pos);
    struct plain p = { .G = m->G,
                       .H = m->H,
                       .T = m->T,
                       .S = m->S,
                       .D = m->D,
                       .Dq = q.shape[2],
                       .q = q.data,
                       .k = k.data,
                       .v = m->v.data,
                       .causal = m->mask == LOCANT_MASK_CAUSAL };

    if (locant_encoding_doors(m->e) & LOCANT_DOOR_SCORE) {
        CHECK_OK(
            locant_encoding_bias(&bias, m->e, &q_pos, &k_pos, m->a.params));
        p.bias = bias.data;
    }
    for (int64_t h = 0; h < m->H; h++)
        for (int64_t i = 0; i < m->T; i++)
            plain_row((float *)m->out.data + (h * m->T + i) * m->D, &p, h, i);
    test_tensor_free(&q);
    test_tensor_free(&k);
    test_tensor_free(&bias);
}

/* The same problem in double, and what the reference makes of it. */
static void make_truth(struct mixed *truth, const struct mixed *m)
{
    *truth = (struct mixed){ .spec = m->spec,
                             .dtype = LOCANT_F64,
                             .mask = m->mask,
                             .B = m->B,
                             .H = m->H,
                             .G = m->G,
                             .T = m->T,
                             .S = m->S,
                             .D = m->D };
    mixed_make(truth);
    for (size_t i = 0; i < mixed_size(&m->q); i++)
        oracle_put(&truth->q, i, oracle_get(&m->q, i));
    for (size_t i = 0; i < mixed_size(&m->k); i++) {
        oracle_put(&truth->k, i, oracle_get(&m->k, i));
        oracle_put(&truth->v, i, oracle_get(&m->v, i));
    }
    for (int n = 0; n < m->n_params; n++)
        for (size_t i = 0; i < mixed_size(&m->params[n]); i++)
            oracle_put(&truth->params[n], i, oracle_get(&m->params[n], i));
    CHECK_OK(locant_attention_reference(&truth->out, &truth->lse, &truth->a));
}

enum { ISAS = 8 };

/* Sums over problems, of squares: of the results, of errors. */
struct sums {
    double size, plain, ours[ISAS];
};

static double squared_error(const struct mixed *m, const struct mixed *truth)
{
    double error = 0;

    for (size_t i = 0; i < mixed_size(&m->out); i++)
        error += pow(oracle_get(&m->out, i) - oracle_get(&truth->out, i), 2);
    return error;
}

/*
 * One more problem, of sizes that include 1, odd ones and more queries than
 * keys, which leaves the first ones blind.  q.k / sqrt(D) of uniform numbers
 * deviates by 1/3.
 */
static void add_problem(struct sums *sum, size_t n, double deviation)
{
    static const int64_t tokens[] = { 1, 2, 7, 9, 33, 65, 100, 130 };
    static const int64_t channels[] = { 12, 24, 48, 1, 7, 17 };
    struct mixed m = { .spec = cases[n].spec,
                       .dtype = LOCANT_F32,
                       .B = 1,
                       .H = 2,
                       .G = 2,
                       .mask = (locant_mask)test_range(0, 1) },
                 truth;
    locant_encoding *e = test_create(m.spec);
    int available, turns;

    turns = locant_encoding_doors(e) & LOCANT_DOOR_ROTATE;
    locant_encoding_free(e);
    if (!turns) /* some turn each head otherwise */
        m.G = test_range(1, 2);
    m.D = channels[test_rand() % (turns ? 3 : LEN(channels))];
    do {
        m.T = tokens[test_rand() % LEN(tokens)];
        m.S = tokens[test_rand() % LEN(tokens)];
    } while (cases[n].bounded && (m.T > m.S || m.S > 100));
    mixed_make(&m);
    for (size_t i = 0; i < mixed_size(&m.q); i++)
        oracle_put(&m.q, i, 3 * deviation * oracle_get(&m.q, i));
    make_truth(&truth, &m);
    for (size_t i = 0; i < mixed_size(&truth.out); i++)
        sum->size += pow(oracle_get(&truth.out, i), 2);
    run_plain(&m);
    sum->plain += squared_error(&m, &truth);
    for (int i = 0; locant_isa_at(i, &available) != NULL; i++)
        if (available) {
            CHECK(i < ISAS);
            CHECK_OK(locant_set_isa(locant_isa_at(i, NULL)));
            test_forward(&m.out, &m.lse, &m.a);
            sum->ours[i] += squared_error(&m, &truth);
        }
    CHECK_OK(locant_set_isa(NULL));
    mixed_free(&m);
    mixed_free(&truth);
}

/*
 * The two errors are sums of as many roundings with other random signs, so that
 * their quotient over many rows is near 1 (0.93, 0.97 and 1.00 at deviations 1,
 * 16 and 64, over 25 seeds); 2 is what is promised.  Of one row it may be
 * anything.  Where scores deviate by 64 one key wins in most rows, whose errors
 * are next to nothing: of some hundred rows the few with two keys close to each
 * other decide, and 1 in 300 such quotients is above 2.  So that deviation is
 * judged over all encodings at once.
 *
 * A score of n nats carries an error of some 2^-24 n, in plain loops as here:
 * they keep within 1e-6 for unit scores alone.
 */
static void judge(const struct sums *sum, const char *spec, double deviation)
{
    double plain = sqrt(sum->plain / sum->size);

    if (!(plain <= 1e-6 * (1 + deviation / 8)))
        FAIL("%s, scores deviate by %g: plain loops err by %.3g\n", spec,
             deviation, plain);
    for (int i = 0; i < ISAS; i++) {
        double ours = sqrt(sum->ours[i] / sum->size);

        if (!(ours <= 2 * plain))
            FAIL("%s, scores deviate by %g, isa %d: error %.3g, plain loops "
                 "%.3g\n",
                 spec, deviation, i, ours, plain);
        if (deviation <= 1 && !(ours <= 1e-6))
            FAIL("%s, isa %d: error %.3g\n", spec, i, ours);
    }
}

static void add_sums(struct sums *to, const struct sums *from)
{
    to->size += from->size;
    to->plain += from->plain;
    for (int i = 0; i < ISAS; i++)
        to->ours[i] += from->ours[i];
}

static void errs_at_most_twice_as_much(double deviation)
{
    enum { PROBLEMS = TEST_SANITIZED ? 4 : 16 };
    double alone = TEST_SANITIZED ? 1 : 16; /* up to here each encoding */
    struct sums all = { 0 };

    if (count == 0)
        fill_cases();
    for (size_t n = 0; n < count; n++) {
        struct sums sum = { 0 };

        for (int i = 0; i < PROBLEMS; i++)
            add_problem(&sum, n, deviation);
        if (deviation <= alone)
            judge(&sum, cases[n].spec, deviation);
        add_sums(&all, &sum);
    }
    judge(&all, "all", deviation);
}

TEST(is_as_good_at_unit_scores)
{
    errs_at_most_twice_as_much(1);
}

TEST(is_as_good_at_large_scores)
{
    errs_at_most_twice_as_much(16);
    errs_at_most_twice_as_much(64);
}
