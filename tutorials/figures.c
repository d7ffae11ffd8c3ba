/* figures.c - draws the figures of a row. */
#include "figures.h"

#include <stdio.h>
#include <string.h>

#include "tutorial.h"

/* Makes "out-b.svg" from "out.svg" and 'b'. */
static void name_figure(char *out, size_t size, char letter)
{
    const char *path = running->path, *dot = strrchr(path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);

    if (letter)
        snprintf(out, size, "%.*s-%c%s", stem, path, letter, dot ? dot : "");
    else
        snprintf(out, size, "%s", path);
}

static void wrote_figure(const char *path)
{
    end_table();
    json_array_append_new(json_object_get(running->json, "figures"),
                          json_string(path));
    for (enum language l = ENGLISH; l < LANGUAGES; l++)
        if (running->out[l] != NULL)
            fprintf(running->out[l],
                    l == CHINESE ? "已写入 %s\n" : "wrote %s\n", path);
}

/* ------------------------------------------------------------------ Chinese */

/* The text in Chinese, until the row ends; NULL stays NULL. */
static const char *chinese(const char *text)
{
    char room[LONGEST], *copy;

    if (text == NULL)
        return NULL;
    text = to_chinese(room, text, running->row);
    copy = memory((int64_t)strlen(text) + 1, 1);
    return strcpy(copy, text);
}

/* The n texts in Chinese; NULL stays NULL. */
static const char *const *all_chinese(const char *const *texts, int64_t n)
{
    const char **copy;

    if (texts == NULL)
        return NULL;
    copy = memory(n, sizeof *copy);
    for (int64_t i = 0; i < n; i++)
        copy[i] = chinese(texts[i]);
    return copy;
}

/* The panels with Chinese texts beside the English ones, or in their place. */
static const locant_figure *panels_of(const locant_figure *f, int in_place)
{
    locant_figure *panels = memory((int64_t)f->n_panels, sizeof *panels);

    for (size_t i = 0; i < f->n_panels; i++) {
        locant_figure *p = &panels[i];

        *p = f->panels[i];
        p->title_zh = chinese(p->title);
        p->x_label_zh = chinese(p->x_label);
        p->y_label_zh = chinese(p->y_label);
        p->title = in_place ? p->title_zh : p->title;
        p->x_label = in_place ? p->x_label_zh : p->x_label;
        p->y_label = in_place ? p->y_label_zh : p->y_label;
    }
    return panels;
}

/* The figure with Chinese texts beside the English ones. */
static locant_figure with_chinese(locant_figure f)
{
    locant_series *series = memory((int64_t)f.n_series, sizeof *series);
    locant_mark *marks = memory((int64_t)f.n_marks, sizeof *marks);

    for (size_t i = 0; i < f.n_series; i++) {
        series[i] = f.series[i];
        series[i].label_zh = chinese(series[i].label);
    }
    for (size_t i = 0; i < f.n_marks; i++) {
        marks[i] = f.marks[i];
        marks[i].label_zh = chinese(marks[i].label);
    }
    f.series = series;
    f.marks = marks;
    f.title_zh = chinese(f.title);
    f.x_label_zh = chinese(f.x_label);
    f.y_label_zh = chinese(f.y_label);
    f.panels = panels_of(&f, 0);
    return f;
}

/* The figure with Chinese texts in place of the English ones, for a file. */
static locant_figure in_chinese(const locant_figure *figure)
{
    locant_figure f = with_chinese(*figure);
    locant_series *series = memory((int64_t)f.n_series, sizeof *series);
    locant_mark *marks = memory((int64_t)f.n_marks, sizeof *marks);

    for (size_t i = 0; i < f.n_series; i++) {
        series[i] = f.series[i];
        series[i].label = series[i].label_zh;
    }
    for (size_t i = 0; i < f.n_marks; i++) {
        marks[i] = f.marks[i];
        marks[i].label = marks[i].label_zh;
    }
    f.series = series;
    f.marks = marks;
    f.panels = panels_of(figure, 1);
    f.title = f.title_zh;
    f.x_label = f.x_label_zh;
    f.y_label = f.y_label_zh;
    f.row_names = all_chinese(f.row_names, f.rows);
    f.col_names = all_chinese(f.col_names, f.cols);
    return f;
}

/* ------------------------------------------------------------------ drawing */

static void draw_file(char letter, const locant_figure *figure)
{
    char name[4096];
    locant_figure chosen =
        running->language == CHINESE ? in_chinese(figure) : *figure;

    name_figure(name, sizeof name, letter);
    must(locant_figure_write(&chosen, name));
    wrote_figure(name);
}

static void draw_in_page(FILE *page, const locant_figure *figure)
{
    locant_figure both = with_chinese(*figure);
    char *svg = NULL;
    size_t size = 0;

    must(locant_figure_inline(&svg, &size, &both, NULL));
    fputs("<figure>", page);
    fwrite(svg, 1, size, page);
    fputs("</figure>\n", page);
    locant_release(svg);
}

/* Draw and throw away. */
static void try_to_draw(const locant_figure *figure)
{
    char *svg = NULL;
    size_t size = 0;

    must(locant_figure_svg(&svg, &size, figure));
    locant_release(svg);
    claim("a figure is drawn", size > 0);
}

void draw(char letter, locant_figure figure)
{
    figure.struct_size = sizeof figure;
    running->figures++;
    if (running->muted)
        return;
    if (running->path != NULL)
        draw_file(letter, &figure);
    if (running->page != NULL)
        draw_in_page(running->page, &figure);
    if (running->path == NULL && running->page == NULL && running->draw)
        try_to_draw(&figure);
}

locant_figure heat_map_of(const char *title, const char *x_label,
                          const char *y_label, locant_tensor x)
{
    return (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                            .title = title,
                            .x_label = x_label,
                            .y_label = y_label,
                            .cells = data(x),
                            .rows = count(x) / width_of(x),
                            .cols = width_of(x) };
}

void heat_map(char letter, const char *title, const char *x_label,
              const char *y_label, locant_tensor x)
{
    locant_figure figure = heat_map_of(title, x_label, y_label, x);

    figure.diverging = 1;
    draw(letter, figure);
}

void curves(char letter, const char *title, const char *x_label,
            const char *y_label, const char *const *labels, locant_tensor y)
{
    int64_t n = width_of(y), lines = count(y) / n;
    locant_series *series = memory(lines, sizeof *series);
    locant_tensor x = ZEROS(n);

    for (int64_t i = 0; i < n; i++)
        data(x)[i] = i;
    for (int64_t i = 0; i < lines; i++)
        series[i] = (locant_series){ .label = labels ? labels[i] : NULL,
                                     .n = n,
                                     .x = data(x),
                                     .y = data(row(y, i)),
                                     .marks = n <= 32,
                                     .color = -1 };
    draw(letter, (locant_figure){ .title = title,
                                  .x_label = x_label,
                                  .y_label = y_label,
                                  .series = series,
                                  .n_series = lines });
}
