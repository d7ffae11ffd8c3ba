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

/* The forms; a NULL name ends the table. */
extern const struct cli_action positions_forms[];

/* positions_rows.c, positions_windows.c */
typedef int form_fn(const struct cli *cli);
form_fn form_mask, form_tokens, form_documents, form_packing, form_random,
    form_cape, form_grid, form_mrope, form_streaming, form_selfextend,
    form_longlora, form_distance, form_temperature;

/* The exit status for s, whose numbers came from 'text', a list or a file. */
int pos_status(const char *text, locant_status s);
/* Allocates [rows, columns]. */
int pos_new(locant_tensor *out, locant_dtype dtype, int64_t rows,
            int64_t columns);
/* Row r as a vector. */
locant_tensor pos_row(const locant_tensor *t, int64_t r);
/* The list or file of --option, which must be given, as [B, T]. */
int pos_read(locant_tensor *out, const struct cli *cli, const char *option,
             const char *text);
/* --positions, or 0 .. length - 1, as [1, T] or [B, T]. */
int pos_read_or_count(locant_tensor *out, const struct cli *cli);
/* Write the result, or print it; a single row is [n], not [1, n]. */
int pos_write(const struct cli *cli, const locant_tensor *t);
/* The same for results that always have rows.  'delta' may be NULL. */
int pos_write_matrix(const struct cli *cli, const locant_tensor *t,
                     const int64_t *delta);

/*
 * positions_input.c: "0,1,2" or FILE.npy of i32 or i64 given to --option, as a
 * dense I64 [B, T]; a list and a file [T] make B = 1.
 */
int positions_read(locant_tensor *out, const char *option, const char *text);
/* Parses "2x3" into at most 'most' numbers, each at least 1; returns how many,
   or 0 on error. */
int positions_sizes(int64_t *out, int most, const char *text);
/* Parses "text:3", "image:2x3", "video:4x2x3@2", "frames:4x2x3+5+1". */
int positions_segment(locant_segment *out, const char *word);

#endif /* LOCANT_CLI_POSITIONS_H */
