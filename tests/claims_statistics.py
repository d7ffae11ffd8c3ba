"""Statistics of page_claims.py, by formulas of their own: Student's t from the
incomplete beta function, exact tests by enumeration, Holm by sorting."""
import functools
import math

import numpy as np

POWER, MOST_SEEDS, MOST_FLIPS, RESAMPLES = 0.8, 1000, 20, 2000


def beta_fraction(a, b, x):
    """Lentz's continued fraction of the incomplete beta function (Numerical
    Recipes, 6.4)."""
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    result = d
    for m in range(1, 500):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x /
                     ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            result *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return result


def beta(a, b, x):
    """The regularized incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) +
                     a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


def t_tail(t, df):
    """P(|T| > t)."""
    return beta(df / 2, 0.5, df / (df + t * t)) if math.isfinite(t) else 0.0


@functools.lru_cache(None)
def t_quantile(df, tail):
    """t with P(|T| > t) = tail."""
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = ((middle, high) if t_tail(middle, df) > tail
                     else (low, middle))
    return high


def t_interval(x):
    """Mean and half of the 95 % interval."""
    n = len(x)
    if n < 2:
        return (float(x[0]) if n else math.nan), math.nan
    error = float(np.std(x, ddof=1)) / math.sqrt(n)
    return float(np.mean(x)), t_quantile(n - 1, 0.05) * error


def flips(d):
    """The share of all choices of signs whose sum is as far from zero."""
    n = len(d)
    if n < 1 or n > MOST_FLIPS or not np.isfinite(d).all():
        return math.nan
    sums = np.zeros(1)
    for x in d:
        sums = np.concatenate((sums + x, sums - x))
    return float(np.mean(np.abs(sums) >= abs(sum(d)) -
                         1e-13 * np.abs(d).sum()))


class Paired:
    """Tests of differences over seeds; NAN where undefined."""

    def __init__(self, d):
        d = np.asarray(d, float)
        n = self.seeds = len(d)
        self.mean, self.half = t_interval(d)
        self.deviation = float(np.std(d, ddof=1)) if n > 1 else math.nan
        self.exact, self.p, self.corrected = flips(d), math.nan, math.nan
        if n > 1 and self.mean == 0:
            self.p = 1.0
        elif n > 1 and not math.isnan(self.mean):
            error = self.deviation / math.sqrt(n)
            self.p = t_tail(abs(self.mean) / error if error else math.inf,
                            n - 1)
        self.sign = int(n > 0 and (d > 0).all()) - int(n > 0 and
                                                       (d < 0).all())

    def negated(self):
        other = Paired([])
        other.__dict__.update(self.__dict__)
        other.mean, other.sign = -self.mean, -self.sign
        return other


def holm(p):
    """Corrected p, step by step as published."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    out, least = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1, (len(p) - rank) * p[i]))
        out[i] = least
    return out


def error(x):
    """Standard error of the mean."""
    return (float(np.std(x, ddof=1)) / math.sqrt(len(x)) if len(x) > 1
            else math.nan)


def describe(x):
    """Mean, standard errors of seeds and blocks, bootstrap of both, of
    x [seeds, blocks]."""
    seeds, blocks = x.shape
    if seeds == 0 or not np.isfinite(x).all():
        return (math.nan,) * 5
    random = np.random.default_rng(seeds * blocks)
    s = np.apply_along_axis(np.bincount, 1, random.integers(
        seeds, size=(RESAMPLES, seeds)), minlength=seeds)
    b = np.apply_along_axis(np.bincount, 1, random.integers(
        blocks, size=(RESAMPLES, blocks)), minlength=blocks)
    means = np.einsum("rs,sb,rb->r", s, x, b) / x.size
    low, high = np.quantile(means, (0.025, 0.975))
    return (float(x.mean()), error(x.mean(axis=1)), error(x.mean(axis=0)),
            float(low), float(high))


def crossed(x, counts):
    """Intervals of x [encodings, seeds, blocks] over seeds and blocks: the
    variance of seeds is at least that pooled over encodings."""
    out, squares, freedom = [], 0.0, 0
    for own, n in zip(x, counts):
        own = own[:n]
        whole = n > 0 and np.isfinite(own).all()
        mean = float(own.mean()) if whole else math.nan
        seed = error(own.mean(axis=1)) if whole else math.nan
        data = error(own.mean(axis=0)) if whole else math.nan
        out.append({"mean": mean, "low": math.nan, "high": math.nan,
                    "seed_error": seed, "data_error": data})
        if not math.isnan(seed + data):
            squares += float(np.var(own.mean(axis=1), ddof=1)) * (n - 1)
            freedom += n - 1
    for one, n in zip(out, counts):
        a, b = one["seed_error"] ** 2, one["data_error"] ** 2
        if math.isnan(a + b):
            continue
        a = max(a, squares / freedom / n)
        half = 0.0
        if a + b > 0:
            df = (a + b) ** 2 / (a ** 2 / freedom + b ** 2 / (x.shape[2] - 1))
            half = t_quantile(int(df), 0.05) * math.sqrt(a + b)
        one["low"], one["high"] = one["mean"] - half, one["mean"] + half
    return out


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


@functools.lru_cache(None)
def power(mean, deviation, n, alpha):
    """P that the t test rejects: Simpson's rule over chi-squared = df s^2."""
    if n < 2 or not deviation > 0:
        return math.nan
    df, t = n - 1, t_quantile(n - 1, alpha)
    shift = abs(mean) / deviation * math.sqrt(n)
    s = np.linspace(max(1e-9, 1 - 10 / math.sqrt(df)), 1 + 10 / math.sqrt(df),
                    1001)
    log = (df - 1) * np.log(s) - df * s * s / 2
    weight = np.exp(log - log.max())
    weight[1:-1:2] *= 4
    weight[2:-1:2] *= 2
    rejects = [normal(shift - t * x) + normal(-shift - t * x) for x in s]
    return float(np.dot(weight, rejects) / weight.sum())


def power_seeds(mean, deviation, alpha):
    """The least number of seeds of enough power; 0: too many."""
    if not power(mean, deviation, MOST_SEEDS, alpha) >= POWER:
        return 0
    low, high = 1, MOST_SEEDS
    while high - low > 1:
        n = (low + high) // 2
        low, high = ((low, n) if power(mean, deviation, n, alpha) >= POWER
                     else (n, high))
    return high


def flip_seeds(comparisons, alpha):
    """The least seeds with which a sign-flip test, corrected by Holm, can be
    below alpha; 0: too many."""
    for n in range(1, MOST_FLIPS + 1):
        if comparisons * 2.0 ** (1 - n) < alpha:
            return n
    return 0
