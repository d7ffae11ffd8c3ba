/* positions.h - declarations for the files of locant positions */
#ifndef LOCANT_CLI_POSITIONS_H
#define LOCANT_CLI_POSITIONS_H

#include "cli.h"

struct options {
    const char *mask, *tokens, *lengths, *positions, *size, *pretrained;
    int64_t length, first, pad, pad_token, merge, prefix, range, batch, seed,
        chunks, sinks, window, group, queries, keys, trained;
    double step, global, local, max_scale, factor, scale;
    int style, documents, coordinates, next, cut, distance, temperature;
    const char *out;
};

/* What a form produces. */
struct positions_result {
    locant_array array;
    int has_delta;
    int64_t delta; /* mrope */
    int status;    /* packing: CLI_NO if nothing is packed */
};

typedef int form_fn(struct positions_result *out, const struct cli *cli);

struct positions_form {
    const char *name;
    const char *takes; /* names of its options, each between blanks */
    form_fn *make;
    int is_matrix; /* a single row stays [1, n] instead of [n] */
};

/* A NULL name ends the table. */
extern const struct positions_form positions_forms[];

/* positions_rows.c, positions_windows.c */
form_fn form_mask, form_tokens, form_documents, form_packing, form_random,
    form_cape, form_grid, form_mrope, form_streaming, form_selfextend,
    form_longlora, form_distance, form_temperature;

/* The exit status for s; prints an error message unless it is OK. */
int pos_status(locant_status s);
/* The same if the numbers came from 'text', perhaps a file name. */
int pos_status_with(const char *text, locant_status s);
/* If --option was not typed, print that it is missing. */
int pos_need(const struct cli *cli, const char *option, const char *value);
/* Allocates [rows, columns]. */
int pos_make(struct positions_result *out, locant_dtype dtype, int64_t rows,
             int64_t columns);
/* Row r of an I64 result as a vector. */
locant_tensor pos_row(const struct positions_result *out, int64_t r);
/* --positions, or 0 .. length - 1, as [1, T] or [B, T]. */
int pos_read_or_count(locant_array *out, const struct cli *cli);

/*
 * positions_input.c: "0,1,2" or FILE.npy of i32 or i64 given to --option, as a
 * dense I64 [B, T]; a list and a file [T] make B = 1.
 */
int positions_read(locant_array *out, const char *option, const char *text);
/* Parses "2x3" into at most 'most' numbers, each at least 1; returns how many,
   or 0 on error. */
int positions_sizes(int64_t *out, int most, const char *text);
/* Parses "text:3", "image:2x3", "video:4x2x3@2", "frames:4x2x3+5+1". */
int positions_segment(locant_segment *out, const char *word);

#endif /* LOCANT_CLI_POSITIONS_H */
