/* bench_options.c - parse the options of 'locant bench' */
#include "bench.h"
#include <string.h>

struct reader {
    char *why;
    size_t size;
    bool failed; /* only the first error is reported */
};

static void refuse(struct reader *r, const char *option, const char *value,
                   const char *should)
{
    if (!r->failed)
        snprintf(r->why, r->size, "%s '%.100s': %s", option, value, should);
    r->failed = true;
}

static void read_range(struct reader *r, struct bench_range *out,
                       const char *option, const char *text)
{
    const char *wrong = text == NULL ? NULL : bench_range_parse(out, text);

    if (wrong != NULL)
        refuse(r, option, text, wrong);
}

static void read_threads(struct reader *r, struct bench_range *out,
                         const char *text)
{
    enum { MOST = 1024 }; /* limit of locant_set_threads() */

    read_range(r, out, "--threads", text);
    for (int i = 0; i < out->n && !r->failed; i++)
        if (out->at[i] > MOST)
            refuse(r, "--threads", text, "should be at most 1024");
}

/* The last error message without the function name at its beginning. */
static const char *error_message(void)
{
    static const char fn[] = "locant_encoding_create: ";
    const char *text = locant_last_error();

    return strncmp(text, fn, sizeof fn - 1) == 0 ? text + sizeof fn - 1 : text;
}

static void read_spec(struct reader *r, char *out, size_t size,
                      const char *text)
{
    locant_encoding *e = NULL;

    if (text == NULL)
        return;
    if (locant_encoding_create(&e, text) != LOCANT_OK)
        refuse(r, "--encoding", text, error_message());
    else if (snprintf(out, size, "%s", locant_encoding_spec(e)) >= (int)size)
        refuse(r, "--encoding", text, "is too long for a table");
    locant_encoding_free(e);
}

/* The names of the instruction sets of this build, or of this CPU. */
static void list_isas(char *out, size_t size, bool of_cpu)
{
    const char *isa;
    int available;

    out[0] = '\0';
    for (int i = 0; (isa = locant_isa_at(i, &available)) != NULL; i++) {
        size_t n = strlen(out);

        if (available || !of_cpu)
            snprintf(out + n, size - n, "%s%s", n > 0 ? ", " : "", isa);
    }
}

/* The library's name of the set that the first n bytes of text name, or NULL.
   '*available' tells whether this CPU runs it. */
static const char *find_isa(const char *text, size_t n, int *available)
{
    const char *isa;

    for (int i = 0; (isa = locant_isa_at(i, available)) != NULL; i++)
        if (strlen(isa) == n && memcmp(isa, text, n) == 0)
            break;
    return isa;
}

/* A message shows the name that is wrong, not the list. */
static void read_isas(struct reader *r, struct bench_isas *out,
                      const char *text)
{
    char known[128], name[32], should[160];

    while (text != NULL && !r->failed) {
        size_t n = strcspn(text, ",");
        int available = 0;
        const char *isa = find_isa(text, n, &available);
        const bool runs = isa != NULL && available;

        snprintf(name, sizeof(name), "%.*s", (int)n, text);
        list_isas(known, sizeof(known), isa != NULL);
        if (runs)
            snprintf(should, sizeof(should),
                     "is one too many: at most %d names", BENCH_ISAS);
        else
            snprintf(should, sizeof(should), "%s %s",
                     isa == NULL ? "should be one of" : "this CPU runs only",
                     known);
        if (runs && out->n < BENCH_ISAS)
            out->at[out->n++] = isa;
        else
            refuse(r, "--isa", name, should);
        text = text[n] == ',' ? text + n + 1 : NULL;
    }
}

bool bench_options_read(struct bench_options *out,
                        const struct bench_request *typed, char *why,
                        size_t size)
{
    struct reader r = { .why = why, .size = size };

    *out = (struct bench_options){ .only = typed->only,
                                   .append = typed->append,
                                   .format = (enum bench_format)typed->format,
                                   .quick = typed->quick,
                                   .list = typed->list };
    read_range(&r, &out->tokens, "--tokens", typed->tokens);
    read_range(&r, &out->dims, "--dims", typed->dims);
    read_threads(&r, &out->threads, typed->threads);
    read_spec(&r, out->spec, sizeof(out->spec), typed->spec);
    read_isas(&r, &out->isas, typed->isa);
    return !r.failed;
}
