/*
 * vector_groups.c - the table of groups: every scaling of rope in every
 * convention of channels, and the other encodings by their dialects
 */
#include "vector_groups.h"
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------- positions */

/* Ends of the integers that float16, bfloat16 and float32 hold, and of the
   contexts of models. */
static const int64_t far_positions[] = { 0,    1,      255,     257,       4095,
                                         4096, 131071, 1 << 20, 2147483647 };
static const int64_t near_positions[] = { 0, 1, 255, 257, 4095 };
/* Factors of xpos leave float16 beyond. */
static const int64_t decay_positions[] = { 0, 1, 255, 257, 1023 };
static const int64_t grid_positions[] = {
    0, 1, 15, 16, 17, 100, 128, 254, 255
};
static const int64_t query_position[] = { 300 };
/* (t, h, w): text, patches of two frames, text after them. */
static const double mrope_coords[] = { 0, 0,   0,   1,   1,    1,    2,
                                       2, 3,   2,   7,   5,    3,    2,
                                       9, 257, 257, 257, 4096, 4099, 4098 };

/* clang-format off */
static const struct lct_vector_positions
    far = { "input/positions/far", 9, far_positions, 0, NULL },
    near = { "input/positions/near", 5, near_positions, 0, NULL },
    decay = { "input/positions/decay", 5, decay_positions, 0, NULL },
    grid = { "input/positions/grid", 9, grid_positions, 0, NULL },
    query = { "input/positions/query", 1, query_position, 0, NULL },
    around = { "input/positions/around", 601, NULL, 0, NULL },
    mrope = { "input/positions/mrope", 7, NULL, 3, mrope_coords };
/* clang-format on */

int64_t lct_vector_groups_position(const struct lct_vector_positions *p,
                                   int64_t i)
{
    if (p->coords != NULL)
        return (int64_t)p->coords[i * p->axes];
    return p->at != NULL ? p->at[i] : i;
}

/* ------------------------------------------------------------------- ropes */

/* A base, a scaling and the positions that it is tried at. */
struct schedule {
    const char *name, *base, *scaling;
    const struct lct_vector_positions *positions;
};

#define LONGROPE "longrope(original=4096,factor=32,"

/* clang-format off */
static const struct schedule schedules[] = {
    { "none", "", "", &far },
    { "base-500000", "500000", "", &far },
    { "base-1000000", "1000000", "", &far },
    { "linear-4", "", "linear(factor=4)", &far },
    { "linear-8-base-1000000", "1000000", "linear(factor=8)", &far },
    { "ntk-4", "", "ntk(factor=4)", &far },
    { "dynamic-2-4096", "", "dynamic(factor=2,original=4096)", &far },
    { "dynamic-2-1024-near", "", "dynamic(factor=2,original=1024)", &near },
    { "dynamic-2-4096-near", "", "dynamic(factor=2,original=4096)", &near },
    { "yarn-4-32768", "1000000", "yarn(factor=4,original=32768)", &far },
    { "yarn-16-4096-fast-16-slow-2", "",
      "yarn(factor=16,original=4096,fast=16,slow=2)", &far },
    { "yarn-32-4096-no-truncate", "150000",
      "yarn(factor=32,original=4096,truncate=no)", &far },
    { "yarn-8-8192-attention-1.2079", "500000",
      "yarn(factor=8,original=8192,attention=1.2079441541679836)", &far },
    { "yarn-40-4096-mscale-0.707", "",
      "yarn(factor=40,original=4096,mscale=0.707,mscale-all=0.707,score=yes)",
      &far },
    { "yarn-40-4096-mscale-1-0.5", "",
      "yarn(factor=40,original=4096,mscale=1,mscale-all=0.5)", &far },
    { "yarn-dynamic-4096", "",
      "yarn(factor=1,original=4096,dynamic=yes)", &far },
    { "longrope-32-4096", "", LONGROPE, &far },
    { "longrope-32-4096-near", "", LONGROPE, &near },
    { "llama3-8", "500000", "llama3(factor=8,low=1,high=4,original=8192)",
      &far },
    { "llama3-32", "500000", "llama3(factor=32,low=1,high=4,original=8192)",
      &far },
    { "proportional-0.25", "1000000", "proportional(partial=0.25)", &far },
};

/* A convention of channels. */
static const struct {
    const char *name, *keys;
    int64_t rotated;
} layouts[] = {
    { "half", "", 64 },
    { "interleaved", "pairing=interleaved", 64 },
    { "half-leading-32", "dim=32", 32 },
    { "half-trailing-32", "dim=32,side=trailing", 32 },
    { "interleaved-leading-32", "pairing=interleaved,dim=32", 32 },
    { "interleaved-trailing-32", "pairing=interleaved,dim=32,side=trailing",
      32 },
};

/* Slopes are listed for these numbers of heads. */
static const int slope_heads[] = { 1, 2, 4, 6, 8, 12, 14, 16, 20, 24, 25, 32,
                                   40, 64, 71, 112 };

/* The rest; heads of biases only. */
static const struct {
    const char *name, *spec;
    enum lct_vector_kind kind;
    int heads;
    const struct lct_vector_positions *queries, *keys;
    bool causal, narrow;
} others[] = {
#define ALIBI(name, keys, heads)                                              \
    { "alibi/" name "-" #heads, "alibi" keys, LCT_VECTOR_BIAS, heads,         \
      &near, &near, true, true },                                             \
    { "alibi/" name "-" #heads "-far", "alibi" keys, LCT_VECTOR_BIAS, heads,  \
      &far, &far, true, false }
    ALIBI("press", "", 8),
    ALIBI("press", "", 12),
    { "alibi/symmetric-12", "alibi(symmetric=yes)", LCT_VECTOR_BIAS, 12,
      &near, &near, false, true },
    ALIBI("bloom", "(dialect=bloom)", 12),
    ALIBI("mpt", "(dialect=mpt)", 12),
    ALIBI("mpt-max-16", "(dialect=mpt,max=16)", 8),
    ALIBI("falcon", "(dialect=falcon)", 12),
#define T5(name, keys)                                                        \
    { "t5/" name, "t5" keys, LCT_VECTOR_BUCKETS, 4, &query, &around, false,   \
      true }
    T5("causal-32-128", "(buckets=32,distance=128)"),
    T5("bidirectional-32-128",
       "(buckets=32,distance=128,bidirectional=yes)"),
    T5("causal-8-20", "(buckets=8,distance=20)"),
    T5("bidirectional-64-256",
       "(buckets=64,distance=256,bidirectional=yes)"),
#define SINUSOIDAL(name, keys)                                                \
    { "sinusoidal/" name, "sinusoidal" keys, LCT_VECTOR_SINUSOIDAL, 0, &far,  \
      &far, false, true }
    SINUSOIDAL("interleaved", ""),
    SINUSOIDAL("split", "(form=split)"),
    SINUSOIDAL("split-base-500000", "(base=500000,form=split)"),
    SINUSOIDAL("inclusive", "(form=split,spacing=inclusive)"),
    SINUSOIDAL("inclusive-start-2", "(form=split,spacing=inclusive,start=2)"),
#define ROW(kind, name, spec, positions)                                      \
    { name, spec, LCT_VECTOR_##kind, 0, &positions, &positions, false, true }
    ROW(TABLE, "sincos2d/mae", "sincos2d", grid),
    ROW(TABLE, "sincos2d/timm", "sincos2d(form=timm)", grid),
    ROW(TABLE, "sincos2d/interleaved", "sincos2d(form=interleaved)", grid),
    ROW(TABLE, "sincos2d/detr", "sincos2d(form=detr)", grid),
    ROW(ROTATE, "mrope/chunked", "mrope(base=1000000,sections=8:12:12)",
        mrope),
    ROW(ROTATE, "mrope/interleaved",
        "mrope(base=5000000,sections=12:10:10,layout=interleaved)", mrope),
    ROW(ROTATE, "mrope/ernie",
        "mrope(base=500000,sections=11:11:10,layout=ernie,"
        "pairing=interleaved)", mrope),
    ROW(ROTATE, "mrope/glm", "mrope(sections=4:6:6,layout=glm,dim=32)", mrope),
    ROW(ROTATE, "mrope/video", "mrope(sections=8:12:12,layout=video)", mrope),
    ROW(ROTATE, "mrope/hope", "mrope(sections=8:12:12,layout=hope)", mrope),
    ROW(ROTATE, "mrope/chunked-yarn-4-32768",
        "mrope(base=1000000,sections=8:12:12,scaling=yarn(factor=4,"
        "original=32768))", mrope),
    ROW(ROTATE, "rope2d/axial", "rope2d", grid),
    ROW(ROTATE, "rope2d/sam2", "rope2d(form=sam2)", grid),
    ROW(ROTATE, "rope2d/eva02", "rope2d(form=eva02,pretrain=14)", grid),
    ROW(ROTATE, "rope2d/pixtral", "rope2d(form=pixtral)", grid),
    ROW(ROTATE, "rope2d/qwen", "rope2d(form=qwen)", grid),
    ROW(ROTATE, "rope2d/dinov3", "rope2d(form=dinov3)", grid),
    ROW(ROTATE, "rope3d/grid", "rope3d(width=4,height=4)", grid),
    ROW(ROTATE, "xpos/plain", "xpos", decay),
    ROW(ROTATE, "xpos/center-512", "xpos(center=512)", decay),
    ROW(TEMPERATURE, "temperature/llama4", "temperature(kind=llama4)", far),
    ROW(TEMPERATURE, "temperature/ministral",
        "temperature(kind=ministral,floor=16384)", far),
    ROW(TEMPERATURE, "temperature/logn",
        "temperature(kind=logn,length=2048)", far),
};
/* clang-format on */

enum {
    N_SCHEDULES = sizeof schedules / sizeof *schedules,
    N_LAYOUTS = sizeof layouts / sizeof *layouts,
    N_WIDTHS = 2, /* of angles */
    N_SLOPES = sizeof slope_heads / sizeof *slope_heads,
    N_OTHERS = sizeof others / sizeof *others
};

/* Factors of longrope: 1 .. 1.5 for short texts, 1 .. 32 for long ones. */
static void put_lists(char *out, size_t size, int64_t pairs)
{
    size_t n = 0;

    for (int longer = 0; longer < 2; longer++) {
        n += (size_t)snprintf(out + n, size - n, longer ? ",long=" : "short=");
        for (int64_t c = 0; c < pairs; c++) {
            double share = (double)c / (double)pairs;
            double factor = longer ? 1 + 31 * share * share : 1 + share / 2;

            n += (size_t)snprintf(out + n, size - n, "%s%.17g",
                                  c > 0 ? ":" : "", factor);
        }
    }
    snprintf(out + n, size - n, ")");
}

/* "rope(base=..,keys,scaling=..)" */
static void put_rope(struct lct_vector_group *g, const struct schedule *s,
                     const char *keys)
{
    const bool plain = !s->base[0] && !keys[0] && !s->scaling[0];
    char lists[1000] = "";

    if (strcmp(s->scaling, LONGROPE) == 0)
        put_lists(lists, sizeof lists, g->rotated / 2);
    snprintf(g->spec, sizeof g->spec, "rope%s%s%s%s%s%s%s%s%s%s",
             plain ? "" : "(", s->base[0] ? "base=" : "", s->base,
             s->base[0] && (keys[0] || s->scaling[0]) ? "," : "", keys,
             keys[0] && s->scaling[0] ? "," : "",
             s->scaling[0] ? "scaling=" : "", s->scaling, lists,
             plain ? "" : ")");
    g->queries = g->keys = s->positions;
    g->narrow = true;
}

static void angles(struct lct_vector_group *g, size_t i)
{
    const struct schedule *s = &schedules[i / N_WIDTHS];

    g->kind = LCT_VECTOR_ANGLES;
    g->rotated = i % N_WIDTHS ? 32 : LCT_VECTOR_DIM;
    snprintf(g->name, sizeof g->name, "angles/%d/%s", (int)g->rotated, s->name);
    put_rope(g, s, "");
}

/* The layouts of one schedule follow each other, so that its angles are
   computed once for each width. */
static void rope(struct lct_vector_group *g, size_t i)
{
    const struct schedule *s = &schedules[i / N_LAYOUTS];

    g->kind = LCT_VECTOR_ROPE;
    g->rotated = layouts[i % N_LAYOUTS].rotated;
    snprintf(g->name, sizeof g->name, "rope/%s/%s", layouts[i % N_LAYOUTS].name,
             s->name);
    put_rope(g, s, layouts[i % N_LAYOUTS].keys);
}

static void slopes(struct lct_vector_group *g, size_t i)
{
    bool twice = i >= N_SLOPES;

    g->kind = LCT_VECTOR_SLOPES;
    g->heads = slope_heads[i % N_SLOPES];
    snprintf(g->name, sizeof g->name, "alibi/slopes%s/%d",
             twice ? "-max-16" : "", (int)g->heads);
    snprintf(g->spec, sizeof g->spec, "%s", twice ? "alibi(max=16)" : "alibi");
    g->queries = g->keys = &near;
    g->narrow = true;
}

static void other(struct lct_vector_group *g, size_t i)
{
    g->kind = others[i].kind;
    g->heads = others[i].heads;
    snprintf(g->name, sizeof g->name, "%s", others[i].name);
    snprintf(g->spec, sizeof g->spec, "%s", others[i].spec);
    g->queries = others[i].queries;
    g->keys = others[i].keys;
    g->causal = others[i].causal;
    g->narrow = others[i].narrow;
}

bool lct_vector_groups_at(struct lct_vector_group *out, size_t i)
{
    /* clang-format off */
    static const struct {
        size_t n;
        void (*make)(struct lct_vector_group *g, size_t i);
    } parts[] = { { N_SCHEDULES * N_WIDTHS, angles },
                  { N_SCHEDULES * N_LAYOUTS, rope },
                  { 2 * N_SLOPES, slopes },
                  { N_OTHERS, other } };
    /* clang-format on */

    memset(out, 0, sizeof *out);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (i < parts[k].n) {
            parts[k].make(out, i);
            return true;
        }
        i -= parts[k].n;
    }
    return false;
}
