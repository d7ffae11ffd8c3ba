/* bench_print_data.c - rows for programs: JSON, CSV and SQL */
#include "bench.h"
#include <string.h>

/* ------------------------------------------------------------------- JSON */

static void json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < ' ')
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

/* Prints null unless x is above 0. */
static void json_number(FILE *f, const char *key, double x)
{
    if (x > 0)
        fprintf(f, ", \"%s\": %.6g", key, x);
    else
        fprintf(f, ", \"%s\": null", key);
}

static void json_string(FILE *f, const char *key, const char *text)
{
    fprintf(f, ", \"%s\": ", key);
    json_text(f, text);
}

void bench_machine_json(FILE *f, const struct bench_machine *m, bool quick)
{
    fprintf(f,
            "{\"date\": \"%s\", \"cpu\": \"%s\", \"isa\": \"%s\", "
            "\"threads\": %d",
            m->date, m->cpu, m->isa, m->threads);
    json_string(f, "version", m->version);
    json_string(f, "commit", m->commit);
    json_string(f, "compiler", m->compiler);
    json_string(f, "flags", m->flags);
    fprintf(f, ", \"quick\": %s", quick ? "true" : "false");
    json_number(f, "stream_gbps", m->stream);
    json_number(f, "read_gbps", m->read);
    json_number(f, "fma_gflops", m->fma);
    json_number(f, "bf16_gflops", m->bf16);
}

static void json_case(FILE *f, const struct bench_case *c)
{
    fprintf(f, "{\"subject\": \"%s\", \"case\": ",
            bench_titles[c->family->subject].key);
    json_text(f, c->name);
    json_string(f, "encoding", c->spec);
    fprintf(f,
            ", \"dtype\": \"%s\", \"causal\": %s, \"heads\": %lld, "
            "\"kv_heads\": %lld, \"queries\": %lld, \"tokens\": %lld, "
            "\"dim\": %lld",
            locant_dtype_name(c->dtype), c->causal ? "true" : "false",
            (long long)c->heads, (long long)c->kv_heads, (long long)c->queries,
            (long long)c->tokens, (long long)c->dim);
}

void bench_row_json(FILE *f, const struct bench_result *r)
{
    json_case(f, r->c);
    fprintf(f, ", \"isa\": \"%s\", \"threads\": %d", r->isa, r->threads);
    if (r->cannot) {
        json_string(f, "cannot", r->note);
        fprintf(f, "}");
        return;
    }
    fprintf(f,
            ", \"samples\": %d, \"median_ns\": %.1f, \"min_ns\": %.1f, "
            "\"spread\": %.4f, \"speed\": %.6g, \"unit\": \"%s\"",
            r->samples, r->median_ns, r->min_ns, r->spread, r->speed,
            r->c->work->unit);
    json_number(f, "peak", r->peak);
    json_number(f, "of_peak", r->of_peak);
    json_number(f, "of_peak_median", r->of_peak_median);
    json_number(f, "of_baseline", r->of_baseline);
    json_number(f, "of_baseline_median", r->of_baseline_median);
    json_number(f, "cpus", r->cpus);
    if (r->note[0] != '\0')
        json_string(f, "note", r->note);
    fprintf(f, "}");
}

/* ------------------------------------------------------------ CSV and SQL */

enum column_kind { TEXT, REAL, OPTIONAL }; /* OPTIONAL: 0 stands for no value */

struct column {
    const char *name;
    enum column_kind kind;
    const char *text;
    double real;
};

enum { COLUMNS = 32 };

/* Writes the columns of a row; returns their number. */
static int columns(struct column *out, const struct bench_machine *m,
                   const struct bench_result *r, bool quick)
{
    const struct bench_case *c = r->c;
    const struct column all[COLUMNS] = {
        { "date", TEXT, m->date, 0 },
        { "cpu", TEXT, m->cpu, 0 },
        { "commit_id", TEXT, m->commit, 0 },
        { "compiler", TEXT, m->compiler, 0 },
        { "flags", TEXT, m->flags, 0 },
        { "quick", REAL, NULL, quick },
        { "subject", TEXT, bench_titles[c->family->subject].key, 0 },
        { "name", TEXT, c->name, 0 },
        { "encoding", TEXT, c->spec, 0 },
        { "dtype", TEXT, locant_dtype_name(c->dtype), 0 },
        { "causal", REAL, NULL, c->causal },
        { "heads", REAL, NULL, (double)c->heads },
        { "kv_heads", REAL, NULL, (double)c->kv_heads },
        { "queries", REAL, NULL, (double)c->queries },
        { "tokens", REAL, NULL, (double)c->tokens },
        { "dim", REAL, NULL, (double)c->dim },
        { "isa", TEXT, r->isa, 0 },
        { "threads", REAL, NULL, r->threads },
        { "samples", OPTIONAL, NULL, r->samples },
        { "median_ns", OPTIONAL, NULL, r->median_ns },
        { "min_ns", OPTIONAL, NULL, r->min_ns },
        { "spread", REAL, NULL, r->spread },
        { "speed", OPTIONAL, NULL, r->speed },
        { "unit", TEXT, c->work->unit, 0 },
        { "peak", OPTIONAL, NULL, r->peak },
        { "of_peak", OPTIONAL, NULL, r->of_peak },
        { "of_peak_median", OPTIONAL, NULL, r->of_peak_median },
        { "of_baseline", OPTIONAL, NULL, r->of_baseline },
        { "of_baseline_median", OPTIONAL, NULL, r->of_baseline_median },
        { "cpus", OPTIONAL, NULL, r->cpus },
        { "note", TEXT, r->cannot ? "" : r->note, 0 },
        { "cannot", TEXT, r->cannot ? r->note : "", 0 },
    };

    memcpy(out, all, sizeof(all));
    return COLUMNS;
}

/* The columns of an empty row, for their names. */
static int empty_row(struct column *out, const struct bench_machine *m)
{
    static const struct bench_work no_work = { .unit = "" };
    static const struct bench_family no_family = { .name = "" };
    static const struct bench_case no_case = { .family = &no_family,
                                               .work = &no_work };
    static const struct bench_result nothing = { .c = &no_case, .isa = "" };

    return columns(out, m, &nothing, false);
}

/* A quoted text with its quotes doubled, for CSV and SQL. */
static void quoted(FILE *f, const char *text, char quote)
{
    fputc(quote, f);
    for (; *text != '\0'; text++) {
        if (*text == quote)
            fputc(quote, f);
        fputc(*text, f);
    }
    fputc(quote, f);
}

void bench_row_csv(const struct bench_sink *s, const struct bench_result *r)
{
    struct column all[COLUMNS];
    int n = r == NULL ? empty_row(all, s->machine)
                      : columns(all, s->machine, r, s->quick);

    for (int i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", s->file);
        if (r == NULL)
            fprintf(s->file, "%s", all[i].name);
        else if (all[i].kind == TEXT)
            quoted(s->file, all[i].text, '"');
        else if (all[i].kind == REAL || all[i].real > 0)
            fprintf(s->file, "%.10g", all[i].real);
    }
    fprintf(s->file, "\n");
}

static void sql_table(const struct bench_sink *s)
{
    struct column all[COLUMNS];
    int n = empty_row(all, s->machine);

    fprintf(s->file, "BEGIN;\nCREATE TABLE IF NOT EXISTS bench (");
    for (int i = 0; i < n; i++)
        fprintf(s->file, "%s\n  %s %s", i > 0 ? "," : "", all[i].name,
                all[i].kind == TEXT ? "TEXT" : "REAL");
    fprintf(s->file, ");\n");
}

void bench_row_sql(const struct bench_sink *s, const struct bench_result *r)
{
    struct column all[COLUMNS];
    int n;

    if (r == NULL) {
        sql_table(s);
        return;
    }
    n = columns(all, s->machine, r, s->quick);
    fprintf(s->file, "INSERT INTO bench VALUES (");
    for (int i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "", s->file);
        if (all[i].kind == TEXT)
            quoted(s->file, all[i].text, '\'');
        else if (all[i].kind == OPTIONAL && !(all[i].real > 0))
            fprintf(s->file, "NULL");
        else
            fprintf(s->file, "%.10g", all[i].real);
    }
    fprintf(s->file, ");\n");
}
