/*
 * course.c - the rows of the tutorials as one HTML page: of each row what the
 * document says, what locant computes, where the document is wrong, and the C
 * and the Python that does it.
 *
 * The page needs no scripts: two radio buttons and a rule of CSS choose the
 * language.  It is well-formed XML, so that tests can read it.
 */
#define _GNU_SOURCE
#include "course.h"
#include "course_style.h"
#include "homework.h"

#include <stdlib.h>
#include <string.h>

#include "../tutorials/chinese.h"
#include "../tutorials/course.h"

/* ------------------------------------------------------------------ writing */

static void put_n(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (text[i]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc(text[i], out);
        }
}

static void put(FILE *out, const char *text)
{
    put_n(out, text, strlen(text));
}

/* The same in both languages, of which the page shows one. */
static void put_both(FILE *out, const char *tag, const char *en, const char *zh)
{
    fprintf(out, "<%s class=\"in-en\">", tag);
    put(out, en);
    fprintf(out, "</%s><%s class=\"in-zh\" lang=\"zh\">", tag, tag);
    put(out, zh);
    fprintf(out, "</%s>", tag);
}

static void put_title(FILE *out, const struct tutorial_row *row)
{
    fprintf(out, "%s ", row->id);
    put_both(out, "span", row->title, tutorial_claim(row)->title_zh);
}

/* The id of a file on this page: "file-s0-order.c". */
static void put_file_id(FILE *out, const char *path)
{
    fputs("file-", out);
    for (; *path != '\0'; path++)
        fputc(*path == '/' ? '-' : *path, out);
}

/* --------------------------------------------------------- before the rows */

static int put_head(struct course *c)
{
    char *css = NULL;
    size_t size = 0;

    CLI_TRY(cli_status(locant_figure_css(&css, &size)));
    fprintf(c->out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
            "<meta name=\"viewport\" content=\"width=device-width, "
            "initial-scale=1\"/><title>locant: a course on positional "
            "encodings</title>\n<style>%s%.*s</style></head>\n<body>\n",
            course_style, (int)size, css);
    locant_release(css);
    fprintf(c->out,
            "<input type=\"radio\" name=\"language\" id=\"english\"%s/>"
            "<label for=\"english\">English</label>"
            "<input type=\"radio\" name=\"language\" id=\"chinese\"%s/>"
            "<label for=\"chinese\" lang=\"zh\">中文</label>\n",
            c->chinese ? "" : " checked=\"checked\"",
            c->chinese ? " checked=\"checked\"" : "");
    return CLI_OK;
}

static void put_introduction(FILE *out)
{
    fputs("<header><h1>", out);
    put_both(out, "span", "Positional encodings, row by row",
             "位置编码：逐条学习");
    fputs("</h1>\n", out);
    put_both(out, "p",
             "locant grew from five documents about positional encodings. Each "
             "class, function, figure, experiment and table of theirs is a "
             "row: what the document says, what locant computes, where the "
             "document is wrong (an erratum, with both numbers), and the C and "
             "the Python that does it. The C calls the public API through the "
             "helpers at the end of this page; the Python needs NumPy and the "
             "package locant.",
             "locant 源于五篇关于位置编码的文档。文档中的每个类、函数、图、实验"
             "和表格都是一条：文档的说法、locant 的计算结果、文档的错误（勘误，"
             "给出两个数值），以及相应的 C 和 Python 代码。C 代码通过本页末尾的"
             "辅助函数调用公开 API；Python 代码需要 NumPy 和 locant 包。");
    fputs("</header>\n", out);
}

static void put_contents(const struct course *c)
{
    FILE *out = c->out;

    fputs("<nav><h2>", out);
    put_both(out, "span", "Contents", "目录");
    fputs("</h2>\n", out);
    for (const struct tutorial_row *r = c->first; r <= c->last; r++) {
        if (r == c->first || tutorial_begins_document(r)) {
            fprintf(out, "%s<details open=\"open\"><summary>",
                    r == c->first ? "" : "</ol></details>\n");
            put_both(out, "span", tutorial_document(r),
                     tutorial_document_zh(r));
            fputs("</summary><ol>\n", out);
        }
        fprintf(out, "<li><a href=\"#%s\">", r->id);
        put_title(out, r);
        fputs("</a>", out);
        if (r->wrong != NULL)
            fprintf(out, " <span class=\"mark\">%s</span>", r->wrong);
        fputs("</li>\n", out);
    }
    fputs("</ol></details><p><a href=\"#sources\">", out);
    put_both(out, "span", "The sources", "源代码");
    fputs("</a></p></nav>\n<main>\n", out);
}

int course_begin(struct course *c)
{
    int status;

    c->out = open_memstream(&c->text, &c->size);
    if (c->out == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    status = put_head(c);
    if (status != CLI_OK) {
        fclose(c->out);
        free(c->text);
        return status;
    }
    put_introduction(c->out);
    put_contents(c);
    return CLI_OK;
}

/* ------------------------------------------------------------------- a row */

/* A number or a text of a mistake. */
static void put_value(FILE *out, const json_t *value,
                      const struct tutorial_row *row)
{
    const char *text = json_string_value(value), *chinese;
    char room[LONGEST];

    if (text == NULL) {
        fprintf(out, "%.10g", json_number_value(value));
        return;
    }
    chinese = to_chinese(room, text, row);
    if (strcmp(chinese, text) == 0)
        put(out, text);
    else
        put_both(out, "span", text, chinese);
}

static void put_mistake(FILE *out, const json_t *m,
                        const struct tutorial_row *row)
{
    static const char *const fields[][3] = { { "tutorial", "the document",
                                               "文档" },
                                             { "right", "right", "正确" },
                                             { "why", "why", "原因" } };

    fputs("<div class=\"wrong\"><h4>", out);
    put_both(out, "span", "Erratum ", "勘误 ");
    put_value(out, json_object_get(m, "mistake"), row);
    put_both(out, "span", ": ", "：");
    put_value(out, json_object_get(m, "what"), row);
    fputs("</h4><dl>", out);
    for (int i = 0; i < 3; i++) {
        fputs("<dt>", out);
        put_both(out, "span", fields[i][1], fields[i][2]);
        fputs("</dt><dd>", out);
        put_value(out, json_object_get(m, fields[i][0]), row);
        fputs("</dd>", out);
    }
    fputs("</dl></div>\n", out);
}

static void put_c(FILE *out, const struct tutorial_row *row)
{
    const struct tutorial_piece piece = tutorial_c(row);

    if (piece.file == NULL)
        return;
    fprintf(out,
            "<details class=\"c\"><summary>C: tutorials/%s</summary>"
            "<pre><code>",
            piece.file->path);
    put_n(out, piece.text, piece.size);
    fputs("</code></pre><p><a href=\"#", out);
    put_file_id(out, piece.file->path);
    fputs("\">", out);
    put_both(out, "span", "The whole file", "完整文件");
    fputs("</a></p></details>\n", out);
}

static void put_python(FILE *out, const struct tutorial_row *row)
{
    const struct tutorial_piece imports = tutorial_imports(row);
    const struct tutorial_piece piece = tutorial_python(row);

    if (imports.file == NULL || piece.file == NULL)
        return;
    fputs("<details class=\"python\"><summary>Python</summary><pre><code>",
          out);
    put_n(out, imports.text, imports.size);
    fputs("\n\n", out);
    put_n(out, piece.text, piece.size);
    fputs("</code></pre></details>\n", out);
}

static void put_row_head(FILE *out, const struct tutorial_row *row)
{
    const struct tutorial_claim *claim = tutorial_claim(row);
    char en[128], zh[128];

    snprintf(en, sizeof en, "%s, lines %s", row->kind, row->lines);
    snprintf(zh, sizeof zh, "%s，第 %s 行", tutorial_kind_zh(row->kind),
             row->lines);
    fprintf(out, "<section class=\"row\" id=\"%s\"><h3>", row->id);
    put_title(out, row);
    put_both(out, "small", en, zh);
    fputs("</h3>\n<h4>", out);
    put_both(out, "span", "The document says", "文档的说法");
    fputs("</h4>\n", out);
    put_both(out, "p", claim->text, claim->text_zh);
}

void course_row(struct course *c, const struct tutorial *t,
                char *const printed[LANGUAGES], const char *figures)
{
    const struct tutorial_row *row = t->row;
    json_t *mistakes = json_object_get(t->json, "wrong");
    FILE *out = c->out;
    const json_t *mistake;
    size_t i;

    if (row == c->first || tutorial_begins_document(row)) {
        fprintf(out, "<h2 id=\"S%c\">", row->id[1]);
        put_both(out, "span", tutorial_document(row),
                 tutorial_document_zh(row));
        fputs("</h2>\n", out);
    }
    put_row_head(out, row);
    fputs("\n<h4>", out);
    put_both(out, "span", "locant's run: ", "locant 的运行：");
    fprintf(out, "<code>locant tutorial %s</code></h4>\n", row->id);
    put_both(out, "pre", printed[ENGLISH], printed[CHINESE]);
    fprintf(out, "\n%s", figures);
    json_array_foreach(mistakes, i, mistake)
        put_mistake(out, mistake, row);
    put_c(out, row);
    put_python(out, row);
    fputs("</section>\n", out);
}

/* ----------------------------------------------------- after each document */

/* A question with a field in place of its blank. */
static void put_question(FILE *out, const char *language, const char *label,
                         const char *question)
{
    const char *blank = strstr(question, HOMEWORK_BLANK);

    fprintf(out, "<p class=\"in-%s\"%s>", language,
            strcmp(language, "zh") == 0 ? " lang=\"zh\"" : "");
    put_n(out, question, (size_t)(blank - question));
    fprintf(out, "<input type=\"text\" aria-label=\"%s\"/>", label);
    put(out, blank + strlen(HOMEWORK_BLANK));
    fputs("</p>", out);
}

static void put_exercise(FILE *out, const struct homework *q, double answer)
{
    fprintf(out, "<li id=\"homework-%s\">", q->name);
    put_question(out, "en", "answer", q->question);
    put_question(out, "zh", "答案", q->question_zh);
    fputs("<details class=\"hint\"><summary>", out);
    put_both(out, "span", "Hint", "提示");
    fputs("</summary>", out);
    put_both(out, "p", q->hint, q->hint_zh);
    fputs("</details><details class=\"answer\"><summary>", out);
    put_both(out, "span", "Answer", "答案");
    fputs("</summary><p><b>", out);
    fprintf(out, q->format, answer);
    fprintf(out, "</b> (<a href=\"#%s\">%s</a>)</p></details></li>\n", q->row,
            q->row);
}

int course_homework(struct course *c, int document)
{
    fprintf(c->out, "<section class=\"homework\" id=\"homework-S%d\"><h3>",
            document);
    put_both(c->out, "span", "Homework", "练习");
    fputs("</h3>\n", c->out);
    put_both(
        c->out, "p",
        "Fill in the blanks, on paper or here, then compare: locant "
        "computed the answers when it wrote this page.",
        "在纸上或在此处填空，再对照答案：答案由 locant 在生成本页时计算。");
    fputs("\n<ol>\n", c->out);
    for (const struct homework *q = homework; q->name != NULL; q++) {
        double answer;

        if (q->document != document)
            continue;
        CLI_TRY(homework_find_answer(&answer, q));
        put_exercise(c->out, q, answer);
    }
    fputs("</ol></section>\n", c->out);
    return CLI_OK;
}

/* ---------------------------------------------------------- after the rows */

static void put_sources(FILE *out)
{
    fputs("<h2 id=\"sources\">", out);
    put_both(out, "span", "The sources", "源代码");
    fputs("</h2>\n", out);
    put_both(out, "p",
             "The files of the rows, and the headers of the helpers that they "
             "call.",
             "各条的文件，以及所调用的辅助函数的头文件。");
    for (const struct tutorial_source *f = tutorial_sources; f->path; f++) {
        fputs("<details id=\"", out);
        put_file_id(out, f->path);
        fprintf(out, "\"><summary>tutorials/%s</summary><pre><code>", f->path);
        put_n(out, f->text, f->size);
        fputs("</code></pre></details>\n", out);
    }
}

int course_end(struct course *c, const char *path)
{
    int status;

    put_sources(c->out);
    fputs("</main></body></html>\n", c->out);
    if (fclose(c->out) != 0 || c->text == NULL)
        status = cli_fail(CLI_INPUT, "out of memory");
    else
        status = cli_status_input(locant_file_write(path, c->text, c->size));
    c->out = NULL;
    free(c->text);
    return status;
}
