/* check_write.c - see check_write.h */
#define _POSIX_C_SOURCE 200809L
#include "check_write.h"
#include "../files/decimal.h"
#include "../files/io.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(FILE *out, const json_t *value, int depth);

static void put_line(FILE *out, int depth)
{
    fprintf(out, "\n%*s", 2 * depth, "");
}

static void put_text(FILE *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);

    fputs(text ? text : "null", out);
    free(text);
}

static void put_key(FILE *out, const char *key)
{
    json_t *text = json_string(key);

    put_text(out, text);
    json_decref(text);
}

static void put_object(FILE *out, const json_t *object, int depth)
{
    const char *key, *comma = "";
    json_t *value;

    fputc('{', out);
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        fputs(comma, out);
        put_line(out, depth + 1);
        put_key(out, key);
        fputs(": ", out);
        put(out, value, depth + 1);
        comma = ",";
    }
    if (json_object_size(object) > 0)
        put_line(out, depth);
    fputc('}', out);
}

static void put_array(FILE *out, const json_t *array, int depth)
{
    const size_t n = json_array_size(array);

    fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        put_line(out, depth + 1);
        put(out, json_array_get(array, i), depth + 1);
        fputs(i + 1 < n ? "," : "", out);
    }
    if (n > 0)
        put_line(out, depth);
    fputc(']', out);
}

/* A real number keeps a point, so that readers take it for one. */
static void put_real(FILE *out, double x)
{
    char text[LCT_DECIMAL_BYTES];

    lct_decimal_exact(text, x);
    fputs(text, out);
    if (strpbrk(text, ".eE") == NULL)
        fputs(".0", out);
}

static void put(FILE *out, const json_t *value, int depth)
{
    if (json_is_object(value))
        put_object(out, value, depth);
    else if (json_is_array(value))
        put_array(out, value, depth);
    else if (json_is_real(value))
        put_real(out, json_real_value(value));
    else
        put_text(out, value);
}

locant_status lct_check_write(const char *path, const json_t *root)
{
    struct lct_piece piece = { 0 };
    locant_status status;
    char *text = NULL;
    FILE *out = open_memstream(&text, &piece.size);
    bool failed = out == NULL;

    if (out != NULL) {
        put(out, root, 0);
        fputc('\n', out);
        failed = ferror(out) != 0;
        failed |= fclose(out) != 0;
    }
    piece.data = text;
    if (failed)
        status = locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", path);
    else
        status = lct_write_file(path, &piece, 1);
    free(text);
    return status;
}
