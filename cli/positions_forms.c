/* positions_forms.c - the forms of 'locant positions' and what they share. */
#include <string.h>

#include "positions.h"

int pos_status(const char *text, locant_status s)
{
    const char *ending = text != NULL ? strrchr(text, '.') : NULL;

    return ending != NULL && strcmp(ending, ".npy") == 0 ? cli_status_input(s)
                                                         : cli_status(s);
}

int pos_new(locant_tensor *out, locant_dtype dtype, int64_t rows,
            int64_t columns)
{
    return cli_new(out, dtype, 2, (const int64_t[]){ rows, columns });
}

locant_tensor pos_row(const locant_tensor *t, int64_t r)
{
    char *data = t->data;

    data += (size_t)(r * t->shape[1]) * locant_dtype_size(t->dtype);
    return locant_dense(data, t->dtype, 1, t->shape + 1);
}

int pos_read(locant_tensor *out, const struct cli *cli, const char *option,
             const char *text)
{
    CLI_TRY(cli_need(cli, option));
    return pos_parse(out, option, text);
}

int pos_read_or_range(locant_tensor *out, const struct cli *cli)
{
    const struct options *o = cli->options;

    if (o->positions != NULL)
        return pos_parse(out, "positions", o->positions);
    CLI_TRY(cli_need(cli, "length"));
    CLI_TRY(cli_range(out, 0, o->length));
    *out = locant_dense(out->data, LOCANT_I64, 2,
                        (const int64_t[]){ 1, o->length });
    return CLI_OK;
}

/* clang-format off */
const struct cli_action pos_forms[] = {
    { "mask", NULL, form_mask },
    { "tokens", NULL, form_tokens },
    { "documents", NULL, form_documents },
    { "packing", NULL, form_packing },
    { "grid", NULL, form_grid },
    { "mrope", "[SEGMENT...]", form_mrope },
    { "ids", "[SEGMENT...]", form_ids },
    { "randomized", NULL, form_random },
    { "spaced", NULL, form_random },
    { "pose", NULL, form_random },
    { "cape", NULL, form_cape },
    { "streaming", NULL, form_streaming },
    { "selfextend", NULL, form_selfextend },
    { "longlora", NULL, form_longlora },
    { "distance", NULL, form_distance },
    { "temperature", NULL, form_temperature },
    { NULL, NULL, NULL }
};
/* clang-format on */
