/* model_input.c - the inputs of 'model logits' and 'model generate' */
#include "model_input.h"

int cli_model_read(struct cli_model_input *out, const struct cli_model_files *f)
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
