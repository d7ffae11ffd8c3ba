/* model_convert.c - locant model convert: weights of another pairing */
#include "model.h"
#include "locant/models.h"
#include <inttypes.h>
#include <string.h>

struct options {
    const char *out, *base, *type;
    int pairing, from, format, verify, one_file;
};

/* The choices of --format, --pairing and --from begin with one that stands for
   none. */
static const struct cli_option options[] = {
    OPT_CHOICE("pairing", pairing, "half|interleaved",
               "pairing of the output; of a GGUF that of its architecture"),
    OPT_CHOICE("from", from, "half|interleaved",
               "pairing of MODEL, if its metadata is silent or wrong"),
    OPT_CHOICE("format", format, "same|safetensors|gguf", "same: that of MODEL",
               .fallback = "same"),
    OPT_TEXT("type", type, "TYPE",
             "numbers of matrices, from or to a GGUF: F32, F16, BF16, and Q8_0 "
             "of a GGUF; left out: as they are"),
    OPT_TEXT("base", base, "MODEL", "the model that an adapter is for"),
    OPT_FLAG("one-file", one_file, "put all shards into one file"),
    OPT_FLAG("verify", verify,
             "prove that the scores are the same, before anything appears"),
    OPT_OUTPUT(out, "FOLDER", "new folder"),
    OPT_END
};

static const char *word(locant_model_pairing p)
{
    static const char *const words[] = { "no pairing", "half", "interleaved" };

    return words[p];
}

static int print_json(const locant_conversion *c, const char *folder)
{
    const bool rotates = c->to != LOCANT_MODEL_UNSAID;
    json_t *out = json_pack(
        "{s:s, s:s?, s:b, s:s?, s:I, s:I, s:I}", "output", folder, "from",
        rotates ? word(c->from) : NULL, "assumed", c->assumed, "to",
        rotates ? word(c->to) : NULL, "tensors", (json_int_t)c->tensors,
        "moved", (json_int_t)c->moved, "lost", (json_int_t)c->lost);

    if (c->worst >= 0)
        json_object_set_new(out, "worst", json_real(c->worst));
    if (c->tokenizer != NULL)
        json_object_set_new(out, "tokenizer", json_string(c->tokenizer));
    if (c->pre != NULL)
        json_object_set_new(out, "pre", json_string(c->pre));
    if (c->differs[0] != 0)
        json_object_set_new(out, "differs", json_string(c->differs));
    return cli_json(out);
}

/* What a GGUF has of a tokenizer, and what it lacks. */
static void print_gguf(const locant_conversion *c)
{
    if (c->differs[0] != 0)
        fprintf(stderr,
                "locant: its positions differ from those of MODEL, since no "
                "key says them (%s): see 'locant model compare'\n",
                c->differs);
    if (c->lost > 0)
        fprintf(stderr,
                "locant: %" PRId64 " tensors are left out, for which GGUF "
                "files of the architecture have no place\n",
                c->lost);
    if (c->tokenizer == NULL)
        return;
    if (strcmp(c->tokenizer, "none") == 0)
        fprintf(stderr, "locant: there is no tokenizer.json: the GGUF has no "
                        "tokenizer, it takes token ids\n");
    else
        printf("tokenizer: %s, tokenizer.ggml.pre: %s\n", c->tokenizer, c->pre);
    if (strcmp(c->tokenizer, "gpt2") == 0 && strcmp(c->pre, "default") == 0)
        fprintf(stderr,
                "locant: how this tokenizer splits texts into words is "
                "not known by a name of llama.cpp: set "
                "tokenizer.ggml.pre, or texts may be split otherwise\n");
}

static int print(const locant_conversion *c, const char *folder)
{
    printf("%s: %s", cli_safe(folder), word(c->to));
    if (c->to == LOCANT_MODEL_UNSAID)
        printf(", %" PRId64 " tensors\n", c->tensors - c->lost);
    else if (c->from == c->to)
        printf(" as before, which is now recorded\n");
    else
        printf(", was %s; %" PRId64 " of %" PRId64 " tensors moved\n",
               word(c->from), c->moved, c->tensors);
    if (c->worst >= 0)
        printf("verified: %s differ by at most %.1e of the largest\n",
               c->to == LOCANT_MODEL_UNSAID ? "states" : "scores", c->worst);
    print_gguf(c);
    if (c->assumed)
        fprintf(stderr,
                "locant: %s is the usual pairing of this family: no metadata "
                "says it; --from changes it\n",
                word(c->from));
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_convert_options c = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    locant_status s;

    if (o->format == LOCANT_MODEL_SAME)
        CLI_TRY(cli_need(cli, "pairing"));
    c.pairing = cli_given(cli, "pairing")
                    ? (locant_model_pairing)(o->pairing + 1)
                    : LOCANT_MODEL_UNSAID;
    c.from = cli_given(cli, "from") ? (locant_model_pairing)(o->from + 1)
                                    : LOCANT_MODEL_UNSAID;
    c.format = (locant_model_format)o->format;
    c.type = o->type;
    c.base = o->base;
    c.one_file = o->one_file;
    c.verify = o->verify;
    s = locant_model_convert(&done, cli->words[0], o->out, &c);
    if (s == LOCANT_ERR_PARAM) /* an option; all else is of files */
        return cli_status(s);
    CLI_TRY(cli_model_status(s));
    return cli->json ? print_json(&done, o->out) : print(&done, o->out);
}

const struct cli_command cli_model_convert = {
    .name = "model convert",
    .summary = "weights of another pairing, or another format",
    .usage = "MODEL --pairing half|interleaved [--verify]\n  -o FOLDER\n"
             "MODEL --format gguf [--type TYPE] [--verify]\n  -o FOLDER\n"
             "GGUF --format safetensors [--pairing PAIRING]\n"
             "  [--type TYPE] [--verify] -o FOLDER\n"
             "ADAPTER --base MODEL --pairing PAIRING\n  -o FOLDER",
    .doc =
        "The pairing of rotary position encodings says which channels of a "
        "head rotate\ntogether: c and c + dim/2 (half, as in Hugging Face's "
        "files of Llama), or 2c and\n2c + 1 (interleaved, as in Meta's and in "
        "GGUF files of Llama).  No configuration\nsays it; a program that "
        "reads weights of the other one computes wrong scores\nfrom position "
        "1 on.\n\n"
        "This moves the rows of weights, biases and norms of q and k, of the "
        "adapters of\nPEFT, of fused matrices, of the rotated part of MLA, and "
        "quantised rows as they\nare; no number is rounded.  The output "
        "records locant.pairing in its metadata,\nwhich every verb of 'locant "
        "model' reads.\n\n"
        "A GGUF has the pairing that llama.cpp rotates for its architecture; "
        "another one\nis exit 2.  Written are Llama, Mistral, Mixtral, Qwen "
        "2 and 3, Gemma 1 to 3,\nPhi-3, OLMo 2, Granite, SmolLM3, StarCoder "
        "2, Command-R, GPT-NeoX, DeepSeek V2\nand V3, Kimi K2 (with kv_b in "
        "two tensors), and, which do not rotate and have no\npairing, BERT, "
        "RoBERTa, T5, mT5 and UMT5.  What such files have no place for is\n"
        "left out and counted: the head of BERT, predictors of further "
        "tokens.  "
        "Positions\nthat no key says are refused, or a line says where they "
        "differ.  From such a\nGGUF, --format safetensors makes a folder "
        "with config.json, where quantised\nmatrices become numbers of "
        "--type (F32).\n\n"
        "A tokenizer.json beside the weights (BPE of bytes or of "
        "SentencePiece, Unigram,\nWordPiece) and its tokenizer_config.json "
        "become keys of the GGUF.  llama.cpp\nsplits texts by "
        "tokenizer.ggml.pre: gpt-2, llama-bpe, dbrx, qwen2, deepseek-v3,\n"
        "starcoder or command-r where the patterns are theirs to the letter; "
        "else\ndefault, which a line says.\n\n"
        "--verify sends random activations through the old and the new weights "
        "at\npositions 0, 1, 7, 100 and 4000 of each layer; a score that "
        "differs by more than\n1e-6 of the largest is exit 3, and nothing is "
        "written.  Of models that do not\nrotate the states of a text are "
        "compared instead.  The folder appears when it\nis whole.",
    .examples = "locant model convert llama --pairing interleaved --verify -o "
                "meta\n"
                "locant model convert llama --format gguf --type Q8_0 -o "
                "llama-gguf\n"
                "locant model convert lora --base llama --pairing interleaved "
                "-o lora2",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 1,
    .run = run
};
