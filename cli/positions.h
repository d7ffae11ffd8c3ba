/* positions.h - what the files of 'locant positions' share */
#ifndef LOCANT_CLI_POSITIONS_H
#define LOCANT_CLI_POSITIONS_H

#include "cli.h"

struct options {
    const char *mask, *tokens, *lengths, *positions, *size, *pretrained;
    int64_t length, first, pad, pad_token, merge, prefix, range, batch, seed,
        chunks, sinks, window, group, queries, keys, trained;
    double step, global, local, max_scale, factor, scale, delta, rate, chunk;
    int64_t first_image;
    int style, documents, coordinates, next, scheme, cut, distance, temperature;
    const char *out;
};

extern const struct cli_action pos_forms[];

typedef int form_fn(const struct cli *cli);
form_fn form_mask, form_tokens, form_documents, form_packing, form_random,
    form_cape, form_grid, form_mrope, form_ids, form_streaming, form_selfextend,
    form_longlora, form_distance, form_temperature;

/* Returns the exit status for 's', an error in the list or file 'text'. */
int pos_status(const char *text, locant_status s);
/* Allocate [rows, columns]. */
int pos_new(locant_tensor *out, locant_dtype dtype, int64_t rows,
            int64_t columns);
/* View row r as a vector. */
locant_tensor pos_row(const locant_tensor *t, int64_t r);
/* Parse the value of --option, which must be given, as pos_parse() does. */
int pos_read(locant_tensor *out, const struct cli *cli, const char *option,
             const char *text);
/* Read --positions as [B, T]; without it make 0 .. length - 1 as [1, T]. */
int pos_read_or_range(locant_tensor *out, const struct cli *cli);
/* Write or print a result [B, n]; if B is 1, it becomes [n]. */
int pos_write(const struct cli *cli, const locant_tensor *t);
/* Write or print a result in its shape, and 'delta' unless that is NULL. */
int pos_write_matrix(const struct cli *cli, const locant_tensor *t,
                     const double *delta);

/*
 * Make a dense I64 [B, T] of the value of --option: a list "0,1,2", or FILE.npy
 * of i32 or i64.  B is 1 for a list and for a file [T].
 */
int pos_parse(locant_tensor *out, const char *option, const char *text);
/* Parse sizes such as "2x3", each at least 1; returns how many, at most 'most',
   or 0 on error. */
int pos_parse_sizes(int64_t *out, int most, const char *text);
/* Parse "text:3", "image:2x3", "video:4x2x3@2", "frames:4x2x3+5+1", "audio:4",
   "clip:4x2x3@0.5+9+2+2". */
int pos_parse_segment(locant_segment *out, const char *word);

#endif /* LOCANT_CLI_POSITIONS_H */
