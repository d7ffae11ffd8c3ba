/* positions_rows.c - ids of padded and packed rows, and random ids. */
#include <string.h>

#include "positions.h"

/* -------------------------------------------------- padding and packing */

int form_mask(struct positions_result *out, const struct cli *cli)
{
    static const int64_t firsts[] = { 0, 0, 2, 0 }, pads[] = { 0, 1, 1, -1 };
    const struct options *o = cli->options;
    const int64_t first = cli_given(cli, "first") ? o->first : firsts[o->style];
    const int64_t pad = cli_given(cli, "pad") ? o->pad : pads[o->style];
    locant_array mask = { 0 };
    int failed = pos_need(cli, "mask", "LIST");

    if (!failed)
        failed = positions_read(&mask, "mask", o->mask);
    if (!failed)
        failed = pos_make(out, LOCANT_I64, mask.tensor.shape[0],
                          mask.tensor.shape[1]);
    if (!failed)
        failed = pos_status_with(
            o->mask, locant_positions_from_mask(&out->array.tensor,
                                                &mask.tensor, first, pad));
    cli_free(&mask);
    return failed;
}

int form_tokens(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_array tokens = { 0 };
    int failed = pos_need(cli, "tokens", "LIST");

    if (!failed)
        failed = positions_read(&tokens, "tokens", o->tokens);
    if (!failed)
        failed = pos_make(out, LOCANT_I64, tokens.tensor.shape[0],
                          tokens.tensor.shape[1]);
    if (!failed)
        failed = pos_status_with(
            o->tokens,
            locant_positions_from_tokens(
                &out->array.tensor, &tokens.tensor, o->pad_token,
                cli_given(cli, "first") ? o->first : o->pad_token + 1,
                cli_given(cli, "pad") ? o->pad : o->pad_token));
    cli_free(&tokens);
    return failed;
}

/* Sum of the lengths; the library checks each length later. */
static int total(int64_t *out, const locant_tensor *lengths)
{
    *out = 0;
    for (int64_t d = 0; d < lengths->shape[1]; d++) {
        if (__builtin_add_overflow(*out, ((const int64_t *)lengths->data)[d],
                                   out))
            return cli_fail(CLI_USAGE, "--lengths: their sum exceeds 2^63");
    }
    if (*out < 0)
        *out = 0;
    return CLI_OK;
}

int form_documents(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_array lengths = { 0 };
    locant_tensor list, row;
    int64_t T = o->length;
    int failed = pos_need(cli, "lengths", "LIST");

    if (!failed)
        failed = positions_read(&lengths, "lengths", o->lengths);
    if (!failed && lengths.tensor.shape[0] != 1)
        failed =
            cli_fail(CLI_INPUT, "--lengths: %s: expected one row", o->lengths);
    if (!failed && !cli_given(cli, "length"))
        failed = total(&T, &lengths.tensor);
    if (!failed)
        failed = pos_make(out, LOCANT_I64, 1, T);
    if (!failed) {
        list = locant_dense(lengths.memory, LOCANT_I64, 1,
                            lengths.tensor.shape + 1);
        row = pos_row(out, 0);
        failed = pos_status_with(
            o->lengths,
            locant_positions_from_lengths(o->documents ? NULL : &row,
                                          o->documents ? &row : NULL, &list));
    }
    cli_free(&lengths);
    return failed;
}

int form_packing(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_array positions = { 0 };
    int packed = 0, failed = pos_need(cli, "positions", "LIST");

    if (!failed)
        failed = positions_read(&positions, "positions", o->positions);
    if (!failed)
        failed = pos_make(out, LOCANT_I64, positions.tensor.shape[0],
                          positions.tensor.shape[1]);
    if (!failed)
        failed = pos_status_with(
            o->positions, locant_positions_packing(&out->array.tensor, &packed,
                                                   &positions.tensor));
    out->status = packed ? CLI_OK : CLI_NO;
    cli_free(&positions);
    return failed;
}

/* ------------------------------------------------------------- random ids */

int form_random(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    const char form = cli->words[0][0]; /* randomized, spaced or pose */
    locant_random random = { .seed = (uint64_t)o->seed };
    locant_tensor *t = &out->array.tensor;
    int failed = pos_need(cli, "length", "T");

    if (!failed)
        failed = pos_need(cli, "range", "N");
    if (!failed)
        failed = pos_make(out, LOCANT_I64, o->batch, o->length);
    if (failed)
        return failed;
    if (form == 'r')
        return pos_status(locant_positions_randomized(t, o->range, &random));
    if (form == 's')
        return pos_status(locant_positions_spaced(t, o->range));
    return pos_status(locant_positions_pose(t, o->chunks, o->range, &random));
}

int form_cape(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_random random = { .seed = (uint64_t)o->seed };
    locant_cape cape = LOCANT_CAPE_INIT;
    int failed = pos_need(cli, "length", "T");

    cape.step = o->step;
    cape.global_shift = o->global;
    cape.local_shift = o->local;
    cape.max_scale = o->max_scale;
    if (!failed)
        failed = pos_make(out, LOCANT_F64, o->batch, o->length);
    if (!failed)
        failed = pos_status(
            locant_positions_cape(&out->array.tensor, &cape,
                                  cli_given(cli, "seed") ? &random : NULL));
    return failed;
}
