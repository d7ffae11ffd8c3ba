/* positions_rows.c - forms for padded and packed rows, and for random ids. */
#include "positions.h"

/* -------------------------------------------------- padding and packing */

int form_mask(const struct cli *cli)
{
    /* of the styles hf5, hf4, opt, plain */
    static const int64_t firsts[] = { 0, 0, 2, 0 }, pads[] = { 0, 1, 1, -1 };
    const struct options *o = cli->options;
    const int64_t first = cli_given(cli, "first") ? o->first : firsts[o->style];
    const int64_t pad = cli_given(cli, "pad") ? o->pad : pads[o->style];
    locant_tensor mask, out;

    CLI_TRY(pos_read(&mask, cli, "mask", o->mask));
    CLI_TRY(pos_new(&out, LOCANT_I64, mask.shape[0], mask.shape[1]));
    CLI_TRY(pos_status(o->mask,
                       locant_positions_from_mask(&out, &mask, first, pad)));
    return pos_write(cli, &out);
}

int form_tokens(const struct cli *cli)
{
    const struct options *o = cli->options;
    const int64_t first = cli_given(cli, "first") ? o->first : o->pad_token + 1;
    const int64_t pad = cli_given(cli, "pad") ? o->pad : o->pad_token;
    locant_tensor tokens, out;

    CLI_TRY(pos_read(&tokens, cli, "tokens", o->tokens));
    CLI_TRY(pos_new(&out, LOCANT_I64, tokens.shape[0], tokens.shape[1]));
    CLI_TRY(pos_status(
        o->tokens,
        locant_positions_from_tokens(&out, &tokens, o->pad_token, first, pad)));
    return pos_write(cli, &out);
}

/* Add up the lengths; the library checks each length later. */
static int sum_lengths(int64_t *out, const locant_tensor *lengths)
{
    *out = 0;
    for (int64_t d = 0; d < lengths->shape[1]; d++) {
        if (__builtin_add_overflow(*out, ((const int64_t *)lengths->data)[d],
                                   out))
            return cli_refuse("--lengths: their sum exceeds 2^63");
    }
    if (*out < 0)
        *out = 0;
    return CLI_OK;
}

int form_documents(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor lengths, list, out, row;
    int64_t T = o->length;

    CLI_TRY(pos_read(&lengths, cli, "lengths", o->lengths));
    if (lengths.shape[0] != 1)
        return cli_fail(CLI_INPUT, "--lengths: %s: expected one row",
                        o->lengths);
    if (!cli_given(cli, "length"))
        CLI_TRY(sum_lengths(&T, &lengths));
    CLI_TRY(pos_new(&out, LOCANT_I64, 1, T));
    list = pos_row(&lengths, 0);
    row = pos_row(&out, 0);
    CLI_TRY(pos_status(o->lengths, locant_positions_from_lengths(
                                       o->documents ? NULL : &row,
                                       o->documents ? &row : NULL, &list)));
    return pos_write(cli, &out);
}

int form_packing(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor positions, out;
    int packed;

    CLI_TRY(pos_read(&positions, cli, "positions", o->positions));
    CLI_TRY(pos_new(&out, LOCANT_I64, positions.shape[0], positions.shape[1]));
    CLI_TRY(pos_status(o->positions,
                       locant_positions_packing(&out, &packed, &positions)));
    CLI_TRY(pos_write(cli, &out));
    return packed ? CLI_OK : CLI_NO;
}

/* ------------------------------------------------------------- random ids */

int form_random(const struct cli *cli)
{
    const struct options *o = cli->options;
    const char form = cli->words[0][0]; /* randomized, spaced or pose */
    locant_random random = { .seed = (uint64_t)o->seed };
    locant_tensor out;

    CLI_TRY(cli_need(cli, "length"));
    CLI_TRY(cli_need(cli, "range"));
    CLI_TRY(pos_new(&out, LOCANT_I64, o->batch, o->length));
    CLI_TRY(cli_status(
        form == 'r' ? locant_positions_randomized(&out, o->range, &random)
        : form == 's'
            ? locant_positions_spaced(&out, o->range)
            : locant_positions_pose(&out, o->chunks, o->range, &random)));
    return pos_write(cli, &out);
}

int form_cape(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_random random = { .seed = (uint64_t)o->seed };
    locant_cape cape = LOCANT_CAPE_INIT;
    locant_tensor out;

    cape.step = o->step;
    cape.global_shift = o->global;
    cape.local_shift = o->local;
    cape.max_scale = o->max_scale;
    CLI_TRY(cli_need(cli, "length"));
    CLI_TRY(pos_new(&out, LOCANT_F64, o->batch, o->length));
    CLI_TRY(cli_status(locant_positions_cape(
        &out, &cape, cli_given(cli, "seed") ? &random : NULL)));
    return pos_write(cli, &out);
}
