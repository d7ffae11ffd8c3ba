/* vector_tolerance.c - how far an implementation may be off in each type */
#include "vector_tolerance.h"

const char lct_vector_tolerance_words[] =
    "A result passes if |got - want| <= absolute + relative |want|.  u is the "
    "unit roundoff: 2^-53 (f64), 2^-24 (f32), 2^-11 (f16), 2^-8 (bf16).  "
    "Cosines and sines may be off by 2u (f64: 4u), each product by u, so a "
    "rotated channel by 3.1u (f64: 5.1u) times |a| + |b|, which is below 4, "
    "times the attention factor; its sum by 1.01u of itself.  A score adds the "
    "errors of its channels and 66 roundings of float32 (f64: of double).  "
    "Slopes and biases of ALiBi may be off by 4.1u of themselves, temperatures "
    "by 6.1u, frequencies by 8u times the factor of the scaling; buckets and "
    "biases read from a table are exact.  All of an implementation may be "
    "computed in the type itself, angles excepted: they are exact.  If angles "
    "are rounded (float32, in f64 double; verify --angles rounded), 8 units of "
    "that type times the tensor 'slack' are added: what a relative error of "
    "every angle would move.";

static double unit_of(locant_dtype dtype)
{
    switch (dtype) {
    case LOCANT_F64: return 0x1p-53;
    case LOCANT_F32: return 0x1p-24;
    case LOCANT_F16: return 0x1p-11;
    case LOCANT_BF16: return 0x1p-8;
    default: return 0; /* integers */
    }
}

struct lct_vector_tolerance
lct_vector_tolerance_of(const struct lct_vector_values *v, locant_dtype dtype)
{
    struct lct_vector_tolerance t = { 0 };
    double u = unit_of(dtype), inner = dtype == LOCANT_F64 ? u : 0x1p-24;

    if (u == 0)
        return t;
    t.absolute = (dtype == LOCANT_F64 ? 5.1 : 3.1) * u * v->reach +
                 inner * v->terms + v->doubt;
    if (dtype == LOCANT_F16) /* half a step of subnormal numbers */
        t.absolute += 0x1p-25;
    t.relative = v->relative * u;
    t.angles = v->slack != NULL ? 8 * inner : 0;
    return t;
}
