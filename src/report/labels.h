/* labels.h - the labels of a figure in the page's second language */
#ifndef LCT_LABELS_H
#define LCT_LABELS_H
#include "../core/error.h"
#include "locant/figure.h"
#include <stdbool.h>

enum { LCT_LABEL_BYTES = 96 };

/* The Chinese of a label of labels.def; false if it is none. */
bool lct_label_zh(char out[LCT_LABEL_BYTES], const char *en);

/* A figure whose labels have their Chinese where the list knows it. */
struct lct_translated {
    locant_figure f;
    locant_series *series; /* memory of all; to be released */
    locant_mark *marks;
};

locant_status lct_translate(struct lct_translated *out, const locant_figure *f);
#endif
