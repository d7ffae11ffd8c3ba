/*
 * forms.js - closed forms of encodings, recomputed while a slider moves.
 *
 * The formulas are those of the library, in double precision: angles up to 2^20
 * have an error of about 1e-9.  tests/forms.mjs compares with the command.
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

  /* Su et al. 2021, arXiv:2104.09864, eq. (15): the angle of pair c per
     position, in radians. */
  function rope(dim, base) {
    return Array.from({ length: dim / 2 }, (_, c) => Math.pow(base,
                                                              -2 * c / dim));
  }

  /* Shares that YaRN keeps of each frequency, Peng et al. 2023,
     arXiv:2309.00071, section 3.2.  ramp "index": linear in the index of the
     pair, as in the authors' code; "turns": linear in the number of turns
     within the trained length, as in the paper. */
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

  const wavelengths = (frequencies) => frequencies.map((f) => TURN / f);

  /* Press, Smith, Lewis 2021, arXiv:2108.12409: a slope for each head. */
  function alibi_slopes(heads, max = 8) {
    let power = 1;
    while (power <= heads / 2)
      power *= 2;
    return Array.from({ length: heads }, (_, h) => h < power
      ? Math.pow(2, -max * (h + 1) / power)
      : Math.pow(2, -max / 2 * (2 * (h - power) + 1) / power));
  }

  /* Whether n^w single^k < distance^k single^w.  Whole numbers, because a rounded
     logarithm may give the wrong bucket. */
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

  /* Chiang, Cholak 2022, arXiv:2202.12172: the factor of the query at a position,
     counted from 0. */
  function logn(position, length) {
    return position < length ? 1 : Math.log(position + 1) / Math.log(length);
  }

  /* ------------------------------------------------- tables of another length */

  /* Rows [m, dim] interpolated to [n, dim] at the centres of cells, as
     interpolate() of PyTorch does; 'align' keeps the first and the last row. */
  function resized(cells, dim, n, align) {
    const m = cells.length / dim, out = new Float64Array(n * dim);
    const row = (i) => Math.min(Math.max(i, 0), m - 1) * dim;
    for (let x = 0; x < n; x++) {
      const at = align ? (n > 1 ? x * (m - 1) / (n - 1) : 0)
        : (2 * x + 1) * m / (2 * n) - 0.5;
      const low = Math.floor(at), f = at - low;
      for (let c = 0; c < dim; c++)
        out[x * dim + c] = (1 - f) * cells[row(low) + c] +
                           f * cells[row(low + 1) + c];
    }
    return out;
  }

  /* -------------------------------------------------------------- attention */

  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

  /* [n, m] times [m, dim] */
  const product = (a, b) => a.map((row) => b[0].map(
    (_, c) => row.reduce((sum, x, i) => sum + x * b[i][c], 0)));

  /* Softmax of each row.  NaN stands for a masked key and stays NaN. */
  function softmax(scores) {
    return scores.map((row) => {
      const most = Math.max(...row.filter((s) => !Number.isNaN(s)));
      const e = row.map((s) => Math.exp(s - most));
      const sum = e.reduce((all, x) => Number.isNaN(x) ? all : all + x, 0);
      return e.map((x) => x / sum);
    });
  }

  const attention = (q, k) => softmax(q.map(
    (row) => k.map((key) => dot(row, key) / Math.sqrt(row.length))));

  /* The inverse of a permutation. */
  function argsort(p) {
    const out = [];
    p.forEach((to, i) => { out[to] = i; });
    return out;
  }

  /* ------------------------------------------------------------------ rotary */

  /* The index of the pair that channel c belongs to. */
  const pair_of = (c, dim, layout) => layout === "half" ? c % (dim / 2)
    : Math.floor(c / 2);

  /* One row, each pair rotated by position times its frequency. */
  function rotated(row, position, frequencies, layout) {
    const dim = row.length, out = row.slice();
    frequencies.forEach((f, i) => {
      const [a, b] = layout === "half" ? [i, i + dim / 2] : [2 * i, 2 * i + 1];
      const cos = Math.cos(position * f), sin = Math.sin(position * f);
      out[a] = row[a] * cos - row[b] * sin;
      out[b] = row[a] * sin + row[b] * cos;
    });
    return out;
  }

  /* ---------------------------------------------------------- Transformer-XL */

  /* R_n of Dai et al. 2019, arXiv:1901.02860: sines, then cosines. */
  function xl_wave(n, width, base) {
    const sines = Math.ceil(width / 2);
    return Array.from({ length: width }, (_, c) => {
      const angle = n * Math.pow(base, -2 * (c % sines) / width);
      return c < sines ? Math.sin(angle) : Math.cos(angle);
    });
  }

  /* The four terms of one head's scores, section 3.3; NaN for later keys.
     q, k [n, dim], u, v [dim], projection [dim, width]. */
  function xl_terms({ q, k, u, v, projection }, base = 10000) {
    const scale = 1 / Math.sqrt(u.length), width = projection[0].length;
    const r = q.map((_, n) => projection.map(
      (row) => dot(row, xl_wave(n, width, base))));
    const of = (term) => q.map((_, i) => k.map((_, j) =>
      j > i ? NaN : scale * term(i, j)));
    return { a: of((i, j) => dot(q[i], k[j])),
             b: of((i, j) => dot(q[i], r[i - j])),
             c: of((i, j) => dot(u, k[j])), d: of((i, j) => dot(v, r[i - j])) };
  }

  return { sinusoid, rope, scaled, yarn_shares, wavelengths, alibi_slopes,
           t5_bucket, logn, resized, product, softmax, attention, argsort,
           pair_of, rotated, xl_terms };
})();
