/* json.c - values as JSON and as short text. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Print JSON text.  Jansson escapes characters below 0x20, as JSON requires;
   terminals also obey U+007F .. U+009F.  cli_finish() reports write errors. */
static void print_escaped(const char *text)
{
    for (;;) {
        const size_t plain = strcspn(text, "\x7f\xc2");
        const unsigned char c = (unsigned char)text[plain];

        fwrite(text, 1, plain, stdout);
        if (c == '\0')
            return;
        text += plain + 1;
        if (c == 0x7f)
            fputs("\\u007f", stdout);
        else if ((unsigned char)*text < 0xa0)
            printf("\\u%04x", (unsigned)(unsigned char)*text++);
        else
            putchar(c);
    }
}

int cli_json(json_t *value)
{
    char *text;

    if (value == NULL || cli_no_memory()) {
        json_decref(value);
        return cli_fail(CLI_INPUT, "%s",
                        cli_no_memory()
                            ? "out of memory"
                            : "the result has text that is not UTF-8");
    }
    text = json_dumps(value, JSON_INDENT(2));
    json_decref(value);
    if (text == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    print_escaped(text);
    putchar('\n');
    free(text);
    return CLI_OK;
}

/* A json_dump_callback_t that indents the lines of an item by 2. */
static int put_piece(const char *piece, size_t size, void *file)
{
    if (size == 1 && *piece == '\n')
        return fputs("\n  ", file) < 0 ? -1 : 0;
    return fwrite(piece, 1, size, file) == size ? 0 : -1;
}

void cli_json_add(struct cli_json_rows *rows, json_t *item)
{
    if (rows->file == NULL && !rows->failed)
        rows->file = open_memstream(&rows->text, &rows->size);
    if (rows->file != NULL && rows->n == 0) /* only this thread writes */
        __fsetlocking(rows->file, FSETLOCKING_BYCALLER);
    if (rows->file == NULL || item == NULL ||
        fputs(rows->n++ > 0 ? ",\n  " : "[\n  ", rows->file) < 0 ||
        json_dump_callback(item, put_piece, rows->file, JSON_INDENT(2)) != 0)
        rows->failed = 1;
    json_decref(item);
}

int cli_json_print(struct cli_json_rows *rows, int status)
{
    if (rows->file != NULL && fclose(rows->file) != 0)
        rows->failed = 1;
    if (status == CLI_OK && rows->failed)
        status = cli_json(NULL);
    if (status == CLI_OK && !rows->failed) {
        print_escaped(rows->n > 0 ? rows->text : "[");
        puts(rows->n > 0 ? "\n]" : "]");
    }
    free(rows->text);
    return status;
}

json_t *cli_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *cli_shape(const locant_tensor *t)
{
    json_t *shape = json_array();

    for (int i = 0; i < t->rank; i++)
        json_array_append_new(shape, json_integer(t->shape[i]));
    return shape;
}

const char *cli_shape_text(const locant_tensor *t)
{
    const char *sizes = "";

    for (int i = 0; i < t->rank; i++)
        sizes = cli_join(sizes, cli_text("%lld", (long long)t->shape[i]));
    return cli_text("[%s]", sizes);
}

static const char *join_bits(unsigned bits, const char *const *names)
{
    const char *all = "";

    for (; *names != NULL; names++, bits >>= 1)
        if (bits & 1)
            all = cli_join(all, *names);
    return *all ? all : "none";
}

const char *cli_doors(unsigned doors)
{
    static const char *const names[] = { "input", "rotate", "score", "content",
                                         NULL };

    return join_bits(doors, names);
}

const char *cli_traits(unsigned traits)
{
    static const char *const names[] = { "relative", "isometric", "learned",
                                         "limit",    "monotone",  "length",
                                         "reads-x",  "real",      "causal",
                                         NULL };

    return join_bits(traits, names);
}
