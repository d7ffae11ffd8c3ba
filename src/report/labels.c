/* labels.c - the labels of a figure in the page's second language */
#include "words.h"
#include "../core/size.h"
#include <stdio.h>
#include <string.h>

/* "rope own" by what is known of " own": specs are the same in both. */
static bool by_its_end(char *out, const char *en)
{
    const char *end = en ? strrchr(en, ' ') : NULL;
    char zh[LCT_LABEL_BYTES];
    int n;

    if (!end || !lct_word_zh(zh, sizeof zh, end))
        return false;
    n = snprintf(out, LCT_LABEL_BYTES, "%.*s%s", (int)(end - en), en, zh);
    return n > 0 && n < LCT_LABEL_BYTES;
}

/* *zh, where there is none and the list knows one; returns the next room. */
static char (*translate(const char **zh, const char *en,
                        char (*room)[LCT_LABEL_BYTES]))[LCT_LABEL_BYTES]
{
    if (*zh || !(lct_word_zh(*room, LCT_LABEL_BYTES, en) ||
                 by_its_end(*room, en)))
        return room;
    *zh = *room;
    return room + 1;
}

locant_status lct_translate(struct lct_translated *out, const locant_figure *f)
{
    size_t series = f->kind == LOCANT_FIGURE_HEATMAP ? 0 : f->n_series;
    size_t labels = 3 + series + f->n_marks, bytes;
    char (*room)[LCT_LABEL_BYTES];

    *out = (struct lct_translated){ .f = *f };
    bytes = labels * LCT_LABEL_BYTES + f->n_marks * sizeof *out->marks;
    if (!lct_add(&bytes, bytes, series * sizeof *out->series) ||
        !(out->series = locant_alloc(bytes)))
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for labels");
    out->marks = (locant_mark *)(void *)(out->series + series);
    room = (char (*)[LCT_LABEL_BYTES])(void *)(out->marks + f->n_marks);
    room = translate(&out->f.title_zh, f->title, room);
    room = translate(&out->f.x_label_zh, f->x_label, room);
    room = translate(&out->f.y_label_zh, f->y_label, room);
    for (size_t i = 0; i < series; i++) {
        out->series[i] = f->series[i];
        room = translate(&out->series[i].label_zh, f->series[i].label, room);
    }
    for (size_t i = 0; i < f->n_marks; i++) {
        out->marks[i] = f->marks[i];
        room = translate(&out->marks[i].label_zh, f->marks[i].label, room);
    }
    out->f.series = out->series;
    out->f.marks = out->marks;
    return LOCANT_OK;
}
