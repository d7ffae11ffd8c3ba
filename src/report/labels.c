/* labels.c - the labels of a figure in the page's second language */
#include "labels.h"
#include "../core/size.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LCT_LABEL(en, zh) { en, zh },
static const struct {
    const char *en, *zh;
} list[] = {
#include "labels.def"
};
#undef LCT_LABEL

/* Bytes of the number at 'text': digits, and a point between digits. */
static size_t number_at(const char *text)
{
    size_t n = strspn(text, "0123456789");

    if (n > 0 && text[n] == '.' && isdigit((unsigned char)text[n + 1]))
        n += 1 + strspn(text + n + 1, "0123456789");
    return n;
}

/* Does 'text' read 'pattern', its # any number?  That number in *number. */
static bool reads(const char *text, const char *pattern, const char **number,
                  size_t *digits)
{
    const char *hash = strchr(pattern, '#');
    size_t before = hash ? (size_t)(hash - pattern) : 0;

    *digits = 0;
    if (!hash)
        return strcmp(text, pattern) == 0;
    if (strncmp(text, pattern, before) != 0)
        return false;
    *number = text + before;
    *digits = number_at(*number);
    return *digits > 0 && strcmp(*number + *digits, hash + 1) == 0;
}

bool lct_label_zh(char out[LCT_LABEL_BYTES], const char *en)
{
    for (size_t i = 0; en && i < sizeof list / sizeof list[0]; i++) {
        const char *hash = strchr(list[i].zh, '#'), *number = NULL;
        size_t digits;

        if (!reads(en, list[i].en, &number, &digits))
            continue;
        if (hash)
            snprintf(out, LCT_LABEL_BYTES, "%.*s%.*s%s",
                     (int)(hash - list[i].zh), list[i].zh, (int)digits, number,
                     hash + 1);
        else
            snprintf(out, LCT_LABEL_BYTES, "%s", list[i].zh);
        return true;
    }
    return false;
}

/* *zh, where there is none and the list knows one; returns the next room. */
static char (*translate(const char **zh, const char *en,
                        char (*room)[LCT_LABEL_BYTES]))[LCT_LABEL_BYTES]
{
    if (*zh || !lct_label_zh(*room, en))
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
