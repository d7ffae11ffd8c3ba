/* documents.c - positions of documents packed into one row, and back */
#include "positions.h"

/* The boundaries of documents: lengths [documents], or offsets [documents + 1]
   unless 'by_length'. */
struct boundaries {
    const char *fn; /* for error messages */
    const locant_tensor *in;
    bool by_length;
};

static int64_t documents_of(const struct boundaries *c)
{
    return c->by_length ? c->in->shape[0] : c->in->shape[0] - 1;
}

/* First token after document d, which starts at 'start'. */
static int64_t end_of(const struct boundaries *c, int64_t d, int64_t start)
{
    return c->by_length ? start + lct_integer(c->in, 0, d)
                        : lct_integer(c->in, 0, d + 1);
}

static locant_status check_length(const struct boundaries *c, int64_t d,
                                  int64_t start, int64_t T)
{
    int64_t length = lct_integer(c->in, 0, d);

    if (length < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: lengths[%" PRId64 "] is %" PRId64
                           ", expected at least 0",
                           c->fn, d, length);
    if (length > T - start)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: lengths[0] to lengths[%" PRId64
                           "] need more than the %" PRId64 " tokens of "
                           "the row",
                           c->fn, d, T);
    return LOCANT_OK;
}

static locant_status check_offset(const struct boundaries *c, int64_t d,
                                  int64_t start, int64_t T)
{
    int64_t end = lct_integer(c->in, 0, d + 1);

    if (end < start || end > T)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: offsets[%" PRId64 "] is %" PRId64
                           ", expected %" PRId64 " to %" PRId64,
                           c->fn, d + 1, end, start, T);
    return LOCANT_OK;
}

static locant_status check_boundaries(const struct boundaries *c, int64_t T)
{
    int64_t start = 0;

    if (!c->by_length && c->in->shape[0] < 1)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: offsets has size 0 in "
                           "dimension 0, expected at least 1",
                           c->fn);
    if (!c->by_length && lct_integer(c->in, 0, 0) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: offsets[0] is %" PRId64 ", expected 0", c->fn,
                           lct_integer(c->in, 0, 0));
    for (int64_t d = 0; d < documents_of(c); d++) {
        LCT_TRY(c->by_length ? check_length(c, d, start, T)
                             : check_offset(c, d, start, T));
        start = end_of(c, d, start);
    }
    return LOCANT_OK;
}

static locant_status check_output(const struct boundaries *c, const char *arg,
                                  const locant_tensor *out, int64_t T)
{
    if (out == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_check_ids(c->fn, arg, out, 1, &T));
    return lct_check_apart(c->fn, out, c->in);
}

/* Fill tokens from .. to - 1 of document d, or of padding if d is -1. */
static void fill(locant_tensor *positions, locant_tensor *documents,
                 int64_t from, int64_t to, int64_t d)
{
    for (int64_t t = from; t < to; t++) {
        if (positions != NULL)
            ((int64_t *)positions->data)[t] = d < 0 ? 0 : t - from;
        if (documents != NULL)
            ((int64_t *)documents->data)[t] = d;
    }
}

static locant_status pack(locant_tensor *positions, locant_tensor *documents,
                          const struct boundaries *c)
{
    const locant_tensor *any = positions != NULL ? positions : documents;
    int64_t start = 0, T, free_size = -1;

    if (any == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: positions and documents are "
                           "NULL, expected at least one",
                           c->fn);
    LCT_TRY(lct_check(c->fn, c->by_length ? "lengths" : "offsets", c->in,
                      LCT_IN_I32 | LCT_IN_I64, 1, &free_size));
    T = any->rank == 1 ? any->shape[0] : -1;
    LCT_TRY(check_output(c, "positions", positions, T));
    LCT_TRY(check_output(c, "documents", documents, T));
    if (positions != NULL && documents != NULL)
        LCT_TRY(lct_check_apart(c->fn, positions, documents));
    LCT_TRY(check_boundaries(c, T));
    for (int64_t d = 0; d < documents_of(c); d++) {
        int64_t end = end_of(c, d, start);

        fill(positions, documents, start, end, d);
        start = end;
    }
    fill(positions, documents, start, T, -1);
    return LOCANT_OK;
}

locant_status locant_positions_from_lengths(locant_tensor *positions,
                                            locant_tensor *documents,
                                            const locant_tensor *lengths)
{
    struct boundaries c = { "locant_positions_from_lengths", lengths, true };

    return pack(positions, documents, &c);
}

locant_status locant_positions_from_offsets(locant_tensor *positions,
                                            locant_tensor *documents,
                                            const locant_tensor *offsets)
{
    struct boundaries c = { "locant_positions_from_offsets", offsets, false };

    return pack(positions, documents, &c);
}

locant_status locant_positions_packing(locant_tensor *documents, int *packed,
                                       const locant_tensor *positions)
{
    static const char fn[] = "locant_positions_packing";
    int any = 0;

    LCT_NOT_NULL(fn, packed);
    LCT_TRY(lct_check(fn, "positions", positions, LCT_IN_I64, 2,
                      (const int64_t[]){ -1, -1 }));
    if (documents != NULL) {
        LCT_TRY(lct_check_ids(fn, "documents", documents, 2, positions->shape));
        LCT_TRY(lct_check_apart(fn, documents, positions));
    }
    for (int64_t b = 0; b < positions->shape[0]; b++) {
        const int64_t *p = lct_ids_row(positions, b);
        int64_t d = 0;

        for (int64_t t = 0; t < positions->shape[1]; t++) {
            if (t > 0 && (p[t - 1] == INT64_MAX || p[t] != p[t - 1] + 1))
                d++;
            if (documents != NULL)
                lct_ids_row(documents, b)[t] = d;
        }
        any |= d > 0;
    }
    *packed = any;
    return LOCANT_OK;
}
