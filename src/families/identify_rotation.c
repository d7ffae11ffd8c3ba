/* identify_rotation.c - which channels are pairs, and how far each turns */
#include "identify_rotation.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------- which channels */

/* Is |y| = gain |x| of this pair in every row, up to rounding? */
static bool keeps_length(const struct lct_rows *r, int64_t a, int64_t b)
{
    double before = 0, after = 0, lost = 0, gain;

    for (int64_t i = 0; i < r->n; i++) {
        const double *x = r->x + i * r->dim, *y = r->y + i * r->dim;

        before += x[a] * x[a] + x[b] * x[b];
        after += y[a] * y[a] + y[b] * y[b];
    }
    gain = before > 0 ? after / before : 1;
    for (int64_t i = 0; i < r->n; i++) {
        const double *x = r->x + i * r->dim, *y = r->y + i * r->dim;

        lost += fabs(y[a] * y[a] + y[b] * y[b] -
                     gain * (x[a] * x[a] + x[b] * x[b]));
    }
    return lost <= (8 * r->rounding + 1e-6) * after;
}

locant_status lct_identify_fit(bool *fits, struct lct_turn *turns,
                               const struct lct_rows *r,
                               const struct lct_layout *l, bool swapped,
                               const double *offset)
{
    *fits = true;
    for (int64_t c = 0; c < l->width / 2 && *fits; c++) {
        int64_t a, b;

        lct_layout_pair(&a, &b, l, c);
        LCT_TRY(lct_turn_fit(&turns[c], r, swapped ? b : a, swapped ? a : b,
                             offset));
        *fits = turns[c].residual <= 1.2;
    }
    return LOCANT_OK;
}

/* Candidates whose first pair begins at the first channel that changes. */
static bool candidate(struct lct_layout *l, const struct lct_rows *r,
                      const struct lct_changes *changes, int64_t i)
{
    int64_t first = changes->first, a, b;

    if (i == 0)
        *l = (struct lct_layout){ true, first, (r->dim - first) / 2 * 2 };
    else
        *l = (struct lct_layout){ false, first, 2 * i };
    if (l->width < 2 || (!l->interleaved && l->width == 2) ||
        (first > 0 && first + l->width != r->dim) ||
        changes->last >= first + l->width)
        return false;
    lct_layout_pair(&a, &b, l, 0);
    return keeps_length(r, a, b);
}

/* The first and last channel that y does not copy from x; first = dim if there
 * is none. */
static void find_changes(struct lct_changes *out, const struct lct_rows *r,
                         double slack)
{
    out->first = r->dim;
    out->last = -1;
    for (int64_t c = 0; c < r->dim; c++) {
        bool changed = false;

        for (int64_t i = 0; i < r->n && !changed; i++) {
            double x = r->x[i * r->dim + c];

            changed = fabs(r->y[i * r->dim + c] - x) > slack * fabs(x);
        }
        if (changed && out->last < 0)
            out->first = c;
        if (changed)
            out->last = c;
    }
}

/* ----------------------------------------------------------------- offsets */

static double wrapped(double angle)
{
    return angle - 6.283185307179586 * round(angle / 6.283185307179586);
}

/* Do all phases agree with f * offset? */
static bool offset_fits(const struct lct_turn *turns, int64_t n, double offset)
{
    for (int64_t c = 0; c < n; c++) {
        double error = hypot(turns[c].phase_error, offset * turns[c].f_error);

        if (fabs(wrapped(turns[c].phase - turns[c].f * offset)) >
            LCT_SIGMAS * error + 1e-6)
            return false;
    }
    return true;
}

enum lct_offset lct_identify_offset(double *out, const struct lct_turn *turns,
                                    int64_t n)
{
    const int64_t most = 1 << 16;
    int found = 0;

    for (int64_t i = 0; i <= most && found < 2; i++)
        for (int sign = 1; sign >= (i > 0 ? -1 : 1); sign -= 2) {
            if (!offset_fits(turns, n, (double)(sign * i)))
                continue;
            if (found++ == 0)
                *out = (double)(sign * i);
        }
    return found == 0   ? LCT_OFFSET_NONE
           : found == 1 ? LCT_OFFSET_FOUND
                        : LCT_OFFSET_MANY;
}

/* ---------------------------------------------------------------- spectrum */

/* -1 if pairs that visibly turn go backwards, 0 if they disagree. */
static int sign_of(const struct lct_turn *turns, int64_t n)
{
    int sign = 0;

    for (int64_t c = 0; c < n; c++) {
        int s = turns[c].f > 0 ? 1 : -1;

        if (fabs(turns[c].f) <= LCT_SIGMAS * turns[c].f_error)
            continue;
        if (sign != 0 && s != sign)
            return 0;
        sign = s;
    }
    return sign == 0 ? 1 : sign;
}

/* Does the pair make a whole turn between the first and last position? */
static bool fast(const struct lct_turn *t, const struct lct_rows *r)
{
    double range = r->distinct[r->n_distinct - 1] - r->distinct[0];

    return fabs(t->f) * range > 6.283185307179586;
}

/*
 * The gain that all pairs share; false if they differ.  Where software rounds
 * gain times cosine to the dtype, that error averages out in fast pairs only.
 */
static bool shared_gain(struct lct_spectrum *s, const struct lct_turn *turns,
                        const struct lct_rows *r)
{
    double loss = r->rounding + r->smallest, sum = 0;
    double error = 4 * loss / sqrt((double)r->n) + 1e-7;
    int64_t n = 0;

    for (int64_t c = 0; c < s->pairs; c++)
        if (fast(&turns[c], r)) {
            sum += turns[c].gain;
            n++;
        }
    s->gain = n > 0 ? sum / (double)n : turns[0].gain;
    s->gain_error = n > 0 ? error : loss;
    for (int64_t c = 0; c < s->pairs; c++) {
        double most =
            LCT_SIGMAS * error + (fast(&turns[c], r) ? 0 : 1.5 * loss);

        if (fabs(turns[c].gain - s->gain) > most * s->gain)
            return false;
    }
    if (fabs(s->gain - 1) < LCT_SIGMAS * s->gain_error)
        s->gain = 1;
    return true;
}

bool lct_identify_spectrum(locant_identity *out, struct lct_spectrum *s,
                           const struct lct_turn *turns,
                           const struct lct_rows *r)
{
    out->sign = sign_of(turns, s->pairs);
    for (int64_t c = 0; c < s->pairs; c++) {
        s->f[c] = fmax(turns[c].f * out->sign, 0);
        s->error[c] = LCT_SIGMAS * turns[c].f_error;
        out->residual = fmax(out->residual, turns[c].residual);
    }
    if (out->sign == 0) {
        LCT_APPEND(out->note, "Some pairs turn forwards and others backwards.");
        return false;
    }
    if (!shared_gain(s, turns, r)) {
        LCT_APPEND(out->note, "Pairs are multiplied by different factors.");
        return false;
    }
    if (out->sign < 0)
        LCT_APPEND(out->beside, "by minus the angle");
    return true;
}

/* ------------------------------------------------------------------ decide */

bool lct_identify_few(const struct lct_rows *r)
{
    double jump = fmin(0.25 / r->rounding, 1e6);

    for (int i = 1; i < r->n_lags; i++)
        if (r->lags[i] > jump * r->lags[i - 1])
            return true;
    return r->n_lags == 0 || r->lags[0] > 3;
}

static locant_status decide_few(locant_identity *out, struct lct_spectrum *s,
                                const struct lct_turn *turns,
                                const struct lct_rows *r)
{
    double position = r->distinct[r->n_distinct - 1];

    out->verdict = LOCANT_UNDECIDED;
    s->gain = turns[0].gain;
    for (int64_t c = 0; c < s->pairs; c++)
        s->error[c] = 8 * r->rounding + 1e-6;
    if (r->n_distinct == 1)
        return lct_identify_known(out, s, turns, s->error, position);
    LCT_APPEND(out->note, "The positions are too far apart to tell a frequency "
                          "from one that makes whole turns between them: give "
                          "some that differ by 1.");
    return LOCANT_OK;
}

/* Whole fit of one layout whose pairs all rotate. */
static locant_status decide(locant_identity *out, struct lct_spectrum *s,
                            struct lct_turn *turns, const struct lct_rows *r)
{
    enum lct_offset offset;
    bool fits;

    if (lct_identify_few(r))
        return decide_few(out, s, turns, r);
    offset = lct_identify_offset(&out->offset, turns, s->pairs);
    if (offset == LCT_OFFSET_NONE) {
        LCT_APPEND(out->note, "The angles at position 0 are those of no offset "
                              "of positions.");
        return lct_identify_spectrum(out, s, turns, r)
                   ? lct_identify_list(out, s)
                   : LOCANT_OK;
    }
    LCT_TRY(lct_identify_fit(&fits, turns, r, &s->layout, false, &out->offset));
    if (!fits || !lct_identify_spectrum(out, s, turns, r))
        return LOCANT_OK;
    if (out->offset != 0)
        LCT_APPEND(out->beside, "%spositions %+.0f",
                   out->beside[0] != 0 ? "; " : "", out->offset);
    LCT_TRY(lct_identify_rule(out, s));
    if (offset == LCT_OFFSET_MANY && out->verdict == LOCANT_IDENTIFIED) {
        out->verdict = LOCANT_UNDECIDED;
        lct_identify_remains(out, "%s", out->spec);
        LCT_APPEND(out->note, "Several offsets of positions fit.");
    }
    return LOCANT_OK;
}

static void nothing_changes(locant_identity *out, const struct lct_rows *r)
{
    double far = fmax(fabs(r->distinct[0]), r->distinct[r->n_distinct - 1]);

    LCT_APPEND(out->spec, "none");
    out->verdict = far >= 1 ? LOCANT_IDENTIFIED : LOCANT_UNDECIDED;
    if (far >= 1)
        return;
    lct_identify_remains(out, "none");
    lct_identify_remains(out, "rope with any keys");
    LCT_APPEND(out->note,
               "At position 0 nothing rotates: give other positions.");
}

/* Join the result of another layout that fits as well. */
static void join(locant_identity *out, const locant_identity *other, bool first)
{
    if (first) {
        *out = *other;
        return;
    }
    if (out->verdict == LOCANT_IDENTIFIED)
        lct_identify_remains(out, "%s", out->spec);
    if (other->verdict == LOCANT_IDENTIFIED)
        lct_identify_remains(out, "%s", other->spec);
    for (int i = 0; i < other->n_remaining; i++)
        lct_identify_remains(out, "%s", other->remaining[i]);
    if (out->verdict != LOCANT_NONE_OF_THESE ||
        other->verdict != LOCANT_NONE_OF_THESE)
        out->verdict = LOCANT_UNDECIDED;
}

static locant_status try_layouts(locant_identity *out, struct lct_spectrum *s,
                                 struct lct_turn *turns,
                                 const struct lct_rows *r,
                                 const struct lct_changes *changes)
{
    int found = 0;

    for (int64_t i = 0; i <= r->dim / 2; i++) {
        locant_identity one = *out;
        bool fits;

        if (!candidate(&s->layout, r, changes, i))
            continue;
        s->pairs = s->layout.width / 2;
        LCT_TRY(lct_identify_fit(&fits, turns, r, &s->layout, false, NULL));
        if (!fits)
            continue;
        LCT_TRY(decide(&one, s, turns, r));
        join(out, &one, found++ == 0);
    }
    if (found == 0)
        LCT_APPEND(out->note,
                   "No pairing of channels turns all pairs of y from "
                   "those of x by one angle for each position.");
    return LOCANT_OK;
}

locant_status lct_identify_rows(locant_identity *out, const struct lct_rows *r,
                                double slack)
{
    size_t pairs = (size_t)r->dim / 2;
    struct lct_spectrum s = { .head_dim = r->dim };
    struct lct_turn *turns = locant_alloc(pairs * sizeof(*turns));
    struct lct_changes changes;
    locant_status status = LOCANT_OK;

    s.f = locant_alloc(2 * pairs * sizeof(double));
    s.error = s.f != NULL ? s.f + pairs : NULL;
    if (turns == NULL || s.f == NULL)
        status =
            locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu pairs", pairs);
    find_changes(&changes, r, slack);
    if (status == LOCANT_OK && changes.last < 0)
        nothing_changes(out, r);
    else if (status == LOCANT_OK)
        status = try_layouts(out, &s, turns, r, &changes);
    locant_release(turns);
    locant_release(s.f);
    return status;
}
