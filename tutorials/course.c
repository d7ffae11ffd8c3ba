/* course.c - what the documents say, and the sources of a row. */
#define _GNU_SOURCE
#include "course.h"

#include <string.h>

static const struct tutorial_claim claims[] = {
#define CLAIM(document, number, ...) { "S" #document "." #number, __VA_ARGS__ },
#include "claims.def"
#undef CLAIM
    { NULL, "", "", "" }
};

const struct tutorial_claim *tutorial_claim(const struct tutorial_row *row)
{
    const struct tutorial_claim *claim = claims;

    while (claim->id != NULL && strcmp(claim->id, row->id) != 0)
        claim++;
    return claim;
}

const char *tutorial_document_zh(const struct tutorial_row *row)
{
    static const char *const documents[] = {
        "S0：中文笔记本，PyTorch", "S1：三节的笔记本", "S2：中文章节，Java",
        "S3：博客文章", "S4：中英双语课程页面"
    };

    return documents[row->id[1] - '0'];
}

const char *tutorial_kind_zh(const char *kind)
{
    static const char *const kinds[][2] = {
        { "text", "文字" },          { "formula", "公式" },
        { "class", "类" },           { "function", "函数" },
        { "figure", "图" },          { "experiment", "实验" },
        { "benchmark", "基准测试" }, { "table", "表格" },
        { "list", "列表" },          { "setup", "准备" },
        { "homework", "练习" },      { "names", "名称" }
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i][0], kind) == 0)
            return kinds[i][1];
    return kind;
}

/* The first place of 'what' in the n bytes at 'text', or NULL. */
static const char *found(const char *text, size_t n, const char *what)
{
    return memmem(text, n, what, strlen(what));
}

/* The beginning of the paragraph at 'at': after the last blank line. */
static const char *paragraph(const char *text, const char *at)
{
    while (at - text >= 2 && !(at[-1] == '\n' && at[-2] == '\n'))
        at--;
    return at;
}

struct tutorial_piece tutorial_c(const struct tutorial_row *row)
{
    const struct tutorial_source *f = tutorial_sources;
    char head[80];

    snprintf(head, sizeof head, "\nvoid %s(void)\n{", row->symbol);
    for (; f->path != NULL; f++) {
        const char *at = found(f->text, f->size, head), *end;

        if (at == NULL)
            continue;
        end = found(at, f->size - (size_t)(at - f->text), "\n}\n");
        if (end == NULL)
            break;
        at = paragraph(f->text, at + 1);
        return (struct tutorial_piece){ f, at, (size_t)(end + 3 - at) };
    }
    return (struct tutorial_piece){ .file = NULL };
}

/* s0/rows.py for a row of S0. */
static const struct tutorial_source *python_file(const struct tutorial_row *row)
{
    const struct tutorial_source *f = tutorial_sources;
    char path[] = "s0/rows.py";

    path[1] = row->id[1];
    while (f->path != NULL && strcmp(f->path, path) != 0)
        f++;
    return f->path != NULL ? f : NULL;
}

/* From 'from' to the next row, or to the end of the file; without blank lines
   at the end. */
static struct tutorial_piece up_to_row(const struct tutorial_source *f,
                                       const char *from)
{
    const char *end = f->text + f->size;
    const char *next = found(from, (size_t)(end - from), "\n# S");

    end = next != NULL ? next : end;
    while (end > from && end[-1] == '\n')
        end--;
    return (struct tutorial_piece){ f, from, (size_t)(end - from) };
}

struct tutorial_piece tutorial_python(const struct tutorial_row *row)
{
    const struct tutorial_source *f = python_file(row);
    const char *at;
    char head[32];

    snprintf(head, sizeof head, "\n# %s: ", row->id);
    at = f != NULL ? found(f->text, f->size, head) : NULL;
    return at != NULL ? up_to_row(f, at + 1)
                      : (struct tutorial_piece){ .file = NULL };
}

struct tutorial_piece tutorial_imports(const struct tutorial_row *row)
{
    const struct tutorial_source *f = python_file(row);
    const char *at = f != NULL ? found(f->text, f->size, "\nimport ") : NULL;

    return at != NULL ? up_to_row(f, at + 1)
                      : (struct tutorial_piece){ .file = NULL };
}
