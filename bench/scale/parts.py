#!/usr/bin/env python3
"""What taking keys in blocks of 1024 costs: processor seconds of attention with
carried state, against one call.

usage: LOCANT_LIBRARY=BUILD PYTHONPATH=python bench/scale/parts.py [TOKENS
           [ROUNDS]]

4 heads of 64 channels, causal, one thread.  Each round is one call and the
blocks, in turn; prints medians over rounds of the ratios of processor time.
"""
import statistics
import sys
import time

import locant
import numpy as np

BLOCK = 1024


def timed(f):
    start = time.process_time()
    result = f()
    return time.process_time() - start, result


class Case:
    """Attention with one encoding, whole and by blocks."""

    def __init__(self, spec, tokens):
        r = np.random.default_rng(1)
        self.q, self.k, self.v, self.dout = r.standard_normal(
            (4, 1, 4, tokens, 64)).astype(np.float32)
        self.e = locant.Encoding(spec)
        self.given = (self.e, True, self.e.init(
            1, width=256, heads=4, kv_heads=4, head_dim=64))

    def whole(self):
        return locant.attention(self.q, self.k, self.v, *self.given,
                                return_lse=True)

    def whole_backward(self, out, lse):
        return locant.attention_backward(self.dout, self.q, self.k, self.v,
                                         out, lse, *self.given).q

    def blocks(self):
        """The keys and values of each block, and where they are."""
        keys = self.k.shape[2]
        for first in range(0, keys, BLOCK):
            of = slice(first, first + BLOCK)
            yield (self.k[:, :, of], self.v[:, :, of]), {
                "first": first, "keys": keys, "last": first + BLOCK >= keys}

    def parts(self):
        state = None
        for kv, at in self.blocks():
            state, out, lse = locant.attention_part(
                self.q, *kv, *self.given, state=state, **at)
        return out, lse

    def parts_backward(self, out, lse):
        state = None
        for kv, at in self.blocks():
            g = locant.attention_part_backward(
                self.dout, self.q, *kv, out, lse, *self.given, state=state,
                **at)
            state = g.state
        return g.q


def main(tokens=8192, rounds=9):
    locant.set_threads(1)
    for spec in ("rope", "alibi", "t5", "none"):
        case = Case(spec, tokens)
        forward, backward = [], []
        for _ in range(rounds):
            a, (out, lse) = timed(case.whole)
            b, (carried, _) = timed(case.parts)
            assert (out == carried).all()
            forward.append(b / a)
            a, dq = timed(lambda: case.whole_backward(out, lse))
            b, carried = timed(lambda: case.parts_backward(out, lse))
            assert (dq == carried).all()
            backward.append(b / a)
        print(f"{spec}, {tokens} tokens: forward "
              f"{statistics.median(forward):.3f} "
              f"({min(forward):.3f} to {max(forward):.3f}), backward "
              f"{statistics.median(backward):.3f} "
              f"({min(backward):.3f} to {max(backward):.3f})", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
