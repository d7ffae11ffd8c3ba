/* model_identify.c - locant model identify: the convention of an array */
#include <stdio.h>

#include "locant/models.h"
#include "model.h"

struct options {
    const char *x, *y, *positions, *q, *k, *scores, *table, *bias;
    const char *tensor, *other;
    int64_t head_dim;
};

static const struct cli_option options[] = {
    OPT_FILE("x", x, "X.npy", "rows before the rotation, [.., T, D]"),
    OPT_FILE("y", y, "Y.npy", "the same rows after it"),
    OPT_FILE("positions", positions, "P.npy",
             "of the rows of --x, or of queries and keys: i64 or f64 [T]; left "
             "out: 0, 1, 2, .."),
    OPT_FILE("q", q, "Q.npy", "queries before the rotation, [B, H, T, D]"),
    OPT_FILE("k", k, "K.npy", "keys, [B, H, S, D]"),
    OPT_FILE("scores", scores, "S.npy", "before the softmax, [B, H, T, S]"),
    OPT_FILE("table", table, "T.npy", "rows added to embeddings, [L, D]"),
    OPT_FILE("bias", bias, "B.npy", "added to scores, [H, T, S]"),
    OPT_TEXT("tensor", tensor, "NAME", "q or k weights in both checkpoints"),
    OPT_TEXT("other", other, "NAME", "their name in B, if it is another"),
    OPT_INTEGER("head-dim", head_dim, "D", 0, 65536,
                "of --tensor; left out: every divisor of the rows is tried"),
    OPT_END
};

/* ----------------------------------------------------------------- results */

static const char *const verdicts[] = { "none of these", "identified",
                                        "undecided" };

static int print_json(const locant_identity *r)
{
    json_t *remaining = json_array();

    for (int i = 0; i < r->n_remaining; i++)
        json_array_append_new(remaining, json_string(r->remaining[i]));
    return cli_json(json_pack(
        "{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:s, s:o, s:s, s:s}", "verdict",
        verdicts[r->verdict], "spec", r->spec, "beside", r->beside, "sign",
        r->sign, "offset", r->offset, "factor", r->factor, "residual",
        r->residual, "dtype", r->dtype, "remaining", remaining, "closest",
        r->closest, "note", r->note));
}

static void print_text(const locant_identity *r)
{
    printf("%s", verdicts[r->verdict]);
    if (r->verdict == LOCANT_IDENTIFIED)
        printf(": %s", r->spec);
    if (r->verdict == LOCANT_IDENTIFIED && r->beside[0] != 0)
        printf(" (%s)", r->beside);
    printf("\n");
    for (int i = 0; i < r->n_remaining; i++)
        printf("  %s\n", r->remaining[i]);
    if (r->verdict == LOCANT_NONE_OF_THESE && r->closest[0] != 0)
        printf("closest: %s\n", r->closest);
    if (r->verdict == LOCANT_NONE_OF_THESE && r->spec[0] != 0)
        printf("measured: %s\n", r->spec);
    if (r->note[0] != 0) {
        cli_wrap(r->note, 0, 0, 79);
        printf("\n");
    }
    if (r->factor != 1)
        printf("factor of the scores: %.6g\n", r->factor);
    if (r->dtype[0] != 0 && r->residual > 0)
        printf("error left: %.2g of the rounding of %s\n", r->residual,
               r->dtype);
}

/* ------------------------------------------------------------------ inputs */

static int read_positions(locant_tensor *out, const locant_tensor **given,
                          const char *path)
{
    *given = NULL;
    if (path == NULL)
        return CLI_OK;
    *given = out;
    return cli_read_positions(out, path);
}

static int rotation(locant_identity *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor x, y, p;
    const locant_tensor *positions;

    CLI_TRY(cli_need(cli, "y"));
    CLI_TRY(cli_read_as(&x, "x", o->x, CLI_FLOATS));
    CLI_TRY(cli_read_as(&y, "y", o->y, CLI_FLOATS));
    CLI_TRY(read_positions(&p, &positions, o->positions));
    return cli_status_input(locant_identify_rotation(out, &x, &y, positions));
}

static int scores(locant_identity *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor q, k, s, p;
    const locant_tensor *positions;

    CLI_TRY(cli_need(cli, "k"));
    CLI_TRY(cli_need(cli, "scores"));
    CLI_TRY(cli_read_as(&q, "q", o->q, CLI_FLOATS));
    CLI_TRY(cli_read_as(&k, "k", o->k, CLI_FLOATS));
    CLI_TRY(cli_read_as(&s, "scores", o->scores, CLI_FLOATS));
    CLI_TRY(read_positions(&p, &positions, o->positions));
    return cli_status_input(locant_identify_scores(out, &q, &k, &s, positions));
}

static int table(locant_identity *out, const struct cli *cli)
{
    locant_tensor t;

    CLI_TRY(cli_read_as(&t, "table", ((struct options *)cli->options)->table,
                        CLI_FLOATS));
    return cli_status_input(locant_identify_table(out, &t));
}

static int bias(locant_identity *out, const struct cli *cli)
{
    locant_tensor t;

    CLI_TRY(cli_read_as(&t, "bias", ((struct options *)cli->options)->bias,
                        CLI_FLOATS));
    return cli_status_input(locant_identify_bias(out, &t));
}

static int weights(locant_identity *out, const struct cli *cli)
{
    const struct options *o = cli->options;

    if (cli->n_words != 2)
        return cli_refuse("--tensor %s: %zu checkpoints, expected two: A B",
                          o->tensor, cli->n_words);
    return cli_status_input(
        locant_identify_files(out, cli->words[0], o->tensor, cli->words[1],
                              o->other ? o->other : o->tensor, o->head_dim));
}

/* ------------------------------------------------------------------- verb */

static const struct {
    const char *option;
    int (*identify)(locant_identity *out, const struct cli *cli);
} kinds[] = { { "x", rotation },
              { "q", scores },
              { "table", table },
              { "bias", bias },
              { "tensor", weights } };
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int run(const struct cli *cli)
{
    locant_identity result;
    int kind = -1;

    for (int i = 0; i < KINDS; i++) {
        if (!cli_given(cli, kinds[i].option))
            continue;
        if (kind >= 0)
            return cli_refuse("--%s and --%s are two questions, expected one "
                              "of them",
                              kinds[kind].option, kinds[i].option);
        kind = i;
    }
    if (kind < 0)
        return cli_refuse("expected --x and --y, or --q, --k and --scores, or "
                          "--table, or --bias, or --tensor");
    if (cli->n_words > 0 && kinds[kind].identify != weights)
        return cli_refuse("'%s': checkpoints belong to --tensor",
                          cli->words[0]);
    CLI_TRY(kinds[kind].identify(&result, cli));
    if (cli->json)
        CLI_TRY(print_json(&result));
    else
        print_text(&result);
    return result.verdict == LOCANT_IDENTIFIED ? CLI_OK : CLI_NO;
}

const struct cli_command cli_model_identify = {
    .name = "model identify",
    .summary = "which convention made an array",
    .usage = "--x X.npy --y Y.npy [--positions P.npy]\n"
             "--q Q.npy --k K.npy --scores S.npy\n"
             "       [--positions P.npy]\n"
             "--table T.npy\n"
             "--bias B.npy\n"
             "A B --tensor NAME [--other NAME] [--head-dim D]",
    .doc =
        "Names the convention of an array as a spec: of rows before and after "
        "a\nrotation or of queries, keys and scores the pairing, the rotated "
        "channels, base,\nscaling and sign, and an offset of the positions; of "
        "a table the dialect of its\nsinusoids; of a bias the slopes and "
        "dialect of ALiBi; of the same q or k\nweights in two checkpoints, "
        "which pairing each has relative to the other.\n\nEvery pair of "
        "channels is fitted by itself.  A convention is named if it agrees\n"
        "with all pairs within their errors, and no other one does; else the "
        "answer is\n'undecided', with those that remain, or 'none of these', "
        "with the closest and\nhow far it is.  Give positions 0 to 2047 or so: "
        "slow pairs turn little, and a\nfew positions leave them open.\n\n"
        "Exit status: 0 identified, 1 not.",
    .examples = "locant model identify --x x.npy --y rotated.npy\n"
                "locant model identify --q q.npy --k k.npy --scores s.npy\n"
                "locant model identify --bias alibi.npy --json\n"
                "locant model identify hf/ mine.gguf --head-dim 64 \\\n"
                "  --tensor model.layers.0.self_attn.q_proj.weight \\\n"
                "  --other blk.0.attn_q.weight",
    CLI_OPTIONS,
    .max_words = 2,
    .run = run
};
