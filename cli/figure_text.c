/* figure_text.c - the texts of a figure in the language of the command. */
#include <stdio.h>

#include "cli.h"
#include "language.h"

static void choose(const char **english, const char *zh)
{
    if (zh != NULL)
        *english = zh;
}

static int translate_series(locant_figure *f)
{
    locant_series *series = cli_alloc(f->n_series, sizeof *series);

    if (series == NULL)
        return CLI_INPUT;
    for (size_t i = 0; i < f->n_series; i++) {
        series[i] = f->series[i];
        choose(&series[i].label, series[i].label_zh);
    }
    f->series = series;
    return CLI_OK;
}

static int translate_marks(locant_figure *f)
{
    locant_mark *marks = cli_alloc(f->n_marks, sizeof *marks);

    if (marks == NULL)
        return CLI_INPUT;
    for (size_t i = 0; i < f->n_marks; i++) {
        marks[i] = f->marks[i];
        choose(&marks[i].label, marks[i].label_zh);
    }
    f->marks = marks;
    return CLI_OK;
}

int cli_figure_text(locant_figure *f)
{
    if (!cli_chinese())
        return CLI_OK;
    f->chinese = 1;
    choose(&f->title, f->title_zh);
    choose(&f->x_label, f->x_label_zh);
    choose(&f->y_label, f->y_label_zh);
    if (f->n_series > 0)
        CLI_TRY(translate_series(f));
    return f->n_marks > 0 ? translate_marks(f) : CLI_OK;
}

int cli_figure_font(void)
{
    const double one = 0;
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_status s;
    char *text = NULL;
    size_t size;

    if (!cli_chinese())
        return CLI_OK;
    f.kind = LOCANT_FIGURE_HEATMAP;
    f.cells = &one;
    f.rows = f.cols = 1;
    f.title = "位置编码的查询与键";
    f.chinese = 1;
    s = locant_figure_svg(&text, &size, &f);
    locant_release(text);
    if (s != LOCANT_ERR_UNSUPPORTED)
        return cli_status_input(s);
    fprintf(stderr, "locant: no font of this machine has Chinese; the picture "
                    "is in English\n");
    cli_set_language(0);
    return CLI_OK;
}
