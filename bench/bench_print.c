/* bench_print.c - one table, three formats */
#include "bench.h"
#include <stdio.h>
#include <string.h>

/* The machine's own name for its processor. */
static void cpu_name(char *out, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(out, size, "unknown");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(out, size, "%s", colon + 2);
            break;
        }
    }
    if (f != NULL)
        fclose(f);
    for (char *p = out; *p != '\0'; p++) /* for JSON and CSV */
        if (*p == '"' || *p == '\\' || *p == ',')
            *p = ' ';
}

enum { STREAM_BYTES = 64 << 20 };

void bench_print_head(enum bench_format format, bool quick)
{
    char cpu[128];

    cpu_name(cpu, sizeof(cpu));
    if (format == FORMAT_MARKDOWN) {
        printf("%s, %s, %d threads; locant %s at %s, %s, %s%s\n\n", cpu,
               locant_isa(), locant_threads(), locant_version(), BENCH_COMMIT,
               BENCH_COMPILER, BENCH_FLAGS, quick ? ", quick" : "");
        printf("Roofs: in-place streaming %.1f GB/s, reading %.1f GB/s "
               "(64 MiB), FMA %.1f GFLOP/s\n\n", bench_stream(STREAM_BYTES),
               bench_read(STREAM_BYTES), bench_fma());
        printf("| case | isa | threads | median | min | spread | speed | "
               "of roof |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
    } else if (format == FORMAT_JSON) {
        printf("{\"cpu\":\"%s\",\"isa\":\"%s\",\"threads\":%d,"
               "\"version\":\"%s\",\"commit\":\"%s\",\"compiler\":\"%s\","
               "\"flags\":\"%s\",\"quick\":%s,\"stream_gbps\":%.3f,"
               "\"read_gbps\":%.3f,\"fma_gflops\":%.3f,\n\"rows\":[", cpu,
               locant_isa(), locant_threads(), locant_version(), BENCH_COMMIT,
               BENCH_COMPILER, BENCH_FLAGS, quick ? "true" : "false",
               bench_stream(STREAM_BYTES), bench_read(STREAM_BYTES),
               bench_fma());
    } else {
        printf("commit,compiler,flags,cpu,isa,threads,case,samples,median_ns,"
               "min_ns,spread,speed,unit,roof,part\n");
    }
}

static void print_time(double ns)
{
    if (ns < 1e3)
        printf(" %.1f ns |", ns);
    else if (ns < 1e6)
        printf(" %.1f us |", ns / 1e3);
    else
        printf(" %.2f ms |", ns / 1e6);
}

void bench_print_row(enum bench_format format, const struct bench_result *r,
                     bool first)
{
    const char *unit = r->c->work->unit;
    char cpu[128];

    if (format == FORMAT_MARKDOWN) {
        printf("| %s | %s | %d |", r->c->name, r->isa, r->threads);
        print_time(r->median_ns);
        print_time(r->min_ns);
        printf(" %.0f %% | %.3g %s |", 100 * r->spread, r->speed, unit);
        if (r->roof > 0)
            printf(" %.2f |\n", r->part);
        else
            printf(" |\n");
    } else if (format == FORMAT_JSON) {
        printf("%s\n{\"case\":\"%s\",\"isa\":\"%s\",\"threads\":%d,"
               "\"samples\":%d,\"median_ns\":%.1f,\"min_ns\":%.1f,"
               "\"spread\":%.4f,\"speed\":%.4f,\"unit\":\"%s\",\"roof\":",
               first ? "" : ",", r->c->name, r->isa, r->threads, r->samples,
               r->median_ns, r->min_ns, r->spread, r->speed, unit);
        if (r->roof > 0)
            printf("%.4f,\"part\":%.4f}", r->roof, r->part);
        else
            printf("null,\"part\":null}");
    } else {
        cpu_name(cpu, sizeof(cpu));
        printf("%s,\"%s\",%s,%s,%s,%d,", BENCH_COMMIT, BENCH_COMPILER,
               BENCH_FLAGS, cpu, r->isa, r->threads);
        printf("\"%s\",%d,%.1f,%.1f,%.4f,%.4f,%s,%.4f,%.4f\n",
               r->c->name, r->samples, r->median_ns, r->min_ns, r->spread,
               r->speed, unit, r->roof, r->part);
    }
    fflush(stdout);
}

void bench_print_foot(enum bench_format format)
{
    if (format == FORMAT_JSON)
        printf("\n]}\n");
}
