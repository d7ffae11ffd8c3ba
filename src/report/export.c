/* export.c - writes the folder of what a paper would quote */
#define _POSIX_C_SOURCE 200809L
#include "export.h"
#include "../files/io.h"
#include "statement.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static locant_status put_statement(struct lct_html *to,
                                   const struct lct_results *r)
{
    lct_statement(to, r, LCT_EN);
    lct_html_raw(to, "\n\n");
    lct_statement(to, r, LCT_ZH);
    lct_html_raw(to, "\n");
    return LOCANT_OK;
}

#define TEX_LINE "% Written by locant report --export"

/*
 * The files.  All of them begin with the same bytes in every export, by which a
 * later one knows which files it may replace: a folder of a paper may have a
 * references.bib of its own.
 */
static const struct file {
    const char *name, *first_line;
    locant_status (*put)(struct lct_html *to, const struct lct_results *r);
} files[] = {
    { "table.tex", TEX_LINE, lct_export_table },
    { "pairs.tex", TEX_LINE, lct_export_pairs },
    { "results.csv",
      "encoding,seeds,length,loss,half_width,low,high,gain,extra_parameters",
      lct_export_results_csv },
    { "pairs.csv", "measure,length,first,second,difference,half_width,p,p_holm",
      lct_export_pairs_csv },
    { "references.bib", TEX_LINE, lct_export_references },
    { "reproducibility.txt", "Statement of reproducibility, by locant report",
      put_statement },
};
enum { FILES = sizeof files / sizeof files[0], LINE_BYTES = 128 };

/* "folder/name", to be released. */
static locant_status path_of(char **out, const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;

    *out = locant_alloc(size);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", folder);
    snprintf(*out, size, "%s/%s", folder, name);
    return LOCANT_OK;
}

/* Fail if the path has a file that does not begin with this line. */
static locant_status check_file(const char *path, const char *line)
{
    char begin[LINE_BYTES];
    FILE *file = fopen(path, "rb");
    size_t n;

    if (file == NULL && errno == ENOENT)
        return LOCANT_OK;
    if (file == NULL)
        return lct_io_error(path, "cannot be read", errno);
    n = fread(begin, 1, strlen(line), file);
    fclose(file);
    if (n == strlen(line) && memcmp(begin, line, n) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_IO,
                       "%s: exists and was not written by locant report "
                       "--export; expected another folder",
                       path);
}

static locant_status check_folder(const char *folder)
{
    struct stat st;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return lct_io_error(folder, "cannot be created", errno);
    if (stat(folder, &st) != 0)
        return lct_io_error(folder, "cannot be read", errno);
    if (!S_ISDIR(st.st_mode))
        return locant_fail(LOCANT_ERR_IO, "%s: is a file, expected a folder",
                           folder);
    if (access(folder, W_OK | X_OK) != 0)
        return lct_io_error(folder, "cannot be written", errno);
    return LOCANT_OK;
}

locant_status lct_export_check(const char *folder)
{
    locant_status status = check_folder(folder);

    for (int i = 0; i < FILES && status == LOCANT_OK; i++) {
        char *path;

        LCT_TRY(path_of(&path, folder, files[i].name));
        status = check_file(path, files[i].first_line);
        locant_release(path);
    }
    return status;
}

static locant_status write_file(const char *path, const struct file *f,
                                const struct lct_results *r)
{
    struct lct_html text = { .data = NULL };
    locant_status status;

    lct_html_format(&text, "%s\n", f->first_line);
    status = f->put(&text, r);
    if (status == LOCANT_OK)
        status = lct_html_status(&text);
    if (status == LOCANT_OK)
        status = lct_write_file(path,
                                &(struct lct_piece){ text.data, text.size }, 1);
    lct_html_free(&text);
    return status;
}

locant_status lct_export_write(const char *folder, const struct lct_results *r)
{
    locant_status status = LOCANT_OK;

    for (int i = 0; i < FILES && status == LOCANT_OK; i++) {
        char *path;

        LCT_TRY(path_of(&path, folder, files[i].name));
        status = write_file(path, &files[i], r);
        locant_release(path);
    }
    return status;
}
