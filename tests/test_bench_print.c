/* needs: bench */
/* test_bench_print.c - what bench prints of rows, in each format */
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include "testing.h"
#include <stdlib.h>
#include <string.h>

/* What is printed of a run of two rows; to be freed. */
static char *printed(enum bench_format format)
{
    static const struct bench_machine machine = {
        .cpu = "a CPU",
        .date = "2026-01-02T03:04:05Z",
        .isa = "base",
        .commit = "abc",
        .compiler = "cc \"1\"",
        .flags = "-O",
        .threads = 2,
        .version = "0",
        .stream = 1,
        .read = 2,
        .fma = 3,
    };
    static const struct bench_work work = { .unit = "GB/s" };
    static const struct bench_family family = { .subject = SUBJECT_FORWARD,
                                                .name = "forward" };
    static const struct bench_case c = { .family = &family,
                                         .work = &work,
                                         .spec = "rope",
                                         .heads = 3,
                                         .name = "row, one" };
    const struct bench_result good = { .c = &c,
                                       .isa = "base",
                                       .threads = 2,
                                       .samples = 9,
                                       .min_ns = 8e3,
                                       .median_ns = 9e3,
                                       .spread = 0.25,
                                       .speed = 7.5,
                                       .peak = 10,
                                       .of_peak = 0.9,
                                       .of_peak_median = 0.75 };
    const struct bench_result bad = {
        .c = &c, .isa = "base", .cannot = true, .note = "it's \"so\", \\ or"
    };
    char *text = NULL;
    size_t size;
    struct bench_sink s = { .format = format, .machine = &machine };

    s.file = open_memstream(&text, &size);
    assert_non_null(s.file);
    bench_print_head(&s);
    bench_print_row(&s, &good);
    bench_print_row(&s, &bad);
    bench_print_foot(&s);
    assert_int_equal(fclose(s.file), 0);
    return text;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        FAIL("no '%s' in: %s", part, text);
}

TEST(json_is_escaped)
{
    FREED_BY(free_memory) char *text = printed(FORMAT_JSON);

    has(text, "\"compiler\": \"cc \\\"1\\\"\"");
    has(text, "\"bf16_gflops\": null");
    has(text, "\"case\": \"row, one\"");
    has(text, "\"of_peak\": 0.9, \"of_peak_median\": 0.75, "
              "\"of_baseline\": null");
    has(text, "\"cannot\": \"it's \\\"so\\\", \\\\ or\"}");
}

/* Commas outside of quotes: every line has as many. */
TEST(csv_lines_have_all_columns)
{
    FREED_BY(free_memory) char *text = printed(FORMAT_CSV);
    int lines = 0, commas = 0, first = 0;
    bool quoted = false;

    for (const char *p = text; *p != '\0'; p++) {
        quoted ^= *p == '"';
        commas += *p == ',' && !quoted;
        if (*p == '\n') {
            first = lines++ == 0 ? commas : first;
            assert_int_equal(commas, first);
            commas = 0;
        }
    }
    assert_int_equal(lines, 3);
    assert_true(first > 20);
    has(text, "\"it's \"\"so\"\", \\ or\"\n");
}

TEST(sql_is_quoted)
{
    FREED_BY(free_memory) char *text = printed(FORMAT_SQL);

    has(text, "BEGIN;\nCREATE TABLE IF NOT EXISTS bench (\n  date TEXT,");
    has(text, "'row, one', 'rope', 'f32', 0, 3,");
    has(text, ", 10, 0.9, 0.75, NULL, NULL, NULL, '', '');\n");
    has(text, "'it''s \"so\", \\ or');\nCOMMIT;\n");
}

TEST(table_is_grouped)
{
    FREED_BY(free_memory) char *text = printed(FORMAT_MARKDOWN);

    has(text, "a CPU, base, 2 threads, commit abc; ");
    has(text, "\n## Attention, forward\n");
    has(text, "| row, one | base | 2 | 9.0 us | 8.0 us | 25 % | 7.5 GB/s | "
              "0.90 (0.75) | | |\n");
    has(text, "| row, one | base | 0 | | | | | | | cannot: it's");
}

/* Two rows of a model of one layer; the last says how its time grows. */
TEST(growth_is_told_at_the_last_length)
{
    static const struct bench_family family = { .subject = SUBJECT_TRAIN,
                                                .name = "tiny",
                                                .tokens = "16,32",
                                                .quick = "16,32",
                                                .layers = 1,
                                                .grows = true };
    struct bench_case c[2] = {
        { .family = &family,
          .work = &work_train,
          .spec = "rope",
          .batch = 2,
          .heads = 1,
          .kv_heads = 1,
          .tokens = 16,
          .queries = 16,
          .dim = 8,
          .layers = 1,
          .name = "tiny" },
    };
    const struct bench_options o = { .format = FORMAT_CSV, .quick = true };
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    c[1] = c[0];
    c[1].batch = 1;
    c[1].tokens = c[1].queries = 32;
    assert_non_null(f);
    assert_int_equal(bench_run_cases(&o, f, c, 2), 0);
    assert_int_equal(fclose(f), 0);
    if (strstr(text, "without liblocant_lab") == NULL) {
        /* 6 (4 8^2 + 2 8 32 + 8 256 + 8 tokens) */
        has(text, "cost model 0.0177 MFLOP per token: ");
        has(text, "cost model 0.0184 MFLOP per token: ");
        has(text, "; over 2 lengths time per token ~ length^");
        has(text, ", cost model ^0.06");
    }
    free(text);
}
