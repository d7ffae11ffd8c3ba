/*
 * tiles.js - names the maps that stand side by side in the figure of
 * Transformer-XL's terms, for tips and for drawings on another scale.
 */
const tiles = (() => {
  const ROWS = 3, GAP = 1;

  const each = [["(a) q\u00b7k", "(a) q\u00b7k"], ["(b) q\u00b7r", "(b) q\u00b7r"],
                ["(a) + (b)", "(a) + (b)"], ["(c) u\u00b7k", "(c) u\u00b7k"],
                ["(d) v\u00b7r", "(d) v\u00b7r"], ["(c) + (d)", "(c) + (d)"],
                ["(a) + (c)", "(a) + (c)"], ["(b) + (d)", "(b) + (d)"],
                ["score", "分数"]];

  function add(view) {
    const { data } = view;
    if (data.name === "terms" && data.kind === "heatmap")
      data.tiles = { size: (data.shape[0] - (ROWS - 1) * GAP) / ROWS, gap: GAP,
                     each,
                     across: [["of keys", "键"], ["of distances", "距离"],
                              ["both", "两者"]],
                     down: [["the query's", "该查询"],
                            ["any query's", "任意查询"], ["both", "两者"]] };
  }

  function start() {
    views.on_wake.push(add);
  }

  return { start };
})();
