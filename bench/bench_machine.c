/* bench_machine.c - processor, build, date and measured peaks */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <string.h>
#include <time.h>

/* The processor's name as the system gives it. */
static void cpu_name(char *out, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(out, size, "unknown");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(out, size, "%s", colon + (colon[1] == ' ' ? 2 : 1));
            break;
        }
    }
    if (f != NULL)
        fclose(f);
    for (char *p = out; *p != '\0'; p++) /* safe in JSON, CSV and SQL */
        if (*p == '"' || *p == '\\' || *p == ',' || *p == '\'' || *p < ' ')
            *p = ' ';
}

void bench_machine_ask(struct bench_machine *m)
{
    enum { BYTES = 64 << 20 };
    const double budget = 60e6;
    time_t now = time(NULL);
    struct tm utc;

    *m =
        (struct bench_machine){ .isa = locant_isa(),
                                .commit = BENCH_COMMIT[0] != '\0' ? BENCH_COMMIT
                                                                  : "unknown",
                                .compiler = BENCH_COMPILER,
                                .flags = BENCH_FLAGS,
                                .version = locant_version(),
                                .threads = locant_threads() };
    cpu_name(m->cpu, sizeof(m->cpu));
    if (gmtime_r(&now, &utc) != NULL)
        strftime(m->date, sizeof(m->date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    m->stream = bench_peak_speed(PEAK_STREAM, BYTES, budget);
    m->read = bench_peak_speed(PEAK_READ, BYTES, budget);
    m->fma = bench_peak_speed(PEAK_FMA, 0, budget);
    m->bf16 = bench_peak_speed(PEAK_DOT, 0, budget);
}
