/*
 * forms.js - closed forms of encodings, recomputed while a slider moves.
 *
 * The same formulas as the library's, in double: angles up to 2^20 are known to
 * about 1e-9.  tests/forms.mjs compares them with the command.
 */
const forms = (() => {
  const TURN = 2 * Math.PI;

  /* Vaswani et al. 2017, section 3.5: P[2i] = sin, P[2i + 1] = cos of
     position base^(-2i/dim). */
  function sinusoid(position, dim, base) {
    return Array.from({ length: dim }, (_, c) => {
      const angle = position * Math.pow(base, -(c - c % 2) / dim);
      return c % 2 ? Math.cos(angle) : Math.sin(angle);
    });
  }

  /* Su et al. 2021, arXiv:2104.09864, eq. (15): turns of pair c per position,
     in radians. */
  function rope(dim, base) {
    return Array.from({ length: dim / 2 }, (_, c) => Math.pow(base,
                                                              -2 * c / dim));
  }

  /* Shares that YaRN keeps of each frequency, Peng et al. 2023,
     arXiv:2309.00071, section 3.2.  ramp "index": linear in the pair's index,
     as the authors' code; "turns": linear in the turns within the trained
     length, as the paper. */
  function yarn_shares(dim, base, original, fast, slow, ramp) {
    const clamp = (x) => Math.min(1, Math.max(0, x));
    if (ramp === "turns")
      return rope(dim, base).map(
        (f) => clamp((original * f / TURN - slow) / (fast - slow)));
    const index = (turns) =>
      dim * Math.log(original / (turns * TURN)) / (2 * Math.log(base));
    const low = Math.max(Math.floor(index(fast)), 0);
    let high = Math.min(Math.ceil(index(slow)), dim - 1);
    if (low === high)
      high += 0.001;
    return Array.from({ length: dim / 2 },
                      (_, c) => 1 - clamp((c - low) / (high - low)));
  }

  /*
   * Frequencies under a scaling:
   *   kind       none, linear (PI, Chen et al. 2023, arXiv:2306.15595), ntk
   *              (bloc97 2023: base factor^(dim/(dim-2))), dynamic (emozilla
   *              2023: ntk by the length of the call), yarn
   *   original   trained length       length   of the call, read by dynamic
   */
  function scaled(dim, base, { kind, factor, original, length, fast = 32,
                               slow = 1, ramp = "index" }) {
    const plain = rope(dim, base);
    const stretch = (s) => plain.map(
      (f, c) => dim === 2 ? f : f * Math.pow(s, -2 * c / (dim - 2)));
    switch (kind) {
    case "linear":
      return plain.map((f) => f / factor);
    case "ntk":
      return stretch(factor);
    case "dynamic":
      return stretch(1 + factor * (Math.max(length, original) - original) /
                         original);
    case "yarn": {
      const keep = yarn_shares(dim, base, original, fast, slow, ramp);
      return plain.map((f, c) => f * keep[c] + f / factor * (1 - keep[c]));
    }
    default:
      return plain;
    }
  }

  /* YaRN, eq. (22): what cos and sin are multiplied by. */
  function yarn_attention(factor) {
    return factor <= 1 ? 1 : 0.1 * Math.log(factor) + 1;
  }

  const wavelengths = (frequencies) => frequencies.map((f) => TURN / f);

  /* The unit vector of each pair, turned. */
  function circle(position, frequencies) {
    return frequencies.map((f) => [Math.cos(position * f),
                                   Math.sin(position * f)]);
  }

  /* Press, Smith, Lewis 2021, arXiv:2108.12409: head h of H, from 0 on. */
  function alibi_slopes(heads, max = 8) {
    let power = 1;
    while (power <= heads / 2)
      power *= 2;
    return Array.from({ length: heads }, (_, h) => h < power
      ? Math.pow(2, -max * (h + 1) / power)
      : Math.pow(2, -max / 2 * (2 * (h - power) + 1) / power));
  }

  /* Is n^w single^k < distance^k single^w?  Whole numbers, so that no
     logarithm misses a bucket. */
  function below(n, k, w, single, distance) {
    return BigInt(n) ** BigInt(w) * BigInt(single) ** BigInt(k) <
           BigInt(distance) ** BigInt(k) * BigInt(single) ** BigInt(w);
  }

  /* Raffel et al. 2020, arXiv:1910.10683, section 2.1, one side: the bucket of
     a distance from query back to key. */
  function t5_bucket(n, buckets = 32, distance = 128) {
    const single = Math.floor(buckets / 2), w = buckets - single;
    let k = 0;
    if (n < single)
      return Math.max(n, 0);
    while (k + 1 < w && !below(n, k + 1, w, single, distance))
      k++;
    return single + k;
  }

  /* Chiang, Cholak 2022, arXiv:2202.12172: the query at position p, from 0. */
  function logn(position, length) {
    return position < length ? 1 : Math.log(position + 1) / Math.log(length);
  }

  return { sinusoid, rope, scaled, yarn_shares, yarn_attention, wavelengths,
           circle, alibi_slopes, t5_bucket, logn };
})();
