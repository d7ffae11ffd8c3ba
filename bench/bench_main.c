/*
 * bench_main.c - locant_bench, the benchmark without the rest of the command:
 * the options of 'locant bench'.
 */
#include "bench.h"
#include <string.h>

static const char usage[] =
    "usage: locant_bench [--quick] [--only TEXT] [--list]\n"
    "       [-n|--tokens LIST] [-d|--dims LIST] [-t|--threads LIST]\n"
    "       [-e|--encoding SPEC] [--isa NAME] [--append DIR]\n"
    "       [--json | --csv | -o|--output markdown|json|csv|sql]\n";

static const char *const formats[] = { "markdown", "json", "csv", "sql" };

/* Of an option that takes a value, where to write it. */
static const char **place(struct bench_request *r, const char *option)
{
    const struct {
        const char *name, *letter;
        const char **at;
    } all[] = {
        { "--tokens", "-n", &r->tokens },   { "--dims", "-d", &r->dims },
        { "--threads", "-t", &r->threads }, { "--encoding", "-e", &r->spec },
        { "--only", "", &r->only },         { "--isa", "", &r->isa },
        { "--append", "", &r->append },
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(option, all[i].name) == 0 ||
            strcmp(option, all[i].letter) == 0)
            return all[i].at;
    return NULL;
}

static bool read_format(struct bench_request *r, const char *name)
{
    for (int i = 0; name != NULL && i < 4; i++)
        if (strcmp(name, formats[i]) == 0) {
            r->format = i;
            return true;
        }
    return false;
}

/* False where the words make no sense. */
static bool read_words(struct bench_request *r, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char **at = place(r, argv[i]);

        if (strcmp(argv[i], "--quick") == 0) {
            r->quick = true;
        } else if (strcmp(argv[i], "--list") == 0) {
            r->list = true;
        } else if (strcmp(argv[i], "--json") == 0 ||
                   strcmp(argv[i], "--csv") == 0) {
            read_format(r, argv[i] + 2);
        } else if (strcmp(argv[i], "-o") == 0 ||
                   strcmp(argv[i], "--output") == 0) {
            if (!read_format(r, ++i < argc ? argv[i] : NULL))
                return false;
        } else if (at != NULL && i + 1 < argc) {
            *at = argv[++i];
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct bench_request typed = { 0 };
    struct bench_options o;
    char why[512];

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!read_words(&typed, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    if (!bench_options_read(&o, &typed, why, sizeof(why))) {
        fprintf(stderr, "locant_bench: %s\n", why);
        return 2;
    }
    return bench_run(&o, stdout);
}
