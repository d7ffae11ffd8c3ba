/*
 * corpus.h - text to train and test on: the list of paths, the documents
 * gathered from them, the split.
 *
 * Paths are listed, sorted and shuffled before the first one is read, so the
 * text depends on names, contents and seed, never on the order of a directory,
 * the locale or the clock.
 */
#ifndef LCT_CORPUS_H
#define LCT_CORPUS_H

#include "../core/error.h"
#include "locant/lab.h"
#include <stdbool.h>

struct lct_tokens;
struct lct_vocabulary;

enum lct_part { LCT_TRAIN = 0, LCT_VALID = 1, LCT_TEST = 2 };

/*
 * One part of a corpus: its files one after another, a zero byte before each.
 * File f is bytes[start[f]] (the zero) to bytes[start[f + 1] - 1].
 */
struct lct_split {
    const uint8_t *bytes; /* NULL in a text of tokens; see tokens.h */
    size_t size;          /* bytes or, in a text of tokens, tokens */
    const size_t *start;  /* [files + 1] */
    size_t files;
    const uint16_t *ids; /* [size]: the tokens; NULL: bytes are the tokens */
    const struct lct_vocabulary *vocabulary; /* of ids */
    const struct lct_split *of;              /* of ids: the part in bytes */
};

/* Token i. */
static inline int32_t lct_split_id(const struct lct_split *s, size_t i)
{
    return s->ids ? s->ids[i] : s->bytes[i];
}

const struct lct_split *lct_corpus_split(const locant_corpus *corpus,
                                         enum lct_part part);

/*
 * Choose the blocks that every model is tested on, by 'seed' alone. ends[b], an
 * index into the split, is one past the last target of block b; at least
 * LCT_TEST_FILE_MIN tokens of its file come before it. A file has at most 8
 * blocks. Returns the number of blocks, at most 'want'.
 */
size_t lct_choose_blocks(size_t *ends, size_t want,
                         const struct lct_split *split, uint64_t seed);

/*
 * Starts of the training windows of one step: batch x (length + 1) tokens each
 * from the training split, drawn from (seed, step) alone.
 */
void lct_batch_starts(size_t *starts, int64_t batch, int64_t length,
                      const struct lct_split *train, uint64_t seed,
                      int64_t step);

/*
 * The same for models with memory, whose rows go on where they ended. Row 0
 * starts at a place drawn from the seed, row b starts b / batch of the split
 * after it. Each step moves all rows on by 'length', cyclically.
 */
void lct_segment_starts(size_t *starts, int64_t batch, int64_t length,
                        const struct lct_split *train, uint64_t seed,
                        int64_t step);

/* The largest folders of headers that a corpus took files from. */
enum { LCT_FOLDERS = 12 };
struct lct_folder {
    char name[96]; /* truncated to fit */
    size_t bytes;
};

/* Copy the largest folders and return their number; 0 for text that is not
   headers, because its folder names are private to the user. */
size_t lct_corpus_folders(struct lct_folder out[LCT_FOLDERS],
                          const locant_corpus *corpus);

/* A longer text is refused, because a store from somewhere else may claim any
   length. */
enum { LCT_CORPUS_MAX_BYTES = 256 << 20 };

enum {
    LCT_FILE_LIMIT = 64 << 10,  /* bytes of one document, and of one file that
                                   was found by walking */
    LCT_PIECE_LIMIT = 16 << 10, /* bytes of one document when one text is cut in
                                   three: 5 % of a megabyte gives three of them,
                                   so 24 test blocks */
    LCT_TEST_FILE_MIN = 2304,   /* tokens of a file before the end of a test
                                   block */
    LCT_BLOCKS_PER_FILE = 8     /* most test blocks of a file */
};

/* ------------------------------------------------------------------- paths */

struct lct_path {
    const char *path; /* as opened */
    size_t key;       /* path + key: the name below the root it came from */
    size_t root;      /* index into options->paths; 0 for headers */
    bool named;       /* given by the caller, not found by walking */
};

struct lct_path_list {
    struct lct_path *at;
    size_t n, room;
};

struct lct_chunk;

struct lct_listing {
    struct lct_path_list files, folders;
    locant_corpus_info *info; /* counts the files that cannot be read */
    struct lct_chunk *strings;
    bool headers; /* only *.h, and no folder c++ */
};

/*
 * Handle 'error', the errno of opening or reading 'path'. Fails if the caller
 * named the path, or if memory or file handles ran out; otherwise the file is
 * counted as unreadable, or ignored if it is gone.
 */
locant_status lct_skip_unreadable(locant_corpus_info *info, const char *path,
                                  bool named, int error);

/* List the C headers of this machine, or the files of options->paths. */
locant_status lct_list_headers(struct lct_listing *l);
locant_status lct_list_files(struct lct_listing *l,
                             const locant_corpus_options *options);
void lct_listing_free(struct lct_listing *l);

/* Sort by (key, root), bytes compared as unsigned, then shuffle by seed. */
void lct_listing_shuffle(struct lct_listing *l, uint64_t seed);

/* ----------------------------------------------------------------- folders */

struct lct_folders {
    struct lct_folder *at;
    size_t n, room;
};

/* Add the size of a file to its folder. */
locant_status lct_folders_add(struct lct_folders *f, const char *path,
                              size_t bytes);
/* Sort the folders by size and store the largest in the corpus. */
void lct_folders_keep(locant_corpus *c, struct lct_folders *f);

/* --------------------------------------------------------------- documents */

struct lct_document {
    size_t begin, size;    /* in lct_gather.text */
    uint64_t folder, file; /* hashes of the names; they decide the split */
};

/* Text read so far. Initialize to zeros, except max_bytes. */
struct lct_gather {
    uint8_t *text;
    size_t used, room;
    struct lct_document *docs;
    size_t n, docs_room;
    uint64_t (*seen)[4]; /* open-addressed set of SHA-256; all zero: free */
    size_t seen_room;
    size_t max_bytes;           /* of text, with one zero byte per document */
    locant_corpus_info *info;   /* counts the files that cannot be read */
    struct lct_folders folders; /* of headers only */
};

/* Read the listed files until max_bytes are full. */
locant_status lct_gather_files(struct lct_gather *g,
                               const struct lct_listing *l);
/* Append one document; false when memory is short. */
bool lct_gather_add(struct lct_gather *g, const void *text, size_t size,
                    const char *folder, const char *file);
/* Bytes left for one more document. */
size_t lct_gather_left(const struct lct_gather *g);
void lct_gather_free(struct lct_gather *g);

/* Grow *at, doubling *room, until 'need' more items of 'item' bytes fit after
   'used' ones. False, with nothing changed, if memory runs out. */
bool lct_reserve(void **at, size_t *room, size_t used, size_t need,
                 size_t item);

/*
 * Where to end a text of 'size' bytes that must not exceed 'limit': after the
 * last line end of the last quarter, else between two UTF-8 characters.
 */
size_t lct_cut(const uint8_t *text, size_t size, size_t limit);

/* Generate pseudo C headers until max_bytes are full; the same bytes
   everywhere. */
locant_status lct_generate(struct lct_gather *g, uint64_t seed);

/* ------------------------------------------------------------------- split */

struct locant_corpus {
    locant_corpus_info info;
    uint8_t *text;  /* of the three splits, one after another */
    size_t *starts; /* of their documents, in the same order */
    struct lct_split split[3];
    struct lct_folder folders[LCT_FOLDERS];
    size_t n_folders;
    char *paths; /* JSON list, absolute; NULL: not valid UTF-8 */
    locant_keep keep;
    uint64_t seed;
    size_t max_bytes;
    struct lct_tokens *tokens; /* the text encoded; see tokens.h */
};

/* The paths of the options as JSON, to be released with locant_release(). *out
   is NULL if a path is not valid UTF-8. */
locant_status lct_recipe_paths(char **out,
                               const locant_corpus_options *options);

/* Fill text, starts, split and the sizes of info from what was gathered. */
locant_status lct_corpus_assemble(locant_corpus *c, const struct lct_gather *g);

/*
 * Find the document starts in c->text, whose splits have the sizes in c->info.
 * A document begins with a zero byte and has no other. FORMAT, with 'name' in
 * the message, if a split begins otherwise, or if no document is long enough
 * for a test block.
 */
locant_status lct_corpus_find_starts(locant_corpus *c, const char *name);
#endif
