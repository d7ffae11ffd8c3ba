/* test_export.c - what 'locant report --export' writes for a paper */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "page_results.h"
#include "report/export.h"
#include "report/references.h"
#include "report/statement.h"
#include <jansson.h>
#include <ctype.h>
#include <sys/stat.h>

static const char *const names[] = { "table.tex",      "pairs.tex",
                                     "results.csv",    "pairs.csv",
                                     "references.bib", "reproducibility.txt" };

static int remove_export(void **state)
{
    for (size_t i = 0; i < LEN(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return remove_folder(state);
}

/* A file of the folder; free() it. */
static char *read_name(const char *name)
{
    char *text = calloc(1 << 20, 1);
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    CHECK(file && text);
    CHECK(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void write_name(const char *name, const char *text)
{
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    CHECK(file && fputs(text, file) >= 0);
    fclose(file);
}

static void make_numbered(struct lct_results *r)
{
    make_results(r);
    CHECK_OK(lct_numbers_create(&r->numbers, r));
}

static void free_numbered(struct lct_results *r)
{
    json_decref(r->numbers);
    free_results(r);
}

/* ------------------------------------------------------------------- LaTeX */

/* Characters 'c' of a line that no backslash stands before. */
static size_t plain(const char *line, size_t size, char c)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++)
        n += line[i] == c && (i == 0 || line[i - 1] != '\\');
    return n;
}

/* Every row has as many cells, dollars come in pairs, braces match. */
static size_t check_rows(const char *tex, size_t cells)
{
    size_t rows = 0;

    for (const char *line = tex; *line;) {
        const size_t n = strcspn(line, "\n");

        if (plain(line, n, '&') > 0) {
            assert_int_equal(plain(line, n, '&') + 1, cells);
            CHECK(memmem(line, n, "\\\\", 2) != NULL);
            rows++;
        }
        CHECK(plain(line, n, '$') % 2 == 0);
        line += n + (line[n] == '\n');
    }
    assert_int_equal(plain(tex, strlen(tex), '{'),
                     plain(tex, strlen(tex), '}'));
    assert_int_equal(count(tex, "\\begin{"), count(tex, "\\end{"));
    return rows;
}

TEST(escapes_what_latex_reads)
{
    struct lct_html text = { .data = NULL };

    lct_export_tex(&text, "50% of $x_1 & {y}~#^\\");
    lct_html_append(&text, "", 1);
    assert_string_equal(text.data, "50\\% of \\$x\\_1 \\& \\{y\\}"
                                   "\\textasciitilde{}\\#\\textasciicircum{}"
                                   "\\textbackslash{}");
    lct_html_free(&text);
}

TEST_WITH(make_folder, remove_export, tables_are_whole)
{
    FREED_BY(free_numbered) struct lct_results r;
    char *table, *pairs, want[64];

    make_numbered(&r);
    CHECK_OK(lct_export_check(folder));
    CHECK_OK(lct_export_write(folder, &r));
    table = read_name("table.tex");
    pairs = read_name("pairs.tex");
    /* a head and a row for each encoding */
    assert_int_equal(check_rows(table, LOCANT_EVAL_LENGTHS + 3), GROUPS + 1);
    /* two lines for each, at each length: these runs have no gains */
    assert_int_equal(check_rows(pairs, GROUPS + 1),
                     LOCANT_EVAL_LENGTHS * (2 * GROUPS + 1));
    snprintf(want, sizeof want, "$%.3f \\pm ",
             lct_page_value(&r, "rows.2.lengths.512.loss"));
    CHECK(strstr(table, want) != NULL);
    CHECK(strstr(table, "\\texttt{rope}~\\cite{arXiv:2104.09864} & ") != NULL);
    CHECK(strstr(table, "nan") == NULL && strstr(pairs, "nan") == NULL);
    free(table);
    free(pairs);
}

TEST_WITH(make_folder, remove_export, latex_compiles)
{
    FREED_BY(free_numbered) struct lct_results r;
    char command[900];

    if (system("command -v pdflatex >/dev/null 2>&1") != 0)
        skip();
    make_numbered(&r);
    CHECK_OK(lct_export_write(folder, &r));
    snprintf(command, sizeof command,
             "cd '%s' && printf '%%s' '\\documentclass{article}"
             "\\usepackage{booktabs}\\begin{document}\\input{table}"
             "\\input{pairs}\\end{document}' > paper.tex && "
             "pdflatex -interaction=batchmode -halt-on-error paper >/dev/null; "
             "s=$?; rm -f paper.*; exit $s",
             folder);
    assert_int_equal(system(command), 0);
}

/* --------------------------------------------------------------------- CSV */

static size_t fields_of(const char *line)
{
    size_t n = 1;
    bool quoted = false;

    for (; *line && *line != '\n'; line++) {
        quoted ^= *line == '"';
        n += *line == ',' && !quoted;
    }
    return n;
}

static size_t check_csv(const char *csv, size_t fields)
{
    size_t lines = 0;

    for (; *csv; csv += strcspn(csv, "\n") + 1, lines++)
        assert_int_equal(fields_of(csv), fields);
    return lines;
}

TEST_WITH(make_folder, remove_export, csv_has_all_digits)
{
    FREED_BY(free_numbered) struct lct_results r;
    char *results, *pairs, *at;

    make_numbered(&r);
    CHECK_OK(lct_export_write(folder, &r));
    results = read_name("results.csv");
    pairs = read_name("pairs.csv");
    assert_int_equal(check_csv(results, 9), 1 + GROUPS * LOCANT_EVAL_LENGTHS);
    assert_int_equal(check_csv(pairs, 8),
                     1 + GROUPS * (GROUPS - 1) / 2 * LOCANT_EVAL_LENGTHS);
    CHECK(strstr(results, "\nlearned(length=128),3,256,,,,,,") != NULL);
    at = strstr(results, "\nrope,3,512,");
    CHECK(at != NULL);
    CHECK(strtod(at + strlen("\nrope,3,512,"), NULL) ==
          lct_page_value(&r, "rows.2.lengths.512.loss"));
    at = strstr(pairs, "\nloss,2048,alibi,rope,");
    CHECK(at != NULL);
    CHECK(strtod(at + strlen("\nloss,2048,alibi,rope,"), NULL) ==
          lct_page_value(&r, "pairs.loss.2048.pairs.1.mean"));
    free(results);
    free(pairs);
}

/* -------------------------------------------------------------- references */

/* "Su et al. 2021, arXiv.." begins with the first author of "Su, Jianlin and
   ..", unless letters of that name need LaTeX. */
static bool same_author(const char *authors, const char *source)
{
    const size_t n = strcspn(authors, ",");

    return memchr(authors, '{', n) || strncmp(authors, source, n) == 0;
}

/* Every paper of the registry has a row, of the author named there; the year
   there may be that of the conference. */
static void check_source(const char *source)
{
    while (*source) {
        struct lct_works works = { .n = 0 };
        const char *year = source + strcspn(source, "0123456789");
        char part[256];

        snprintf(part, sizeof part, "%.*s", (int)strcspn(source, ";"), source);
        lct_references_add(&works, part);
        for (size_t i = 0; i < works.n; i++) {
            const struct lct_work *w = &works.at[i];

            if (w->title[0] == '\0' || w->authors[0] == '\0')
                FAIL("%s: not in references.def: %s", w->key, part);
            if (!strncmp(year, "20", 2) && isdigit((unsigned char)year[3]) &&
                (!same_author(w->authors, part) ||
                 abs(atoi(year) - atoi(w->year)) > 1))
                FAIL("%s: %s, %s, but the registry: %s", w->key, w->authors,
                     w->year, part);
        }
        source += strcspn(source, ";");
        source += strspn(source, "; ");
    }
}

TEST(every_source_is_a_reference)
{
    static const char *const scalings[] = {
        "linear(factor=2)", "ntk(factor=2)", "yarn(factor=4,original=128)",
        "llama3",           "proportional",  "mixed-radix(factor=2,original=9)"
    };

    for (int i = 0; locant_encoding_at(i) != NULL; i++)
        check_source(locant_encoding_at(i)->source);
    for (size_t i = 0; i < LEN(scalings); i++) {
        struct lct_works works = { .n = 0 };
        char spec[128];

        snprintf(spec, sizeof spec, "rope(scaling=%s)", scalings[i]);
        CHECK_OK(lct_references_of(&works, spec));
        CHECK(works.n >= 2 || i == 4);
        for (size_t k = 0; k < works.n; k++)
            CHECK(works.at[k].title[0] != '\0');
    }
}

TEST(reads_sources)
{
    struct lct_works works = { .n = 0 };

    lct_references_add(&works,
                       "Doe et al. 2031, arXiv:3101.00001v2, eq. (1); "
                       "Roe 2030, github.com/roe/thing, x.py; own code");
    lct_references_add(&works, "again arXiv:3101.00001v3");
    assert_int_equal(works.n, 2);
    assert_string_equal(works.at[0].key, "arXiv:3101.00001");
    assert_string_equal(works.at[0].authors, "Doe and others");
    assert_string_equal(works.at[0].year, "2031");
    assert_string_equal(works.at[1].key, "github:roe/thing");
    assert_string_equal(works.at[1].authors, "Roe");
    works.n = 0;
    CHECK_OK(lct_references_of(&works, "randomized(length=2048)+alibi"));
    assert_int_equal(works.n, 2);
    assert_string_equal(works.at[0].arxiv, "2305.16843");
    assert_string_equal(works.at[1].arxiv, "2108.12409");
}

TEST_WITH(make_folder, remove_export, bibtex_has_what_the_table_cites)
{
    FREED_BY(free_numbered) struct lct_results r;
    char *table, *bib;

    make_numbered(&r);
    CHECK_OK(lct_export_write(folder, &r));
    table = read_name("table.tex");
    bib = read_name("references.bib");
    CHECK(strstr(bib, "@misc{locant,\n") != NULL);
    CHECK(strstr(bib, "commit 0123abc") != NULL);
    CHECK(strstr(bib, "  eprint = {2104.09864},\n") != NULL);
    assert_int_equal(plain(bib, strlen(bib), '{'),
                     plain(bib, strlen(bib), '}'));
    for (char *at = table; (at = strstr(at, "\\cite{"));) {
        char *end, *save = NULL;

        at += strlen("\\cite{");
        end = strchr(at, '}');
        *end = '\0';
        for (char *key = strtok_r(at, ",", &save); key;
             key = strtok_r(NULL, ",", &save)) {
            char entry[80];

            snprintf(entry, sizeof entry, "@misc{%s,\n", key);
            assert_int_equal(count(bib, entry), 1);
        }
        at = end + 1;
    }
    free(table);
    free(bib);
}

/* --------------------------------------------------------------- statement */

TEST_WITH(make_folder, remove_export, statement_says_how_to_repeat)
{
    static const char *const parts[] = {
        "commit 0123abc",
        "812 files",
        "seeds 1, 2, 3",
        "300 steps of AdamW",
        "preset quick",
        "A Processor",
        "2 threads",
        "cc 1.2",
        "locant report --preset quick --seeds 3",
        "; rope; ",
        "种子 1, 2, 3"
    };
    FREED_BY(free_numbered) struct lct_results r;
    char *text;

    make_numbered(&r);
    CHECK_OK(lct_export_write(folder, &r));
    text = read_name("reproducibility.txt");
    for (size_t i = 0; i < LEN(parts); i++)
        if (strstr(text, parts[i]) == NULL)
            FAIL("'%s' is not in: %s", parts[i], text);
    CHECK(strstr(text, r.corpus.sha256) != NULL);
    CHECK(strchr(text, '$') == NULL);
    CHECK(strstr(text, "batches of 16 texts of 128 bytes") != NULL);
    CHECK(strstr(text, " --optimizer adamw --vocabulary bytes ") != NULL);
    free(text);

    for (size_t i = 0; i < GROUPS; i++)
        for (int s = 0; s < SEEDS; s++)
            strcpy(r.groups[i].results[s].run.optimizer, "muon");
    r.vocabulary = 512;
    CHECK_OK(lct_export_write(folder, &r));
    text = read_name("reproducibility.txt");
    CHECK(strstr(text, "300 steps of Muon for hidden matrices and, for the "
                       "rest, AdamW on batches of 16 texts of 128 "
                       "tokens") != NULL);
    CHECK(strstr(text, " --optimizer muon --vocabulary 512 ") != NULL);
    CHECK(strstr(text, "vocabulary of 512") != NULL);
    free(text);
}

/* ------------------------------------------------------------------- files */

static void refuses(const char *where, const char *want)
{
    CHECK(lct_export_check(where) == LOCANT_ERR_IO);
    assert_string_equal(locant_last_error(), want);
}

TEST_WITH(make_folder, remove_export, replaces_only_its_own_files)
{
    FREED_BY(free_numbered) struct lct_results r;
    char inner[300], want[512];

    make_numbered(&r);
    CHECK_OK(lct_export_check(folder));
    CHECK_OK(lct_export_write(folder, &r));
    CHECK_OK(lct_export_check(folder));
    write_name("references.bib", "@book{mine}\n");
    snprintf(want, sizeof want,
             "%s/references.bib: exists and was not written by locant report "
             "--export; expected another folder",
             folder);
    refuses(folder, want);
    write_name("references.bib", "");
    refuses(folder, want);
    snprintf(inner, sizeof inner, "%s/references.bib", folder);
    snprintf(want, sizeof want, "%s: is a file, expected a folder", inner);
    refuses(inner, want);
    snprintf(inner, sizeof inner, "%s/none/inner", folder);
    snprintf(want, sizeof want,
             "%s: cannot be created: No such file or directory", inner);
    refuses(inner, want);
}
