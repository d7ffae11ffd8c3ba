/*
 * forms.mjs - the page's closed forms (src/page/forms.js) against the command.
 *
 * usage: node tests/forms.mjs BUILD/locant
 *
 * Tolerance: the command turns unit vectors of doubles whose frequencies are
 * rounded to 2^-48 turns or better and prints 17 digits, so that both sides
 * agree to far less than 1e-6 of the value (or of 1, for cosines).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));
const source = readFileSync(join(here, "../src/page/forms.js"), "utf8");
const forms = vm.runInThisContext(source + "; forms");
const locant = process.argv[2];
const TOLERANCE = 1e-6;
let passed = 0, failed = 0;

function run(args) {
  return execFileSync(locant, args, { encoding: "utf8", maxBuffer: 1 << 26,
                                      stdio: ["ignore", "pipe", "ignore"] });
}

function figure(...args) {
  return JSON.parse(run(["figure", ...args, "--json"]));
}

/* Numbers of both, each within TOLERANCE of the larger of its size and 1. */
function same(what, ours, theirs) {
  const bad = ours.length !== theirs.length ? -2 : ours.findIndex(
    (x, i) => !(Math.abs(x - theirs[i]) <=
                TOLERANCE * Math.max(1, Math.abs(theirs[i]))));
  if (bad === -1) {
    passed++;
    return;
  }
  failed++;
  console.error(bad === -2 ? `${what}: ${ours.length} numbers, the command ` +
                             `has ${theirs.length}`
                           : `${what}: [${bad}] is ${ours[bad]}, the command ` +
                             `says ${theirs[bad]}`);
}

function sinusoids() {
  for (const [dim, base] of [[8, 10000], [32, 100], [34, 5e5]]) {
    const f = figure("table", `sinusoidal(base=${base})`, "--dim", `${dim}`,
                     "--heads", "2", "--length", "300");
    f.cells.forEach((row, p) => same(`sinusoid ${dim} ${base} at ${p}`,
                                     forms.sinusoid(p, dim, base), row));
  }
}

/* --heads 1: a head as wide as the model */
function waves(spec, dim, trained = 128) {
  return figure("wavelengths", spec, "--dim", `${dim}`, "--heads", "1",
                "--trained", `${trained}`).series[0].x;
}

function scalings() {
  for (const [dim, base] of [[8, 10000], [64, 10000], [128, 5e5], [6, 128]]) {
    const name = (s) => `rope(base=${base}${s ? `,scaling=${s}` : ""})`;
    const ours = (o) => forms.wavelengths(forms.scaled(dim, base, o));
    same(`rope ${dim} ${base}`, ours({ kind: "none" }), waves(name(), dim));
    for (const factor of [1, 2, 8, 32]) {
      const original = 2048, fast = factor > 8 ? 8 : 32;
      same(`PI ${dim} ${base} ${factor}`, ours({ kind: "linear", factor }),
           waves(name(`linear(factor=${factor})`), dim));
      same(`ntk ${dim} ${base} ${factor}`, ours({ kind: "ntk", factor }),
           waves(name(`ntk(factor=${factor})`), dim));
      same(`yarn ${dim} ${base} ${factor}`,
           ours({ kind: "yarn", factor, original, fast }),
           waves(name(`yarn(factor=${factor},original=${original},` +
                      `fast=${fast})`), dim));
    }
  }
}

/* The unit vector of each pair, rotated. */
function circle(position, f) {
  const n = f.length;
  const unit = Array.from({ length: 2 * n }, (_, i) => i < n ? 1 : 0);
  const out = forms.rotated(unit, position, f, "half");
  return f.map((_, i) => [out[i], out[i + n]]);
}

/* Hands of the figure have different lengths. */
function circles() {
  for (const base of [10000, 300])
    for (const position of [1, 7, 100]) {
      const f = figure("circle", `rope(base=${base})`, "--dim", "10", "--heads",
                       "1", "--position", `${position}`);
      const hands = circle(position, forms.rope(10, base));
      same(`circle ${base} at ${position}`,
           hands.flatMap((hand, i) => hand.map((x) => x * (1 - 0.17 * i))),
           hands.flatMap((_, i) => [f.series[i].x[1], f.series[i].y[1]]));
    }
}

/* Of npy: f32 in order, after a header that says its own length. */
function floats(path) {
  const bytes = readFileSync(path), from = 10 + bytes.readUInt16LE(8);
  return Array.from({ length: (bytes.length - from) / 4 },
                    (_, i) => bytes.readFloatLE(from + 4 * i));
}

function write_floats(path, shape, values) {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${
    shape.join(", ")},), }`;
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) +
                 "\n";
  const bytes = Buffer.alloc(10 + header.length + 4 * values.length);
  bytes.write("\x93NUMPY\x01\x00", 0, "latin1");
  bytes.writeUInt16LE(header.length, 8);
  bytes.write(header, 10, "latin1");
  values.forEach((v, i) => bytes.writeFloatLE(v, 10 + header.length + 4 * i));
  writeFileSync(path, bytes);
}

/* The row of the last query, which sees distances n - 1 .. 0. */
function last_row(folder, spec, heads, n, ...more) {
  const out = join(folder, "bias.npy");
  run(["bias", spec, "--heads", `${heads}`, "--queries", "1", "--keys", `${n}`,
       "--offset", `${n - 1}`, ...more, "-o", out]);
  return floats(out);
}

/* Rows (1, .., 1, 0, .., 0) at positions 0 .. 63: cos and sin of every angle,
   in float32, times what YaRN multiplies them by. */
function rotations(folder) {
  const dim = 10, rows = 64, original = 16, factor = 4;
  const x = join(folder, "x.npy"), y = join(folder, "y.npy");
  write_floats(x, [rows, dim], Array.from({ length: rows * dim },
                                          (_, i) => +(i % dim < dim / 2)));
  for (const kind of ["dynamic", "yarn"]) {
    run(["rotate", `rope(scaling=${kind}(factor=${factor},original=${
      original}))`, "-i", x, "-o", y]);
    const out = floats(y);
    const f = forms.scaled(dim, 10000, { kind, factor, original,
                                         length: rows });
    /* YaRN, eq. (22): what cos and sin are multiplied by */
    const more = kind === "yarn" && factor > 1 ? 0.1 * Math.log(factor) + 1 : 1;
    for (let p = 0; p < rows; p++) {
      const hands = circle(p, f).map((h) => h.map((v) => v * more));
      same(`${kind} at ${p}`, [...hands.map((h) => h[0]),
                               ...hands.map((h) => h[1])],
           out.slice(p * dim, (p + 1) * dim));
    }
  }
}

function biases(folder) {
  for (const heads of [1, 4, 6, 8, 12]) {
    const row = last_row(folder, "alibi", heads, 17);
    same(`alibi ${heads}`, forms.alibi_slopes(heads),
         Array.from({ length: heads }, (_, h) => -row[17 * h + 15]));
  }
  for (const [buckets, distance] of [[32, 128], [8, 20], [16, 1000]]) {
    const table = join(folder, "table.npy");
    write_floats(table, [buckets, 1], [...Array(buckets).keys()]);
    const row = last_row(folder, `t5(buckets=${buckets},distance=${distance})`,
                         1, 1500, "--param", `table=${table}`);
    same(`t5 ${buckets} ${distance}`,
         row.map((_, d) => forms.t5_bucket(d, buckets, distance)),
         row.reverse());
  }
}

function temperatures() {
  const f = figure("temperature", "temperature(kind=logn,length=128)+rope");
  /* the figure counts positions from 1 */
  same("log-n", f.series[0].x.map((p) => forms.logn(p - 1, 128)),
       f.series[0].y);
}

function ramps() {
  for (const [dim, base] of [[16, 10000], [64, 500]]) {
    const f = figure("ramps", `rope(base=${base})`, "--factor", "8", "--dim",
                     `${dim}`, "--heads", "1");
    for (const [i, ramp] of ["index", "turns"].entries())
      same(`ramp ${ramp} ${dim}`,
           forms.yarn_shares(dim, base, 128, 32, 1, ramp), f.series[i].y);
  }
}

/* Numbers that are no pattern, the same in every run. */
function noise(n, seed, scale = 1) {
  return Array.from({ length: n }, (_, i) =>
    Math.fround(scale * Math.sin(1 + seed + 12.9898 * (i + 1) * (i + 3))));
}

const rows_of = (flat, dim) => Array.from(
  { length: flat.length / dim }, (_, i) => flat.slice(i * dim, (i + 1) * dim));

/* Rows are float32 on both sides. */
function tables(folder) {
  const from = join(folder, "from.npy"), to = join(folder, "to.npy");
  for (const [m, dim, n] of [[16, 3, 40], [16, 3, 7], [5, 2, 128], [1, 4, 9]]) {
    const cells = noise(m * dim, m);
    write_floats(from, [m, dim], cells);
    for (const align of [false, true]) {
      run(["resize", from, "--to", `${n}`, "-o", to,
           ...(align ? ["--align-corners"] : [])]);
      same(`resize ${m} to ${n}${align ? ", aligned" : ""}`,
           Array.from(forms.resized(Float64Array.from(cells), dim, n, align)),
           floats(to));
    }
  }
}

/* Weights of one head: values that are unit vectors read them out. */
function transformer_xl(folder) {
  const n = 8, dim = 8, width = 8, path = (name) => join(folder, `${name}.npy`);
  const flat = { q: noise(n * dim, 1), k: noise(n * dim, 2),
                 u: noise(dim, 3), v: noise(dim, 4),
                 projection: noise(dim * width, 5) };
  write_floats(path("q"), [1, 1, n, dim], flat.q);
  write_floats(path("k"), [1, 1, n, dim], flat.k);
  write_floats(path("values"), [1, 1, n, dim], Array.from(
    { length: n * dim }, (_, i) => +(i % dim === Math.floor(i / dim))));
  write_floats(path("u"), [1, dim], flat.u);
  write_floats(path("v"), [1, dim], flat.v);
  write_floats(path("projection"), [1, dim, width], flat.projection);
  run(["attend", "transformer-xl", "-q", path("q"), "-k", path("k"), "-v",
       path("values"), "--causal", ...["u", "v", "projection"].flatMap(
         (name) => ["--param", `${name}=${path(name)}`]), "-o", path("out")]);
  const { a, b, c, d } = forms.xl_terms({
    q: rows_of(flat.q, dim), k: rows_of(flat.k, dim), u: flat.u, v: flat.v,
    projection: rows_of(flat.projection, width) });
  const sum = a.map((row, i) => row.map((x, j) => x + b[i][j] + c[i][j] +
                                                  d[i][j]));
  same("four terms of Transformer-XL",
       forms.softmax(sum).flat().map((w) => Number.isNaN(w) ? 0 : w),
       floats(path("out")));
}

/* Both layouts of pairs, and of which pair a channel is. */
function layouts(folder) {
  const dim = 8, n = 20, x = join(folder, "x.npy"), y = join(folder, "y.npy");
  const cells = noise(n * dim, 6), freq = forms.rope(dim, 10000);
  write_floats(x, [n, dim], cells);
  for (const [layout, pairing] of [["half", "half"],
                                   ["interleaved", "interleaved"]]) {
    run(["rotate", `rope(pairing=${pairing})`, "-i", x, "-o", y]);
    same(`rotation, ${layout}`, rows_of(cells, dim).flatMap(
      (row, p) => forms.rotated(row, p, freq, layout)), floats(y));
    const ones = forms.rotated(Array(dim).fill(1), 3, freq, layout);
    same(`pairs, ${layout}`, ones.map((v, c) => freq[forms.pair_of(c, dim,
                                                                   layout)]),
         ones.map((v, c) => freq.find((f) => Math.abs(
           v - Math.cos(3 * f) - Math.sin(3 * f)) < 1e-9 || Math.abs(
           v - Math.cos(3 * f) + Math.sin(3 * f)) < 1e-9)));
  }
}

const folder = mkdtempSync(join(tmpdir(), "locant-forms-"));
try {
  sinusoids();
  scalings();
  circles();
  ramps();
  rotations(folder);
  biases(folder);
  temperatures();
  tables(folder);
  transformer_xl(folder);
  layouts(folder);
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
