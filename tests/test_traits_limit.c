/*
 * test_traits_limit.c - positions an encoding does not know are refused at
 * every door, by a sentence that names them, and nothing is written.
 */
#include "traits_run.h"

enum { ROOM = 4 * SUBJECT_HEADS * SUBJECT_DIM };

static int single(const char *spec)
{
    return strchr(spec, '+') == NULL && strncmp(spec, "layers", 6) != 0;
}

static int bounded(const struct subject *s)
{
    return s->length_limit < INT64_MAX;
}

/* ----------------------------------------------------- one token at a door */

static locant_status table_at(double *out, int64_t at, const struct subject *s)
{
    return run_table(out, &at, 1, s);
}

static locant_status turn_at(double *out, int64_t at, const struct subject *s)
{
    static double x[SUBJECT_HEADS * SUBJECT_DIM];

    run_normal(x, (size_t)(s->H * s->D));
    return run_rotate(out, x, s->H, 1, &at, s, 0);
}

static locant_status bias(double *out, int64_t q, int64_t k,
                          const struct subject *s)
{
    return locant_encoding_bias(VIEW(F64, out, s->H, 1, 1), s->e,
                                VIEW(I64, &q, 1), VIEW(I64, &k, 1),
                                subject_params(s));
}

static locant_status query_at(double *out, int64_t at, const struct subject *s)
{
    return bias(out, at, 0, s);
}

static locant_status key_at(double *out, int64_t at, const struct subject *s)
{
    return bias(out, 0, at, s);
}

static locant_status attend_at(double *out, int64_t at, const struct subject *s)
{
    static struct run r;
    locant_status status;

    run_draw(&r, s);
    r.T = r.S = 1;
    r.q_pos[0] = r.k_pos[0] = at;
    memcpy(r.out, out, (size_t)(s->H * s->D) * sizeof(*out));
    status = run_attend(&r);
    memcpy(out, r.out, (size_t)(s->H * s->D) * sizeof(*out));
    return status;
}

struct door {
    const char *fn;
    unsigned bit; /* 0: attention, of all but the input door alone */
    locant_status (*at)(double *out, int64_t pos, const struct subject *s);
};

static const struct door doors[] = {
    { "locant_encoding_table", LOCANT_DOOR_INPUT, table_at },
    { "locant_encoding_rotate", LOCANT_DOOR_ROTATE, turn_at },
    { "locant_encoding_bias", LOCANT_DOOR_SCORE, query_at },
    { "locant_encoding_bias", LOCANT_DOOR_SCORE, key_at },
    { "locant_attention_workspace", 0, attend_at },
};

static int is_open(const struct door *d, const struct subject *s)
{
    return d->bit != 0 ? (s->doors & d->bit) != 0
                       : s->doors != LOCANT_DOOR_INPUT || !single(s->spec);
}

/* 1 if the door refuses this position, and does so well. */
static int refuses(const struct door *d, int64_t pos, const struct subject *s)
{
    static double out[ROOM];
    locant_status status;
    char number[32];

    for (size_t i = 0; i < LEN(out); i++)
        out[i] = 7;
    status = d->at(out, pos, s);
    if (status == LOCANT_OK)
        return 0;
    snprintf(number, sizeof(number), "%lld", (long long)pos);
    if (status != LOCANT_ERR_PARAM ||
        strncmp(locant_last_error(), d->fn, strlen(d->fn)) != 0 ||
        strstr(locant_last_error(), number) == NULL)
        FAIL("%s: position %lld is refused with %s: %s", s->spec,
             (long long)pos, locant_status_name(status), locant_last_error());
    for (size_t i = 0; i < LEN(out); i++)
        CHECK(out[i] == 7);
    return 1;
}

/* How many doors are open, and how many of them refuse a position. */
static int refusals(int *open, int64_t pos, const struct subject *s)
{
    int refused = 0;

    *open = 0;
    for (size_t i = 0; i < LEN(doors); i++) {
        if (!is_open(&doors[i], s))
            continue;
        *open += 1;
        refused += refuses(&doors[i], pos, s);
    }
    return refused;
}

/* ------------------------------------------------------------------- claims */

/* Each door of a sum asks its own part: one of them refuses. */
static void ends_at_limit(const struct subject *s)
{
    int open, refused;

    CHECK(s->length_limit > 0);
    if (refusals(&open, s->length_limit - 1, s) != 0)
        FAIL("%s: reach is %lld, but the last position is refused: %s", s->spec,
             (long long)s->length_limit, locant_last_error());
    refused = refusals(&open, s->length_limit, s);
    if (refused == 0 || (single(s->spec) && refused != open))
        FAIL("%s: %d of %d doors refuse position %lld", s->spec, refused, open,
             (long long)s->length_limit);
    refused = refusals(&open, INT64_MAX - 1, s);
    CHECK(refused > 0 && (!single(s->spec) || refused == open));
    if (s->traits & LOCANT_TRAIT_LIMIT)
        CHECK(refusals(&open, -1, s) > 0);
}

TEST(the_first_position_beyond_reach_is_refused)
{
    traits_each(20, bounded, ends_at_limit);
}

/*
 * A length limit is the end of a table.  Other ends: coordinates of several
 * axes are doubles, the decay of xpos overflows, and drawn positions have a
 * range.
 */
static int has_other_end(const char *spec)
{
    static const char *const ends[] = { "rope2d",     "rope3d", "rope-mixed",
                                        "mrope",      "sincos", "xpos",
                                        "randomized", "axes",   "vjepa2" };

    for (size_t i = 0; i < LEN(ends); i++)
        if (strstr(spec, ends[i]) != NULL)
            return 1;
    return 0;
}

static void limit_means_reach(const struct subject *s)
{
    int open;

    if (s->traits & LOCANT_TRAIT_LIMIT)
        CHECK(bounded(s));
    else if (bounded(s) && !has_other_end(s->spec))
        FAIL("%s: it reaches %lld positions only, without a limit", s->spec,
             (long long)s->length_limit);
    if (!bounded(s) && refusals(&open, INT64_MAX - 1, s) != 0)
        FAIL("%s: it has no end, but refuses: %s", s->spec,
             locant_last_error());
}

TEST(the_trait_is_the_end_of_a_table)
{
    traits_each(20, any, limit_means_reach);
}

/* ---------------------------------------------------------------- backward */

static int bounded_table(const struct subject *s)
{
    return bounded(s) && s->params > 0 && single(s->spec) &&
           (s->doors & (LOCANT_DOOR_INPUT | LOCANT_DOOR_SCORE));
}

static locant_status back(locant_tensor *dparams, const struct subject *s)
{
    static double dout[SUBJECT_HEADS * SUBJECT_DIM];
    int64_t at = s->length_limit;
    locant_tensor pos = DENSE(I64, &at, 1);

    return s->doors & LOCANT_DOOR_INPUT
               ? locant_encoding_table_backward(
                     dparams, VIEW(F64, dout, 1, s->W), s->e, &pos, s->param)
               : locant_encoding_bias_backward(dparams,
                                               VIEW(F64, dout, s->H, 1, 1),
                                               s->e, &pos, &pos, s->param);
}

static void no_gradient_beyond(const struct subject *s)
{
    locant_tensor gradient[SUBJECT_PARAMS];

    for (int i = 0; i < s->params; i++) {
        gradient[i] = s->param[i];
        gradient[i].data =
            calloc((size_t)tensor_count(&s->param[i]), sizeof(double));
        assert_non_null(gradient[i].data);
    }
    CHECK(back(gradient, s) == LOCANT_ERR_PARAM);
    for (int i = 0; i < s->params; i++) {
        for (int64_t k = 0; k < tensor_count(&gradient[i]); k++)
            CHECK(((double *)gradient[i].data)[k] == 0);
        free(gradient[i].data);
    }
}

TEST(gradients_beyond_reach_are_refused)
{
    traits_each(20, bounded_table, no_gradient_beyond);
}
