/* positions_input.c - parse lists, sizes and segments that users type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "positions.h"

/* Parse a whole number and move *text past it; returns 0 if there is none. */
static int parse_number(int64_t *out, const char **text)
{
    char *end;
    long long n;

    if (**text != '-' && (**text < '0' || **text > '9'))
        return 0;
    errno = 0;
    n = strtoll(*text, &end, 10);
    if (end == *text || errno != 0)
        return 0;
    *out = n;
    *text = end;
    return 1;
}

/* The same for a number without sign, perhaps with a fraction: "2.8". */
static int parse_real(double *out, const char **text)
{
    size_t n = strspn(*text, "0123456789.");
    char *end;

    if (n == 0)
        return 0;
    *out = strtod(*text, &end);
    if (end != *text + n)
        return 0;
    *text = end;
    return 1;
}

/* ------------------------------------------------------------------- lists */

static int parse_list(locant_tensor *out, const char *option, const char *text)
{
    int64_t shape[] = { 1, 1 };
    const char *at = text;

    for (const char *c = text; *c != '\0'; c++)
        shape[1] += *c == ',';
    CLI_TRY(cli_new(out, LOCANT_I64, 2, shape));
    for (int64_t i = 0; i < shape[1]; i++) {
        if (!parse_number((int64_t *)out->data + i, &at) ||
            *at != (i < shape[1] - 1 ? ',' : '\0'))
            return cli_refuse("--%s '%s': should be whole numbers with commas, "
                              "or FILE.npy",
                              option, text);
        at += *at == ',';
    }
    return CLI_OK;
}

int pos_parse(locant_tensor *out, const char *option, const char *text)
{
    const size_t n = strlen(text);
    int64_t shape[2] = { 1, 0 };
    locant_tensor t;

    if (n < 4 || strcmp(text + n - 4, ".npy") != 0)
        return parse_list(out, option, text);
    CLI_TRY(cli_read_as(&t, option, text,
                        CLI_DTYPE(LOCANT_I32) | CLI_DTYPE(LOCANT_I64)));
    if (t.rank != 1 && t.rank != 2)
        return cli_fail(CLI_INPUT,
                        "--%s: %s: has shape %s, expected [T] or [B, T]",
                        option, text, cli_shape_text(&t));
    memcpy(shape + 2 - t.rank, t.shape, (size_t)t.rank * sizeof *shape);
    CLI_TRY(cli_new(out, LOCANT_I64, 2, shape));
    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        ((int64_t *)out->data)[i] = t.dtype == LOCANT_I32
                                        ? ((const int32_t *)t.data)[i]
                                        : ((const int64_t *)t.data)[i];
    return CLI_OK;
}

/* ---------------------------------------------------------------- segments */

/* Parse "2x3", and move *at past it. */
static int parse_sizes(int64_t *out, int most, const char **at)
{
    for (int i = 0; i < most; i++) {
        if (!parse_number(&out[i], at) || out[i] < 1)
            return 0;
        if (**at != 'x')
            return i + 1;
        ++*at;
    }
    return 0;
}

int pos_parse_sizes(int64_t *out, int most, const char *text)
{
    int n = parse_sizes(out, most, &text);

    return *text == '\0' ? n : 0;
}

/* Parse "", "+BEFORE" or "+BEFORE+AFTER". */
static int parse_ends(locant_segment *s, const char **at)
{
    if (**at != '+')
        return 1;
    ++*at;
    if (!parse_number(&s->before, at))
        return 0;
    if (**at != '+')
        return 1;
    ++*at;
    return parse_number(&s->after, at);
}

/* Parse what follows the sizes of "frames:", "video:" or "clip:". */
static int parse_tail(locant_segment *s, const char **at)
{
    if (s->kind == LOCANT_SEGMENT_CLIP)
        return **at == '@' && (++*at, parse_real(&s->interval, at)) &&
               **at == '+' && (++*at, parse_number(&s->tokens, at)) &&
               parse_ends(s, at);
    if (s->kind == LOCANT_SEGMENT_VIDEO && **at == '@') {
        ++*at;
        return parse_real(&s->interval, at);
    }
    return s->kind != LOCANT_SEGMENT_FRAMES || parse_ends(s, at);
}

static int parse_segment(locant_segment *s, const char *word)
{
    static const char *const kinds[] = { "text:",   "image:", "video:",
                                         "frames:", "audio:", "clip:" };
    int64_t size[3];
    const char *at = NULL;

    *s = (locant_segment){ .frames = 1, .interval = 1 };
    for (int i = 0; i < 6 && at == NULL; i++) {
        if (strncmp(word, kinds[i], strlen(kinds[i])) == 0) {
            s->kind = (locant_segment_kind)i;
            at = word + strlen(kinds[i]);
        }
    }
    if (at == NULL)
        return 0;
    if (s->kind == LOCANT_SEGMENT_TEXT || s->kind == LOCANT_SEGMENT_AUDIO)
        return parse_number(&s->tokens, &at) && *at == '\0';
    if (s->kind == LOCANT_SEGMENT_IMAGE && parse_sizes(size + 1, 2, &at) != 2)
        return 0;
    if (s->kind != LOCANT_SEGMENT_IMAGE && parse_sizes(size, 3, &at) != 3)
        return 0;
    if (s->kind != LOCANT_SEGMENT_IMAGE)
        s->frames = size[0];
    s->rows = size[1];
    s->cols = size[2];
    return parse_tail(s, &at) && *at == '\0';
}

int pos_parse_segment(locant_segment *out, const char *word)
{
    if (parse_segment(out, word))
        return CLI_OK;
    return cli_refuse("positions: '%s': should be text:N, image:HxW, "
                      "video:TxHxW[@INTERVAL], "
                      "frames:TxHxW[+BEFORE[+AFTER]], audio:N or "
                      "clip:TxHxW@SECONDS+AUDIO[+BEFORE[+AFTER]]",
                      word);
}
