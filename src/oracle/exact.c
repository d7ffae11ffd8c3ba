/*
 * exact.c - cosine and sine far beyond double, in pairs of long doubles.
 *
 * Sums and products of pairs after Dekker 1971, "A floating-point technique for
 * extending the available precision", Numerische Mathematik 18.  His product is
 * faster than fmal(), which few machines have an instruction for.
 */
#include <float.h>
#include <math.h>

#include "exact.h"

static struct exact two_sum(long double a, long double b)
{
    long double s = a + b, t = s - a;

    return (struct exact){ s, (a - (s - t)) + (b - t) };
}

struct exact exact_add(struct exact a, struct exact b)
{
    struct exact s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);

    s = two_sum(s.hi, s.lo + t.hi);
    return two_sum(s.hi, s.lo + t.lo);
}

/* x without its lower half of bits (Veltkamp). */
static long double upper(long double x)
{
    const long double step =
        (long double)(UINT64_C(1) << (LDBL_MANT_DIG + 1) / 2) + 1;
    long double y = step * x;

    return y - (y - x);
}

/* a b - p, exactly, for p = a b rounded. */
static long double product_error(long double a, long double b, long double p)
{
    long double x = upper(a), y = upper(b), u = a - x, v = b - y;

    return ((x * y - p) + x * v + u * y) + u * v;
}

struct exact exact_times(struct exact a, struct exact b)
{
    long double p = a.hi * b.hi, e = product_error(a.hi, b.hi, p);

    return two_sum(p, e + (a.hi * b.lo + a.lo * b.hi));
}

struct exact exact_of(long double x)
{
    return (struct exact){ x, 0 };
}

struct exact exact_negate(struct exact a)
{
    return (struct exact){ -a.hi, -a.lo };
}

struct exact exact_divide(struct exact a, struct exact b)
{
    long double q = a.hi / b.hi;
    struct exact rest = exact_add(a, exact_negate(exact_times(b, exact_of(q))));

    return two_sum(q, rest.hi / b.hi);
}

static struct exact power(struct exact x, int64_t n)
{
    struct exact y = exact_of(1);

    for (; n > 0; n >>= 1) {
        if (n & 1)
            y = exact_times(y, x);
        x = exact_times(x, x);
    }
    return y;
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/*
 * f^(dim/g) base^(2c/g) = 1 with g = gcd(dim, 2c).  If powl() has the relative
 * error e, the product has dim/g e: one correction leaves dim/g e^2.
 */
struct exact exact_frequency(double base, int64_t c, int64_t dim)
{
    int64_t g = gcd(dim, 2 * c), n = dim / g;
    long double f =
        powl((long double)base, -2 * (long double)c / (long double)dim);
    struct exact rest = exact_times(
        power(exact_of(f), n), power(exact_of((long double)base), 2 * c / g));

    rest = exact_add(rest, exact_of(-1));
    return two_sum(f, -f * (rest.hi / (long double)n));
}

/* 2 pi, as the sum of three doubles: the error is below 2^-160. */
struct exact exact_turn(void)
{
    struct exact t = two_sum(0x1.921fb54442d18p+2L, 0x1.1a62633145c07p-52L);

    return exact_add(t, exact_of(-0x1.f1976b7ed8fbcp-108L));
}

void exact_angle(long double *cosine, long double *sine, struct exact f,
                 double position)
{
    struct exact angle = exact_times(f, exact_of((long double)position));
    long double turns = rintl(angle.hi / exact_turn().hi), c, s;

    angle = exact_add(angle, exact_times(exact_turn(), exact_of(-turns)));
    c = cosl(angle.hi);
    s = sinl(angle.hi);
    *cosine = c - angle.lo * s;
    *sine = s + angle.lo * c;
}

/* Expand 2 f / pi = 4 f / (2 pi) as a continued fraction. */
int exact_near(int64_t *out, int n, struct exact f, int64_t most)
{
    long double x = 4 * (f.hi / exact_turn().hi);
    int64_t before = 0, now = 1;
    int found = 0;

    x -= floorl(x);
    while (found < n && x > 0 && 1 / x < (long double)most) {
        int64_t quotient = (int64_t)(1 / x), next;

        if (quotient > (most - before) / now)
            break;
        x = 1 / x - (long double)quotient;
        next = quotient * now + before;
        out[found++] = next;
        before = now;
        now = next;
    }
    return found;
}
