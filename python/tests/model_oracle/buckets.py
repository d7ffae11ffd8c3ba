"""Buckets of distances, with whole numbers where the models take logarithms.

A logarithm in floating point may fall on either side of a border of buckets;
powers of whole numbers do not.
"""
import numpy as np


def t5_bucket(distance, both, count, limit):
    """Of key minus query (arXiv:1910.10683): exact ones up to a quarter or a
    half, then by the logarithm up to limit."""
    start = 0
    if both:
        count //= 2
        start = count if distance > 0 else 0
        n = abs(distance)
    else:
        n = max(-distance, 0)
    exact = count // 2
    if n < exact:
        return start + n
    more = count - exact
    k = 0  # the largest with (n / exact)^more >= (limit / exact)^k
    while (k < more and n ** more * exact ** (k + 1) >=
           limit ** (k + 1) * exact ** more):
        k += 1
    return start + min(exact + k, count - 1)


def t5_bias(table, queries, keys, both, limit):
    """[1, H, T, S] of a table [buckets, H]."""
    rows = [[t5_bucket(j - i, both, len(table), limit) for j in range(keys)]
            for i in range(queries)]
    return table[np.array(rows)].transpose(2, 0, 1)[None]


def deberta_bucket(distance, buckets, limit):
    """Of query minus key (arXiv:2006.03654, and 2111.09543 for buckets)."""
    mid, n = buckets // 2, abs(distance)
    if n <= mid:
        return distance
    k = 0  # the smallest with (n / mid)^(mid - 1) <= ((limit - 1) / mid)^k
    while (n ** (mid - 1) * mid ** k > (limit - 1) ** k * mid ** (mid - 1)):
        k += 1
    return (k + mid) * (1 if distance > 0 else -1)


def deberta_distances(t, buckets, limit):
    """[T, T] of queries and keys; buckets < 1: distances themselves."""
    return np.array([[deberta_bucket(i - j, buckets, limit)
                      if buckets > 0 else i - j
                      for j in range(t)] for i in range(t)])
