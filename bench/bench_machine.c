/* bench_machine.c - processor, build, date and measured peaks */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <string.h>
#include <time.h>

/* Copies what the system says of the first processor under this key; "" if it
   does not. */
static void cpu_field(char *out, size_t size, const char *key)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    size_t n = strlen(key);

    out[0] = '\0';
    while (f != NULL && out[0] == '\0' &&
           fgets(line, sizeof(line), f) != NULL) {
        char *colon = strchr(line, ':');

        if (strncmp(line, key, n) != 0 || colon == NULL ||
            line + n + strspn(line + n, "\t ") != colon)
            continue;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(out, size, "%s", colon + (colon[1] == ' ' ? 2 : 1));
    }
    if (f != NULL)
        fclose(f);
}

/* The processor's name, which may be that of many generations in a virtual
   machine, and the numbers that tell them apart. */
static void cpu_name(char *out, size_t size)
{
    char name[64], family[16], model[16];

    cpu_field(name, sizeof(name), "model name");
    cpu_field(family, sizeof(family), "cpu family");
    cpu_field(model, sizeof(model), "model");
    snprintf(out, size, "%s", name[0] != '\0' ? name : "unknown");
    if (family[0] != '\0' && model[0] != '\0')
        snprintf(out + strlen(out), size - strlen(out), " family %s model %s",
                 family, model);
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
