/* bench_print.c - the Markdown table, and the choice of format */
#include "bench.h"

static void markdown_head(const struct bench_sink *s)
{
    const struct bench_machine *m = s->machine;

    fprintf(s->file,
            "%s, %s, %d thread%s, commit %s; %s; locant %s, %s, "
            "%s%s\n\nPeaks: in-place streaming %.1f GB/s, reading %.1f GB/s "
            "(64 MiB), FMA %.1f GFLOP/s,\nbfloat16 dot products ",
            m->cpu, m->isa, m->threads, m->threads == 1 ? "" : "s", m->commit,
            m->date, m->version, m->compiler, m->flags,
            s->quick ? ", quick" : "", m->stream, m->read, m->fma);
    if (m->bf16 > 0)
        fprintf(s->file, "%.1f GFLOP/s.", m->bf16);
    else
        fprintf(s->file, "none.");
    fprintf(s->file, "  \"Of peak\" is by the fastest call;\nin brackets, by "
                     "the median.\n");
}

static void print_time(FILE *f, double ns)
{
    if (ns < 1e3)
        fprintf(f, " %.1f ns |", ns);
    else if (ns < 1e6)
        fprintf(f, " %.1f us |", ns / 1e3);
    else if (ns < 1e10)
        fprintf(f, " %.2f ms |", ns / 1e6);
    else
        fprintf(f, " %.1f s |", ns / 1e9);
}

/* Prints a ratio and, in brackets, that of the medians; nothing if it is 0. */
static void print_ratio(FILE *f, double ratio, double of_medians)
{
    if (ratio > 0)
        fprintf(f, " %.2f (%.2f) |", ratio, of_medians);
    else
        fprintf(f, " |");
}

static void subject_head(struct bench_sink *s, const struct bench_title *t)
{
    fprintf(s->file, "\n## %s\n\n", t->title);
    if (t->goal != NULL)
        fprintf(s->file, "Goal: %s.\n\n", t->goal);
    fprintf(s->file, "| case | isa | threads | median | min | spread | speed | "
                     "of peak |");
    if (t->baseline != NULL)
        fprintf(s->file, " %s |", t->baseline);
    fprintf(s->file, " note |\n|---|---|--:|--:|--:|--:|--:|--:|%s---|\n",
            t->baseline != NULL ? "--:|" : "");
}

static void markdown_row(struct bench_sink *s, const struct bench_result *r)
{
    int subject = (int)r->c->family->subject;
    const struct bench_title *t = &bench_titles[subject];

    if (subject != s->subject)
        subject_head(s, t);
    s->subject = subject;
    fprintf(s->file, "| %s | %s | %d |", r->c->name, r->isa, r->threads);
    if (r->cannot) {
        fprintf(s->file, " | | | | |%s cannot: %s |\n",
                t->baseline != NULL ? " |" : "", r->note);
        return;
    }
    print_time(s->file, r->median_ns);
    print_time(s->file, r->min_ns);
    fprintf(s->file, " %.0f %% | %.3g %s |", 100 * r->spread, r->speed,
            r->c->work->unit);
    print_ratio(s->file, r->of_peak, r->of_peak_median);
    if (t->baseline != NULL)
        print_ratio(s->file, r->of_baseline, r->of_baseline_median);
    fprintf(s->file, " %s%s|\n", r->note, r->note[0] ? " " : "");
}

void bench_print_head(struct bench_sink *s)
{
    s->subject = -1;
    if (s->format == FORMAT_MARKDOWN) {
        markdown_head(s);
    } else if (s->format == FORMAT_JSON) {
        bench_machine_json(s->file, s->machine, s->quick);
        fprintf(s->file, ",\n\"rows\": [");
    } else if (s->format == FORMAT_LINES) {
        bench_machine_json(s->file, s->machine, s->quick);
        fprintf(s->file, "}\n");
    } else if (s->format == FORMAT_CSV) {
        bench_row_csv(s, NULL);
    } else {
        bench_row_sql(s, NULL);
    }
}

void bench_print_row(struct bench_sink *s, const struct bench_result *r)
{
    if (s->format == FORMAT_MARKDOWN) {
        markdown_row(s, r);
    } else if (s->format == FORMAT_JSON) {
        fprintf(s->file, "%s\n", s->rows > 0 ? "," : "");
        bench_row_json(s->file, r);
    } else if (s->format == FORMAT_LINES) {
        bench_row_json(s->file, r);
        fprintf(s->file, "\n");
    } else if (s->format == FORMAT_CSV) {
        bench_row_csv(s, r);
    } else {
        bench_row_sql(s, r);
    }
    s->rows++;
    fflush(s->file);
}

void bench_print_foot(struct bench_sink *s)
{
    if (s->format == FORMAT_JSON)
        fprintf(s->file, "\n]}\n");
    if (s->format == FORMAT_SQL)
        fprintf(s->file, "COMMIT;\n");
    fflush(s->file);
}
