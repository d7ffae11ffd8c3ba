/*
 * rope2d.c - rotary embedding of rows and columns.
 *
 * Half of the pairs are rotated by the row y, half by the column x.  The forms
 * differ in the halves, the frequencies, the pairing, and the coordinate that a
 * patch has: its index (axial:  Heo et al. 2024, arXiv:2403.13298; Pixtral:
 * Agrawal et al. 2024, arXiv:2410.07073; Qwen2-VL: arXiv:2409.12191), the index
 * on the grid of pretraining (EVA-02: arXiv:2303.11331), or its centre in -1 ..
 * 1, times a whole turn (DINOv3: arXiv:2508.10104).  A score is a sum over
 * pairs of y, which depends on the difference of rows, and one over pairs of x,
 * which depends on that of columns.
 */
#include "rope_grid.h"
#include <math.h>

enum { BASE, FORM, WIDTH, HEIGHT, PRETRAIN, NORMALIZE, PERIODS };
enum { AXIAL, EVA02, PIXTRAL, QWEN, DINOV3, SAM2 };
enum { SEPARATE, MAX, MIN };
enum { Y, X };

static const char *const forms[] = { "axial",  "eva02", "pixtral", "qwen",
                                     "dinov3", "sam2",  NULL };

static const char *const sides[] = { "separate", "max", "min", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(NAN, "left out: 100 for axial and dinov3, else 10000"),
    { .name = "form", .kind = LCT_WORD, .def = AXIAL, .words = forms,
      .doc = "axial, sam2: adjacent pairs, x first; eva02: adjacent, y "
             "first, coordinates of the pretrained grid; pixtral: halves, "
             "even frequencies y, odd x; qwen: halves, y first; dinov3: "
             "halves, y first, centres in -1 .. 1" },
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1, .max = 1 << 30,
      .doc = "columns: position p is row p / width, column p mod width" },
    { .name = "height", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 30, .doc = "rows; eva02 and dinov3 divide by it" },
    { .name = "pretrain", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 30,
      .doc = "eva02: rows and columns of the grid of pretraining" },
    { .name = "normalize", .kind = LCT_WORD, .def = SEPARATE, .words = sides,
      .doc = "dinov3: centres are divided by the axis' own side, the longer or "
             "the shorter one" },
    { .name = "periods", .kind = LCT_LIST, .def = 0, .min = 1, .max = 1e30,
      .doc = "dinov3, instead of base: the least and the largest period, "
             "geometric between them" },
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    const struct lct_list *periods = e->list[PERIODS];

    if (e->value[FORM] != DINOV3 &&
        (periods != NULL || e->value[NORMALIZE] != SEPARATE))
        return LCT_REFUSE("%s of rope2d is given, expected form=dinov3 to use "
                          "it",
                          periods != NULL ? "periods" : "normalize");
    if (periods == NULL)
        return LOCANT_OK;
    if (!isnan(e->value[BASE]))
        return LCT_REFUSE("base and periods of rope2d are both given, expected "
                          "one of them");
    if (periods->n == 2 && periods->item[0] <= periods->item[1])
        return LOCANT_OK;
    return LCT_REFUSE(
        "periods of rope2d are %zu numbers, expected 2 that do not "
        "decrease",
        periods->n);
}

/* The side by which dinov3 divides the centres of an axis of 'own' patches. */
static double side_of(const locant_encoding *e, double own)
{
    double width = e->value[WIDTH], height = e->value[HEIGHT];

    if (e->value[NORMALIZE] == MAX)
        return fmax(width, height);
    return e->value[NORMALIZE] == MIN ? fmin(width, height) : own;
}

static void coordinates(double *coords, const locant_encoding *e, int64_t pos)
{
    double width = e->value[WIDTH], height = e->value[HEIGHT];
    int64_t y, x;

    lct_grid_place(&y, &x, pos, (int64_t)width);
    coords[Y] = (double)y;
    coords[X] = (double)x;
    if (e->value[FORM] == EVA02) {
        coords[Y] = coords[Y] * e->value[PRETRAIN] / height;
        coords[X] = coords[X] * e->value[PRETRAIN] / width;
    } else if (e->value[FORM] == DINOV3) { /* (i + 1/2) / n * 2 - 1 */
        height = side_of(e, height);
        width = side_of(e, e->value[WIDTH]);
        coords[Y] = (2 * coords[Y] + 1 - height) / height;
        coords[X] = (2 * coords[X] + 1 - width) / width;
    }
}

/*
 * base^(-2i/dim) in whole turns instead of radians: 2 pi times as much, within
 * 2^-125.  A frequency of one turn becomes 1 - 2^-128, since modulo 1 it would
 * be 0, and coordinates are not integers here.
 */
static struct lct_phase whole_turns(double base, int64_t i, int64_t dim)
{
    const struct lct_phase rest = { 0x487ed5110b4611a6, 0x2633145c06e0e689 };
    struct lct_phase f = lct_phase_of(base, i, dim), sum;

    if (i == 0 || base == 1)
        return lct_phase_from(1);
    sum = lct_phase_product(f, rest); /* 2 pi = 6 + rest */
    for (int k = 0; k < 6; k++)
        sum = lct_phase_add(sum, f);
    return sum;
}

/*
 * min (max / min)^(i / (n - 1)), i < n, are the periods of n pairs: 1 / period
 * whole turns.
 */
static struct lct_phase by_period(const struct lct_list *periods, int64_t i,
                                  int64_t n)
{
    double min = periods->item[0], ratio = periods->item[1] / min;
    struct lct_phase f =
        n > 1 ? whole_turns(ratio, i, 2 * (n - 1)) : lct_phase_from(1);

    return lct_phase_divide(f, min);
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    int form = (int)u->e->value[FORM];
    bool half = form == PIXTRAL || form == QWEN || form == DINOV3;
    bool x_first = form == AXIAL || form == SAM2;
    int64_t pairs = u->dim / 2, each = pairs / 2;
    double base = u->e->value[BASE];

    if (isnan(base))
        base = form == AXIAL || form == DINOV3 ? 100 : 10000;
    LCT_TRY(
        lct_grid_schedule(out, u, 4, pairs, half ? LCT_HALF : LCT_INTERLEAVED));
    for (int64_t c = 0; c < pairs; c++) {
        int axis = (c < each) != x_first ? Y : X;
        int64_t i = c % each; /* among the pairs of one axis */
        struct lct_phase *f = &(*out)->frequency[axis * pairs + c];

        if (form == PIXTRAL)
            *f = lct_phase_of(base, 2 * i + (axis == X), u->dim);
        else if (u->e->list[PERIODS] != NULL)
            *f = by_period(u->e->list[PERIODS], i, each);
        else if (form == DINOV3)
            *f = whole_turns(base, i, u->dim / 2);
        else
            *f = lct_phase_of(base, i, u->dim / 2);
    }
    return LOCANT_OK;
}

static const locant_variant variants[] = {
    { "rope2d", "RoPE-Axial", "rope-vit" },
    { "rope2d(form=eva02)", "pretrained 16 x 16", "EVA-02" },
    { "rope2d(form=pixtral,width=64,height=64)", "frequencies alternate",
      "Pixtral" },
    { "rope2d(form=qwen)", "halves", "Qwen2-VL, 2.5, 3 vision towers" },
    { "rope2d(form=dinov3,width=14,height=14)", "centres of patches",
      "DINOv3" },
    { "rope2d(form=dinov3,width=14,height=14,normalize=max)",
      "centres by the longer side; training also shifts, jitters and rescales "
      "them (locant_positions_augment)",
      "DINOv3 options" },
    { "rope2d(form=sam2,width=64,height=64)", "memory attention", "SAM 2" },
    { NULL, NULL, NULL }
};

const struct lct_encoding lct_enc_rope2d = {
    .info = {
        .name = "rope2d",
        .title = "Rotary embedding of rows and columns",
        .formula = "pairs of y rotate by y f_c, pairs of x by x f_c, "
                   "f_c = base^(-4c/D), c < D/4",
        .source = "Heo et al. 2024, arXiv:2403.13298v2; EVA-02 "
                  "arXiv:2303.11331v2; DINOv3 arXiv:2508.10104v1",
        .used_by = "EVA-02, Pixtral, Qwen-VL vision towers, DINOv3, SAM 2",
        .pitfalls = "The forms differ in which axis comes first, in the "
                    "pairing, and in what a coordinate is; class tokens are "
                    "not rotated.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_ISOMETRIC,
        .gradient = "dx = R(-f) dy, pair by pair",
        .variants = variants,
    },
    .keys = keys,
    .check = check,
    .positions = {
        .axes = 2,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
};
