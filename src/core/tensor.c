/* tensor.c - dtypes, dense tensors, and the checks of tensor.h */
#include "tensor.h"
#include "size.h"
#include <inttypes.h>
#include <string.h>

static const struct {
    size_t size;
    const char *name;
} dtypes[] = {
    [LOCANT_F32] = { 4, "f32" },   [LOCANT_F16] = { 2, "f16" },
    [LOCANT_BF16] = { 2, "bf16" }, [LOCANT_F64] = { 8, "f64" },
    [LOCANT_I32] = { 4, "i32" },   [LOCANT_I64] = { 8, "i64" },
    [LOCANT_U8] = { 1, "u8" },
};
enum { DTYPES = sizeof(dtypes) / sizeof(dtypes[0]) };

size_t locant_dtype_size(locant_dtype dtype)
{
    return (unsigned)dtype < DTYPES ? dtypes[dtype].size : 0;
}

const char *locant_dtype_name(locant_dtype dtype)
{
    return (unsigned)dtype < DTYPES ? dtypes[dtype].name : "?";
}

locant_tensor locant_dense(void *data, locant_dtype dtype, int rank,
                           const int64_t *shape)
{
    locant_tensor t = { .data = data, .dtype = dtype, .rank = rank };
    int64_t step = 1;

    for (int i = rank - 1; i >= 0 && rank <= LOCANT_MAX_RANK; i--) {
        t.shape[i] = shape[i];
        t.stride[i] = step;
        if (__builtin_mul_overflow(step, shape[i] > 0 ? shape[i] : 1, &step))
            step = INT64_MAX; /* refused by lct_check() */
    }
    return t;
}

/* out = the names in a set of dtypes, "f32 or f64" */
static void name_set(char *out, size_t size, unsigned set)
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < DTYPES; i++) {
        size_t n = strlen(dtypes[i].name);

        if (!(set >> i & 1) || used + n + 5 > size)
            continue;
        if (used > 0) {
            memcpy(out + used, " or ", 4);
            used += 4;
        }
        memcpy(out + used, dtypes[i].name, n + 1);
        used += n;
    }
}

/* Do the byte offsets of all elements fit without overflow? */
static bool reachable(const locant_tensor *t)
{
    int64_t low = 0, high = 0;

    for (int i = 0; i < t->rank; i++) {
        int64_t reach;

        if (t->shape[i] == 0)
            return true;
        if (__builtin_mul_overflow(t->shape[i] - 1, t->stride[i], &reach))
            return false;
        if (__builtin_add_overflow(reach < 0 ? low : high, reach,
                                   reach < 0 ? &low : &high))
            return false;
    }
    return high < INT64_MAX / 8 && low > -(INT64_MAX / 8);
}

static locant_status check_sizes(const char *fn, const char *arg,
                                 const locant_tensor *t, const int64_t *dims)
{
    size_t bytes;

    for (int i = 0; i < t->rank; i++) {
        if (t->shape[i] < 0)
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: %s has size %" PRId64
                               " in dimension %d, expected at least 0",
                               fn, arg, t->shape[i], i);
        if (dims[i] >= 0 && t->shape[i] != dims[i])
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: %s has size %" PRId64
                               " in dimension %d, expected %" PRId64,
                               fn, arg, t->shape[i], i, dims[i]);
    }
    if (!lct_array_bytes(&bytes, t->shape, t->rank, dtypes[t->dtype].size))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the size of %s does not fit in memory", fn,
                           arg);
    if (!reachable(t))
        return locant_fail(LOCANT_ERR_LAYOUT,
                           "%s: the strides of %s reach beyond memory", fn,
                           arg);
    return LOCANT_OK;
}

locant_status lct_check(const char *fn, const char *arg, const locant_tensor *t,
                        unsigned set, int rank, const int64_t *dims)
{
    char names[64];
    int last = rank - 1;

    if (t == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn, arg);
    if ((unsigned)t->dtype >= DTYPES || !(set >> t->dtype & 1)) {
        name_set(names, sizeof(names), set);
        return locant_fail(LOCANT_ERR_DTYPE, "%s: %s is %s, expected %s", fn,
                           arg, locant_dtype_name(t->dtype), names);
    }
    if (t->rank != rank || rank > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: %s has rank %d, expected %d",
                           fn, arg, (int)t->rank, rank);
    LCT_TRY(check_sizes(fn, arg, t, dims));
    if (t->data == NULL && !lct_empty(t))
        return locant_fail(LOCANT_ERR_NULL, "%s: the data of %s is NULL", fn,
                           arg);
    if ((uintptr_t)t->data % dtypes[t->dtype].size != 0)
        return locant_fail(LOCANT_ERR_LAYOUT,
                           "%s: the data of %s is not "
                           "aligned to its %zu-byte elements",
                           fn, arg, dtypes[t->dtype].size);
    if (rank > 0 && t->shape[last] > 1 && t->stride[last] != 1)
        return locant_fail(LOCANT_ERR_LAYOUT,
                           "%s: last stride of %s is %" PRId64 ", expected 1",
                           fn, arg, t->stride[last]);
    return LOCANT_OK;
}

locant_status lct_check_dense(const char *fn, const char *arg,
                              const locant_tensor *t)
{
    int64_t step = 1;

    if (lct_empty(t))
        return LOCANT_OK;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (t->shape[i] > 1 && t->stride[i] != step)
            return locant_fail(LOCANT_ERR_LAYOUT,
                               "%s: %s has stride %" PRId64
                               " in dimension %d, expected %" PRId64
                               " (dense rows)",
                               fn, arg, t->stride[i], i, step);
        step *= t->shape[i];
    }
    return LOCANT_OK;
}

/*
 * In order of strides, each dimension must step over all the previous ones.
 * Every permuted or padded dense array passes.
 */
locant_status lct_check_output(const char *fn, const char *arg,
                               const locant_tensor *out)
{
    bool done[LOCANT_MAX_RANK] = { false };
    int64_t covered = 1;

    if (lct_empty(out))
        return LOCANT_OK;
    for (int n = 0; n < out->rank; n++) {
        int next = -1;

        for (int i = 0; i < out->rank; i++)
            if (!done[i] && (next < 0 || out->stride[i] < out->stride[next]))
                next = i;
        done[next] = true;
        if (out->shape[next] == 1)
            continue;
        if (out->stride[next] < covered)
            return locant_fail(LOCANT_ERR_LAYOUT,
                               "%s: %s has stride %" PRId64
                               " in dimension %d: two elements of an output "
                               "may not share memory",
                               fn, arg, out->stride[next], next);
        covered = out->stride[next] * (out->shape[next] - 1) + covered;
    }
    return LOCANT_OK;
}

bool lct_empty(const locant_tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] == 0)
            return true;
    return false;
}

size_t lct_elements(const locant_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

/* Lowest and one-past-highest byte address of a non-empty view. */
static void span(const locant_tensor *t, intptr_t *low, intptr_t *high)
{
    intptr_t size = (intptr_t)dtypes[t->dtype].size;

    *low = *high = (intptr_t)t->data;
    for (int i = 0; i < t->rank; i++) {
        intptr_t reach = (intptr_t)((t->shape[i] - 1) * t->stride[i]) * size;

        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
    *high += size;
}

/*
 * b starts 'gap' elements after a.  If memory from a on is cut into pieces of
 * 'step' elements, does a lie within the first 'gap' of each, and b within the
 * others?
 */
static bool alternate(const locant_tensor *a, const locant_tensor *b,
                      int64_t step, int64_t gap)
{
    int64_t a_width = 1, b_width = 1;

    for (int i = 0; i < a->rank; i++) {
        if (a->stride[i] >= step && a->stride[i] % step != 0)
            return false;
        if (a->stride[i] < step) {
            a_width += (a->shape[i] - 1) * a->stride[i];
            b_width += (b->shape[i] - 1) * b->stride[i];
        }
    }
    gap = (gap % step + step) % step;
    return gap >= a_width && gap + b_width <= step;
}

/* Do two views of equal strides alternate in one buffer, as packed q, k, v? */
static bool interleaved(const locant_tensor *a, const locant_tensor *b)
{
    int64_t size = (int64_t)dtypes[a->dtype].size;
    int64_t gap = (int64_t)((intptr_t)b->data - (intptr_t)a->data);

    if (a->rank != b->rank || a->dtype != b->dtype || gap % size != 0)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->stride[i] != b->stride[i] || a->stride[i] <= 0)
            return false;
    for (int i = 0; i < a->rank; i++)
        if (alternate(a, b, a->stride[i], gap / size))
            return true;
    return false;
}

locant_status lct_check_apart(const char *fn, const locant_tensor *out,
                              const locant_tensor *in)
{
    intptr_t a0, a1, b0, b1;

    if (lct_empty(out) || lct_empty(in))
        return LOCANT_OK;
    span(out, &a0, &a1);
    span(in, &b0, &b1);
    if (a0 < b1 && b0 < a1 && !interleaved(out, in))
        return locant_fail(LOCANT_ERR_ALIAS, "%s: an output overlaps an input",
                           fn);
    return LOCANT_OK;
}

locant_status lct_check_overlap(const char *fn, const locant_tensor *out,
                                const locant_tensor *in)
{
    bool same = out->data == in->data && out->rank == in->rank &&
                out->dtype == in->dtype;

    for (int i = 0; same && i < out->rank; i++)
        same = out->shape[i] == in->shape[i] &&
               (out->shape[i] == 1 || out->stride[i] == in->stride[i]);
    if (same)
        return LOCANT_OK;
    if (lct_check_apart(fn, out, in) != LOCANT_OK)
        return locant_fail(LOCANT_ERR_ALIAS,
                           "%s: the output overlaps an input "
                           "but is not the same view",
                           fn);
    return LOCANT_OK;
}

void *lct_at(const locant_tensor *t, const int64_t *index, int n)
{
    int64_t offset = 0;

    for (int i = 0; i < n; i++)
        offset += index[i] * t->stride[i];
    return (char *)t->data + offset * (int64_t)dtypes[t->dtype].size;
}
