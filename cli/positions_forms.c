/* positions_forms.c - the table of forms of locant positions, and helpers. */
#include <string.h>

#include "positions.h"

int pos_status(locant_status s)
{
    return s == LOCANT_OK ? CLI_OK : cli_error(s);
}

int pos_status_with(const char *text, locant_status s)
{
    size_t n = text == NULL ? 0 : strlen(text);

    if (s != LOCANT_OK && n >= 4 && strcmp(text + n - 4, ".npy") == 0)
        return cli_error_input(s);
    return pos_status(s);
}

int pos_need(const struct cli *cli, const char *option, const char *value)
{
    if (cli_given(cli, option))
        return CLI_OK;
    return cli_fail(CLI_USAGE, "positions %s: --%s %s is missing",
                    cli->words[0], option, value);
}

int pos_make(struct positions_result *out, locant_dtype dtype, int64_t rows,
             int64_t columns)
{
    const int64_t shape[] = { rows, columns };

    return cli_new(&out->array, dtype, 2, shape);
}

locant_tensor pos_row(const struct positions_result *out, int64_t r)
{
    const locant_tensor *t = &out->array.tensor;
    int64_t *data = out->array.memory;

    return locant_dense(data + r * t->shape[1], LOCANT_I64, 1, t->shape + 1);
}

int pos_read_or_count(locant_array *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    int failed;

    if (o->positions != NULL)
        return positions_read(out, "positions", o->positions);
    failed = pos_need(cli, "length", "T");
    if (failed)
        return failed;
    failed = cli_count(out, 0, o->length);
    if (!failed)
        out->tensor = locant_dense(out->memory, LOCANT_I64, 2,
                                   (const int64_t[]){ 1, o->length });
    return failed;
}

const struct positions_form positions_forms[] = {
    { "mask", " mask style first pad ", form_mask, 0 },
    { "tokens", " tokens pad-token first pad ", form_tokens, 0 },
    { "documents", " lengths length documents ", form_documents, 0 },
    { "packing", " positions ", form_packing, 0 },
    { "grid", " size coordinates pretrained merge prefix ", form_grid, 1 },
    { "mrope", " next ", form_mrope, 1 },
    { "randomized", " length range batch seed ", form_random, 0 },
    { "spaced", " length range batch ", form_random, 0 },
    { "pose", " length range batch seed chunks ", form_random, 0 },
    { "cape", " length batch seed step global local max-scale ", form_cape, 0 },
    { "streaming", " length sinks window ", form_streaming, 1 },
    { "selfextend", " positions length group window ", form_selfextend, 1 },
    { "longlora", " length group cut ", form_longlora, 1 },
    { "distance", " distance queries keys window group factor sinks ",
      form_distance, 1 },
    { "temperature", " temperature positions length scale trained ",
      form_temperature, 0 },
    { NULL, NULL, NULL, 0 }
};
