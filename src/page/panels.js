/*
 * panels.js - figures of closed forms, as functions from the state of the
 * sliders to data in the format of the page's figures.
 *
 * state: position, base, dim (channels of a head), kind, factor, length (the
 * trained one), call (length of the call), fast (turns that YaRN leaves alone),
 * heads, head (counted from 0), buckets, distance (of the last bucket).
 */
const panels = (() => {
  function curves(name, title, title_zh, more, series) {
    return { kind: "curves", name: `explore-${name}`, title, title_zh,
             log_x: false, marks: [], ...more,
             series: series.map((s, i) => ({ color: i % 9, dashed: 0,
                                             marks: false, ...s })) };
  }

  function map(name, title, title_zh, [rows, cols], cells, more) {
    return { kind: "heatmap", name: `explore-${name}`, title, title_zh,
             log_x: false, diverging: true, rows, cols, shape: [rows, cols],
             pooled: [1, 1], x_first: 0, x_step: 1, y_first: 0, y_step: 1,
             cells, ...more };
  }

  const axis = (name, en, zh) => ({ [`${name}_label`]: en,
                                    [`${name}_label_zh`]: zh });

  /* ---------------------------------------------------------- sinusoids */

  const ROWS = 96;

  /* ROWS rows, beginning at the chosen position. */
  function table(state) {
    const first = state.position;
    const cells = new Float64Array(ROWS * state.dim);
    for (let row = 0; row < ROWS; row++)
      cells.set(forms.sinusoid(first + row, state.dim, state.base),
                row * state.dim);
    return map("table", "Sinusoidal table", "正弦位置编码表",
               [ROWS, state.dim], cells,
               { ...axis("x", "channel", "通道"),
                 ...axis("y", "position", "位置"), y_first: first, low: -1,
                 high: 1 });
  }

  function vector(state) {
    const x = d3.range(state.dim);
    return curves("vector", `Sinusoidal vector at position ${state.position}`,
                  `位置 ${state.position} 的正弦编码向量`,
                  { ...axis("x", "channel", "通道"), y_min: -1.05, y_max: 1.05,
                    ...axis("y", "value", "值") },
                  [{ label: `position ${state.position}`,
                     label_zh: `位置 ${state.position}`, x, marks: true,
                     y: forms.sinusoid(state.position, state.dim, state.base) },
                   { label: "position 0", label_zh: "位置 0", x, color: 9,
                     dashed: 1, y: forms.sinusoid(0, state.dim, state.base) }]);
  }

  /* --------------------------------------------------------------- rotary */

  const frequencies = (state, kind = state.kind) => forms.scaled(
    state.dim, state.base,
    { kind: kind.replace(/-.*/, ""), ramp: kind.replace(/.*-/, ""),
      factor: state.factor, original: state.length, length: state.call,
      fast: state.fast });

  const HANDS = 5, TRAIL = 16;

  /* A radius at the angle of this position, and dots at the TRAIL positions
     before. */
  function hand(freq, i, position) {
    const radius = 1 - 0.17 * i, x = [0], y = [0];
    for (let t = position; t >= Math.max(0, position - TRAIL); t--) {
      if (t < position) {
        x.push(null);
        y.push(null);
      }
      x.push(radius * Math.cos(t * freq));
      y.push(radius * Math.sin(t * freq));
    }
    return { x, y };
  }

  function circle(state) {
    const all = frequencies(state), n = Math.min(HANDS, all.length);
    const rim = d3.range(65).map((i) => i * Math.PI / 32);
    const pairs = d3.range(n).map((i) => all.length <= HANDS ? i
      : Math.floor(i * (all.length - 1) / (HANDS - 1)));
    return curves("circle", `Pairs turning, position ${state.position}`,
                  `旋转的通道对，位置 ${state.position}`,
                  { ...axis("x", "cosine", "余弦"), square: true,
                    y_min: -1.05, y_max: 1.05,
                    ...axis("y", "sine", "正弦") },
                  [...pairs.map((p, i) => ({
                    label: `pair ${p}`, label_zh: `第 ${p} 对`, marks: true,
                    ...hand(all[p], i, state.position) })),
                   { color: 9, dashed: 2, x: rim.map(Math.cos),
                     y: rim.map(Math.sin) }]);
  }

  /* The mark at the trained length. */
  const trained = (state) => ({ x: state.length, label: "trained length",
                                label_zh: "训练长度" });

  const names = { none: ["as trained", "训练时"], linear: ["PI", "PI"],
                  ntk: ["NTK", "NTK"], dynamic: ["dynamic NTK", "动态 NTK"],
                  "yarn-index": ["YaRN", "YaRN"],
                  "yarn-turns": ["YaRN, turns", "YaRN（圈数）"] };

  const named = (kind) => ({ label: names[kind][0], label_zh: names[kind][1] });

  /* The scalings to draw: as trained, and as chosen. */
  const kinds = (state) => state.kind === "none" ? ["none"]
    : ["none", state.kind];

  /* Marks of wavelengths; with YaRN, the first is where its ramp begins: a pair of
     this wavelength turns 'fast' times within the trained length. */
  function wave_marks(state) {
    const out = [trained(state)];
    if (state.factor > 1)
      out.push({ x: state.length * state.factor, label: "extended",
                 label_zh: "扩展后长度" });
    if (state.kind.startsWith("yarn"))
      out.unshift({ x: state.length / state.fast,
                    label: `${state.fast} turns`,
                    label_zh: `${state.fast} 圈` });
    return out;
  }

  /* The wavelength of each pair. */
  function waves(state) {
    const y = d3.range(state.dim / 2);
    return curves("waves", "Wavelengths", "波长",
                  { ...axis("x", "positions per turn", "每圈的位置数"),
                    ...axis("y", "pair", "通道对"), log_x: true,
                    marks: wave_marks(state) },
                  kinds(state).map((kind, i) => ({
                    ...named(kind), y, marks: true, dashed: i,
                    x: forms.wavelengths(frequencies(state, kind)) })));
  }

  /* The share of its own frequency that each pair keeps under both ramps of
     YaRN and under the chosen scaling. */
  function shares(state) {
    const x = d3.range(state.dim / 2), s = state.factor;
    const plain = forms.rope(state.dim, state.base), now = frequencies(state);
    const ramp = (name) => forms.yarn_shares(state.dim, state.base,
                                             state.length, state.fast, 1,
                                             name);
    const own = s > 1 && !state.kind.startsWith("yarn")
      ? [{ ...named(state.kind), x, color: 0, marks: true,
           y: now.map((f, c) => (f / plain[c] - 1 / s) / (1 - 1 / s)) }] : [];
    return curves("shares", "Share of its frequency a pair keeps (gamma)",
                  "各通道对保留的频率份额（γ）",
                  { ...axis("x", "pair", "通道对"), ...axis("y", "gamma", "γ"),
                    ...(state.kind === "dynamic" ? {}
                      : { y_min: -0.05, y_max: 1.05 }) },
                  [{ label: "YaRN, by index", label_zh: "YaRN（按序号）", x,
                     color: 3, marks: true, y: ramp("index") },
                   { label: "YaRN, by turns", label_zh: "YaRN（按圈数）", x,
                     color: 4, dashed: 1, marks: true, y: ramp("turns") },
                   ...own]);
  }

  /* The score of q = k = (1, .., 1), relative to that at distance 0. */
  function score(state) {
    const x = d3.range(257).map((i) => Math.round(i * state.length / 64));
    const mean = (kind) => {
      const all = frequencies(state, kind);
      return x.map((d) => d3.mean(all, (f) => Math.cos(d * f)));
    };
    return curves("score", "Score of equal vectors, by distance",
                  "相同向量的分数随距离的变化",
                  { ...axis("x", "distance", "距离"),
                    ...axis("y", "cosine similarity", "余弦相似度"),
                    marks: [trained(state)] },
                  kinds(state).map((kind, i) => ({
                    ...named(kind), x, dashed: i, y: mean(kind) })));
  }

  /* ------------------------------------- biases, scaling of the queries */

  const distances = (state) => d3.range(129).map(
    (i) => Math.round(i * state.length / 64));

  function alibi(state) {
    const x = distances(state);
    return curves("alibi", `ALiBi, ${state.heads} heads`,
                  `ALiBi，${state.heads} 个头`,
                  { ...axis("x", "distance", "距离"),
                    ...axis("y", "added to the score", "加到分数上的值"),
                    y_min: -32, y_max: 1 },
                  forms.alibi_slopes(state.heads).map((slope, h) => ({
                    label: `head ${h}`, label_zh: `第 ${h} 头`, x,
                    color: h === state.head ? 1 : 9,
                    dashed: h === state.head ? 0 : 2,
                    y: x.map((d) => -slope * d) })));
  }

  function buckets(state) {
    const x = d3.range(257).map((i) => Math.round(i * state.distance / 128));
    return curves("buckets", `T5: ${state.buckets} buckets`,
                  `T5：${state.buckets} 个桶`,
                  { ...axis("x", "distance", "距离"),
                    ...axis("y", "bucket", "桶"),
                    marks: [{ x: state.distance, label: "last bucket",
                              label_zh: "最后一个桶" }] },
                  [{ x, y: x.map((d) => forms.t5_bucket(d, state.buckets,
                                                        state.distance)) }]);
  }

  function logn(state) {
    const x = d3.range(121).map((i) => Math.round(Math.pow(2, i / 8)));
    return curves("logn", "Log-n factor of the queries", "log-n 查询系数",
                  { ...axis("x", "position of the query, from 1",
                            "查询的位置（从 1 起）"),
                    ...axis("y", "factor of the score", "分数的系数"),
                    log_x: true, marks: [trained(state)] },
                  [{ x, y: x.map((p) => forms.logn(p - 1, state.length)) }]);
  }

  /* Figures in the order of the page: [function, caption, caption in Chinese]. */
  const list = [
    [circle, "Each pair of channels is a hand that rotates by its own angle at " +
             "each position; the dots are the 16 positions before.",
     "每个通道对是一根指针，每个位置转过自己的角度；圆点为之前 16 个位置。"],
    [waves, "Positions that a pair needs for one turn. Pairs right of the " +
            "trained length never completed a turn in training.",
     "一个通道对转一圈所需的位置数。训练长度右侧的对在训练中没有转满一圈。"],
    [shares, "At 1 the pair keeps its frequency, at 0 it is divided by the " +
             "factor. YaRN's ramp ends at the chosen turns and at 1 turn.",
     "1：保留自己的频率；0：除以扩展倍数。YaRN 斜坡两端为所选圈数和 1 圈。"],
    [score, "Mean cosine over the pairs: the score of q = k = (1, …, 1). Real " +
            "queries differ.",
     "各对余弦的平均值：即 q = k = (1, …, 1) 的分数。真实查询并非如此。"],
    [table, "Sines and cosines alternate, slower from left to right.",
     "正弦与余弦交替，从左到右频率逐渐降低。"],
    [vector, "The first row of the table, and the row of position 0.",
     "表的第一行，以及位置 0 的一行。"],
    [alibi, "A slope for each head; the chosen head is in colour.",
     "每个头一个斜率；选中的头以彩色显示。"],
    [buckets, "Distances that share a learned bias.", "共享同一偏置的距离。"],
    [logn, "max(1, ln p / ln length): queries grow beyond the trained length.",
     "max(1, ln p / ln 训练长度)：超出训练长度后查询逐渐放大。"]
  ];

  return { list, names, map, axis, frequencies };
})();
