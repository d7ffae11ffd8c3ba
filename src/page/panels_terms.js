/*
 * panels_terms.js - more figures of closed forms: what shuffling changes, the
 * four terms of Transformer-XL, layouts of rotary pairs, and scores that depend
 * on distances alone.  See panels.js.  They also read from the state: layout
 * (half, interleaved), part (cos, sin, angle), terms (those of "abcd" that are
 * added), order (the number of the shuffle), placed ("yes" if the shuffled
 * tokens have positions).
 */
const panels_terms = (() => {
  const { map, axis, frequencies } = panels;

  /* Random numbers by mulberry32 and Box-Muller, the same on every page. */
  function normals(seed) {
    let s = seed >>> 0;
    const uniform = () => {
      s = (s + 0x6d2b79f5) >>> 0;
      let t = Math.imul(s ^ (s >>> 15), 1 | s);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return (((t ^ (t >>> 14)) >>> 0) + .5) / 4294967296;
    };
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) *
                         Math.cos(2 * Math.PI * uniform());
    return { uniform, normal,
             rows: (n, dim, scale = 1) => d3.range(n).map(
               () => d3.range(dim).map(() => scale * normal())) };
  }

  /* Square matrices side by side, as one map. */
  function tiled(name, title, title_zh, matrices, labels, more) {
    const n = matrices[0].length, tiles = { size: n, gap: 1, across: labels,
                                            down: [["", ""]] };
    const cols = matrices.length * (n + 1) - 1;
    const cells = new Float64Array(n * cols).fill(NaN);
    matrices.forEach((matrix, t) => matrix.forEach((row, i) => row.forEach(
      (value, j) => { cells[i * cols + t * (n + 1) + j] = value; })));
    const most = d3.max(cells, Math.abs) || 1;
    return map(name, title, title_zh, [n, cols], cells,
               { low: -most, high: most, tiles, ...axis("y", "query", "查询"),
                 ...more });
  }

  /* --------------------------------------------------------------- shuffle */

  const TOKENS = 8, WIDTH = 16;

  /* A permutation p that is not its own inverse: otherwise p and argsort(p) would
     be equal. */
  function order_of(which) {
    const random = normals(1000 + which), p = d3.range(TOKENS);
    do
      for (let i = TOKENS - 1; i > 0; i--) {
        const j = Math.floor(random.uniform() * (i + 1));
        [p[i], p[j]] = [p[j], p[i]];
      }
    while (p.every((to, i) => p[to] === i));
    return p;
  }

  function attention_of(tokens, placed, of_query, of_key) {
    const x = tokens.map((row, t) => row.map((value, c) => value +
      (placed ? forms.sinusoid(t, WIDTH, 10000)[c] : 0)));
    return forms.attention(forms.product(x, of_query),
                           forms.product(x, of_key));
  }

  /* Weights of the shuffled tokens minus the weights before, which are reordered
     by p and, wrongly, by argsort(p). */
  function shuffle(state) {
    const random = normals(7), tokens = random.rows(TOKENS, WIDTH);
    const of_query = random.rows(WIDTH, WIDTH, 1 / Math.sqrt(WIDTH));
    const of_key = random.rows(WIDTH, WIDTH, 1 / Math.sqrt(WIDTH));
    const p = order_of(state.order), placed = state.placed === "yes";
    const was = attention_of(tokens, placed, of_query, of_key);
    const now = attention_of(p.map((t) => tokens[t]), placed, of_query, of_key);
    const change_from = (q) => now.map((row, i) => row.map((value, j) => {
      const change = value - was[q[i]][q[j]];
      return Math.abs(change) < 1e-12 ? 0 : change;
    }));
    const right = change_from(p), wrong = change_from(forms.argsort(p));
    const most = (m) => d3.max(m.flat(), Math.abs);
    return tiled("shuffle", `Shuffled: p = ${p.join(" ")}`,
                 `打乱顺序：p = ${p.join(" ")}`, [right, wrong],
                 [["by p", "按 p"], ["by argsort(p)", "按 argsort(p)"]],
                 { order: p, changes: [most(right), most(wrong)],
                   badge: most(right) === 0
                     ? [true, "equivariant: only the order changes",
                        "等变：只有顺序改变"]
                     : [false, `order matters: weights change by up to ${
                          views.number(most(right))}`,
                        `顺序有影响：权重最多改变 ${views.number(most(right))}`
                       ] });
  }

  /* ----------------------------------------------------- four terms of XL */

  const names = [["a", "(a) content and content: q·k", "(a) 内容与内容：q·k"],
                 ["b", "(b) content and distance: q·r",
                  "(b) 内容与距离：q·r"],
                 ["c", "(c) any query and content: u·k",
                  "(c) 任意查询与内容：u·k"],
                 ["d", "(d) any query and distance: v·r",
                  "(d) 任意查询与距离：v·r"]];
  const XL = 16;

  /* Random operands, so large that each term is visible. */
  function xl_case() {
    const random = normals(11);
    return { q: random.rows(XL, WIDTH), k: random.rows(XL, WIDTH),
             u: random.rows(1, WIDTH, .7)[0], v: random.rows(1, WIDTH, .7)[0],
             projection: random.rows(WIDTH, WIDTH, 1 / Math.sqrt(WIDTH / 2)) };
  }

  function xl(state) {
    const terms = forms.xl_terms(xl_case());
    const sum = terms.a.map((row, i) => row.map((first, j) => j > i ? NaN
      : d3.sum([...state.terms], (term) => terms[term][i][j])));
    const chosen = [...state.terms].map((t) => `(${t})`).join(" + ") || "0";
    const data = tiled("xl", `Transformer-XL: ${chosen}`,
                 `Transformer-XL：${chosen}`,
                 [sum, forms.softmax(sum)],
                 [["score", "分数"], ["weight", "权重"]]);
    /* weights are drawn as if 1 were the largest score */
    data.shown = data.cells.map((value, i) =>
      i % data.cols > XL ? value * data.high : value);
    return data;
  }

  /* --------------------------------------------------------------- rotary */

  const ROWS = 64;

  function layout(state) {
    const freq = frequencies(state), cols = state.dim, turn = 2 * Math.PI;
    const of = { cos: Math.cos, sin: Math.sin, angle: (a) => a % turn };
    const cells = new Float64Array(ROWS * cols);
    for (let row = 0; row < ROWS; row++)
      for (let c = 0; c < cols; c++)
        cells[row * cols + c] = of[state.part](
          (state.position + row) * freq[forms.pair_of(c, cols, state.layout)]);
    const angle = state.part === "angle";
    return map("layout", "Angles of the channels", "各通道的角度",
               [ROWS, cols], cells,
               { ...axis("x", "channel", "通道"),
                 ...axis("y", "position", "位置"), y_first: state.position,
                 diverging: !angle, low: angle ? 0 : -1,
                 high: angle ? turn : 1 });
  }

  /* Scores of one query and one key at fixed distances, at many positions. */
  function relative(state) {
    const random = normals(5), freq = frequencies(state);
    const q = random.rows(1, state.dim)[0], k = random.rows(1, state.dim)[0];
    const x = d3.range(65).map((i) => state.position + 64 + 4 * i);
    const rotated = (row, p) => forms.rotated(row, p, freq, state.layout);
    const dot = (a, b) => d3.sum(a, (v, i) => v * b[i]);
    const series = [1, 8, 64].map((distance, i) => ({
      label: `distance ${distance}`, label_zh: `距离 ${distance}`, x, color: i,
      dashed: i, marks: false,
      y: x.map((p) => dot(rotated(q, p), rotated(k, p - distance)) /
                      Math.sqrt(state.dim)) }));
    const spread = d3.max(series, (s) => d3.max(s.y) - d3.min(s.y));
    const norm = Math.sqrt(dot(q, q)), after = rotated(q, x[64]);
    const stretch = Math.abs(Math.sqrt(dot(after, after)) / norm - 1);
    const ok = spread < 1e-9 && stretch < 1e-9;
    const low = d3.min(series, (s) => d3.min(s.y));
    const high = d3.max(series, (s) => d3.max(s.y));
    return { kind: "curves", name: "explore-relative", log_x: false, marks: [],
             title: "The same distances at other positions",
             title_zh: "相同距离、不同位置",
             ...axis("x", "position of the query", "查询的位置"),
             ...axis("y", "score", "分数"),
             y_min: low - .5, y_max: high + .5, series,
             badge: [ok, `scores vary by ${views.power(spread, 0)}, the ` +
                         `length of q by ${views.power(stretch, 0)}`,
                     `分数变化 ${views.power(spread, 0)}，q 的长度变化 ${
                       views.power(stretch, 0)}`] };
  }

  /* ---------------------------------------------------------------- ALiBi */

  function alibi(state) {
    const n = 32, slope = forms.alibi_slopes(state.heads)[state.head];
    const cells = Float64Array.from({ length: n * n }, (_, i) =>
      i % n > Math.floor(i / n) ? NaN : -slope * (Math.floor(i / n) - i % n));
    const falls = cells.every((value, i) => Number.isNaN(value) ||
      value <= 0 && (i % n === 0 || cells[i - 1] <= value));
    return map("alibi-matrix",
               `ALiBi, head ${state.head}: slope ${views.number(slope)}`,
               `ALiBi，第 ${state.head} 头：斜率 ${views.number(slope)}`,
               [n, n], cells,
               { ...axis("x", "key", "键"), ...axis("y", "query", "查询"),
                 low: d3.min(cells), high: -d3.min(cells),
                 badge: tools.sign(falls) });
  }

  const list = [
    [shuffle, "Eight random tokens in another order p: their weights minus " +
              "those before, A[p][:, p] and A[argsort(p)][:, argsort(p)]. " +
              "The second is a pitfall: it is right only if p is its own inverse.",
     "八个随机词元换成顺序 p：新权重减去原权重 A[p][:, p] 与 " +
     "A[argsort(p)][:, argsort(p)]。后者是常见的错误：只有 p 是自身的逆时才对。",
     "shuffle"],
    [xl, "Random queries, keys, u, v and W_R; switch the terms on and off. " +
         "Right: softmax of their sum.",
     "随机的查询、键、u、v 与 W_R；可开关各项。右：各项之和的 softmax。",
     "terms"],
    [layout, "How each channel rotates: two channels are one pair, and which " +
             "two is a convention that must match the weights.",
     "每个通道的旋转：两个通道成一对，哪两个是约定，必须与权重一致。",
     "layout"],
    [relative, "q·k after rotation, for one random q and k: the lines are flat, " +
               "because only the distance counts.",
     "一对随机 q、k 旋转后的 q·k：线是平的，因为只有距离起作用。"],
    [alibi, "What is added to the scores of one head: 0 for the query itself, " +
            "less and less into the past.",
     "加到一个头的分数上的值：对自身为 0，越往过去越小。", "alibi"]
  ];

  return { list, names };
})();
