/* model_text.c - bytes of a file as the tokens of a byte-level model */
#include <inttypes.h>
#include <stdio.h>

#include "locant/models.h"
#include "model.h"
#include "model_text.h"

enum { BYTES = 256, OTHERS = 256 };

/* No file says what its tokens stand for but by a tokenizer; a larger
   vocabulary is not of bytes. */
static int check_vocabulary(const struct cli_model_text *t, const char *path)
{
    locant_model *model;
    int64_t vocab;

    CLI_TRY(cli_model_status(locant_model_open(&model, path, LOCANT_F32)));
    vocab = locant_model_info_of(model).vocab;
    locant_model_close(model);
    if (vocab < BYTES || vocab > BYTES + OTHERS)
        return cli_fail(CLI_INPUT,
                        "--text: the vocabulary of %s is %" PRId64
                        ", expected bytes, %d to %d; give ids of its own "
                        "tokenizer with --input",
                        cli_safe(path), vocab, BYTES, BYTES + OTHERS);
    if (t->first > vocab - BYTES)
        return cli_refuse("--first-byte is %" PRId64 ", expected at most %d "
                          "in a vocabulary of %" PRId64,
                          t->first, (int)(vocab - BYTES), vocab);
    return CLI_OK;
}

static int64_t size_of(FILE *f)
{
    return fseek(f, 0, SEEK_END) == 0 ? (int64_t)ftell(f) : -1;
}

static int cut(locant_tensor *ids, FILE *f, const struct cli_model_text *t)
{
    const int64_t size = size_of(f);
    int64_t shape[2], length = t->length;

    rewind(f);
    if (length == 0)
        length = size < MODEL_TEXT_LENGTH ? size : MODEL_TEXT_LENGTH;
    if (size < 2 || size < length)
        return cli_fail(CLI_INPUT,
                        "--text %s: has %" PRId64 " bytes, expected %" PRId64
                        " or more",
                        cli_safe(t->path), size, length < 2 ? 2 : length);
    shape[0] = size / length;
    shape[1] = length;
    CLI_TRY(cli_new(ids, LOCANT_I64, 2, shape));
    for (int64_t i = 0; i < shape[0] * shape[1]; i++) {
        const int byte = getc(f);

        if (byte == EOF)
            return cli_fail(CLI_INPUT, "--text %s: cannot be read to its end",
                            cli_safe(t->path));
        ((int64_t *)ids->data)[i] = t->first + byte;
    }
    return CLI_OK;
}

int cli_model_text_read(locant_tensor *ids, const struct cli_model_text *t,
                        const char *model)
{
    FILE *f;
    int status;

    CLI_TRY(check_vocabulary(t, model));
    f = fopen(t->path, "rb");
    if (f == NULL)
        return cli_fail(CLI_INPUT, "--text %s: cannot be opened",
                        cli_safe(t->path));
    status = cut(ids, f, t);
    fclose(f);
    return status;
}
