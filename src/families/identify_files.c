/* identify_files.c - the same tensor of two checkpoints */
#include "../core/size.h"
#include "identify_rotation.h"
#include "weights.h"

/* A tensor of a checkpoint in float32; release 'data'. */
static locant_status load(locant_tensor *out, const struct lct_weights *w,
                          const char *path, const char *name)
{
    const struct lct_weight *found = lct_weights_find(w, name);
    size_t bytes;
    float *to;

    if (found == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_identify_files: %s has no tensor '%s'", path,
                           name);
    if (!lct_array_bytes(&bytes, found->shape, found->rank, sizeof(*to)) ||
        (to = locant_alloc(bytes + 1)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for '%s'", path,
                           name);
    lct_weight_floats(to, found, 0, (int64_t)(bytes / sizeof(*to)));
    *out = locant_dense(to, LOCANT_F32, found->rank, found->shape);
    return LOCANT_OK;
}

locant_status locant_identify_files(locant_identity *out, const char *a,
                                    const char *a_name, const char *b,
                                    const char *b_name, int64_t head_dim)
{
    const char *fn = "locant_identify_files";
    struct lct_weights *of_a = NULL, *of_b = NULL;
    locant_tensor first = { 0 }, second = { 0 };
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, a);
    LCT_NOT_NULL(fn, a_name);
    LCT_NOT_NULL(fn, b);
    LCT_NOT_NULL(fn, b_name);
    s = lct_weights_open(&of_a, a);
    if (s == LOCANT_OK)
        s = lct_weights_open(&of_b, b);
    if (s == LOCANT_OK)
        s = load(&first, of_a, a, a_name);
    if (s == LOCANT_OK)
        s = load(&second, of_b, b, b_name);
    if (s == LOCANT_OK)
        s = locant_identify_weights(out, &first, &second, head_dim);
    locant_release(first.data);
    locant_release(second.data);
    lct_weights_close(of_a);
    lct_weights_close(of_b);
    return s;
}
