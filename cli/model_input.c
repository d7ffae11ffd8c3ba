/* model_input.c - models that run, and the tokens they read */
#include "model.h"
#include "model_input.h"

locant_dtype cli_model_dtype(int choice)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64,
                                           LOCANT_BF16 };

    return dtypes[choice];
}

static int read_files(struct cli_model_input *out,
                      const struct cli_model_files *f)
{
    const unsigned ids = CLI_DTYPE(LOCANT_I64);
    const struct {
        const char *path, *option;
        unsigned dtypes;
        const locant_tensor **to;
    } files[] = {
        { f->ids, "input", ids, &out->input.ids },
        { f->mask, "mask", ids, &out->input.mask },
        { f->types, "types", ids, &out->input.types },
        { f->decoder_ids, "decoder-ids", ids, &out->input.decoder_ids },
        { f->pixels, "pixels", CLI_DTYPE(LOCANT_F32), &out->input.pixels },
        { f->grid, "grid", ids, &out->input.grid },
        { f->positions, "positions", ids, &out->input.positions },
    };

    if (f->ids == NULL && f->pixels == NULL)
        return cli_refuse("--input IDS.npy is missing (ids of tokens; --pixels "
                          "X.npy for models of images)");
    out->input = (locant_model_input)LOCANT_MODEL_INPUT_INIT;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (files[i].path == NULL)
            continue;
        CLI_TRY(cli_read_as(&out->arrays[i], files[i].option, files[i].path,
                            files[i].dtypes));
        *files[i].to = &out->arrays[i];
    }
    return CLI_OK;
}

static void close_model(void *model)
{
    locant_model_close(model);
}

int cli_model_begin(locant_model **model, struct cli_model_input *in,
                    const struct cli_model_files *files, const char *path,
                    locant_dtype dtype)
{
    CLI_TRY(read_files(in, files));
    CLI_TRY(cli_model_status(locant_model_open(model, path, dtype)));
    return cli_at_end(close_model, *model);
}
