/*
 * corpus_split.c - assigns documents to training, validation and test.
 *
 * Families of near-duplicates live in one folder, so folders are not divided:
 * in the order of their hash, they fill the test split up to 5 %, then the
 * validation split, and the rest is for training. The hash does not depend on
 * the seed: as long as all text fits in max_bytes, no seed trains on what
 * another seed tests. If max_bytes leaves files out, the seed decides which,
 * and that can change which folders are tested.
 *
 * Text given as files may come in too few folders. Then the files are assigned
 * in the same way. If there are too few files as well (one book), the text is
 * cut after 90 % and 95 %.
 */
#include "corpus.h"
#include "../files/sha256.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum level { BY_FOLDER, BY_FILE };

/* What is not divided: a folder or a file. */
struct unit {
    uint64_t hash;
    size_t bytes;
    enum lct_part part;
};

/* A range of the gathered text, and the part it goes to. */
struct span {
    const uint8_t *text;
    size_t size;
    enum lct_part part;
};

struct plan {
    struct unit *units;
    size_t n_units;
    struct span *spans; /* [documents + 2] */
    size_t n_spans;
    size_t piece; /* longest document made of a span, in bytes */
};

static uint64_t hash_at(const struct lct_document *d, enum level level)
{
    return level == BY_FOLDER ? d->folder : d->file;
}

static int by_hash(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

static void list_units(struct plan *p, const struct lct_gather *g,
                       enum level level)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++)
        p->units[i] = (struct unit){ hash_at(&g->docs[i], level),
                                     g->docs[i].size + 1, LCT_TRAIN };
    qsort(p->units, g->n, sizeof *p->units, by_hash);
    for (size_t i = 0; i < g->n; i++) {
        if (n > 0 && p->units[n - 1].hash == p->units[i].hash)
            p->units[n - 1].bytes += p->units[i].bytes;
        else
            p->units[n++] = p->units[i];
    }
    p->n_units = n;
}

/*
 * Give units to 'part' in order of hash until it has 5 % of 'total'. Skip units
 * that would make it more than 7.5 %; if all would, take the smallest one.
 */
static void fill_part(struct plan *p, enum lct_part part, size_t total)
{
    struct unit *smallest = NULL;
    size_t got = 0;

    for (size_t i = 0; i < p->n_units && got < total / 20; i++) {
        struct unit *u = &p->units[i];

        if (u->part != LCT_TRAIN)
            continue;
        if (smallest == NULL || u->bytes < smallest->bytes)
            smallest = u;
        if (got + u->bytes > total / 20 * 3 / 2)
            continue;
        u->part = part;
        got += u->bytes;
    }
    if (got == 0 && smallest != NULL)
        smallest->part = part;
}

static void span_units(struct plan *p, const struct lct_gather *g,
                       enum level level)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct lct_document *d = &g->docs[i];
        struct unit key = { .hash = hash_at(d, level) };
        const struct unit *u =
            bsearch(&key, p->units, p->n_units, sizeof key, by_hash);

        p->spans[i] = (struct span){ g->text + d->begin, d->size, u->part };
    }
    p->n_spans = g->n;
    p->piece = LCT_FILE_LIMIT;
}

/* Cut the whole text after 90 % and 95 %, at line ends if it has any. */
static void span_cuts(struct plan *p, const struct lct_gather *g)
{
    size_t at = 0;
    int part = LCT_TRAIN;

    p->n_spans = 0;
    p->piece = LCT_PIECE_LIMIT;
    for (size_t i = 0; i < g->n; i++) {
        const struct lct_document *d = &g->docs[i];

        for (size_t done = 0, step; done < d->size; done += step) {
            size_t end = part == LCT_TRAIN   ? g->used / 20 * 18
                         : part == LCT_VALID ? g->used / 20 * 19
                                             : g->used;
            const uint8_t *text = g->text + d->begin + done;

            step = at < end ? lct_cut(text, d->size - done, end - at) : 0;
            if (step > 0)
                p->spans[p->n_spans++] =
                    (struct span){ text, step, (enum lct_part)part };
            at += step;
            if (step < d->size - done || at >= end)
                part += part < LCT_TEST;
        }
    }
}

/*
 * Is this plan acceptable? Every part must have text, and the test part a span
 * that is long enough for a block. Unless it is the last plan to try, the small
 * parts also need 2 to 20 % of the text each.
 */
static bool is_sound(const struct plan *p, bool last)
{
    size_t size[3] = { 0 }, longest = 0, total;

    for (size_t i = 0; i < p->n_spans; i++) {
        const struct span *s = &p->spans[i];

        size[s->part] += s->size;
        if (s->part == LCT_TEST && s->size > longest)
            longest = s->size;
    }
    total = size[0] + size[1] + size[2];
    for (int part = LCT_VALID; part <= LCT_TEST; part++)
        if (!last && (size[part] < total / 50 || size[part] > total / 5))
            return false;
    return size[0] > 0 && size[1] > 0 && longest >= LCT_TEST_FILE_MIN;
}

/* Divide by folder; if 'may_divide' is set and that is not acceptable, by file,
   then by cuts. */
static bool choose_plan(struct plan *p, const struct lct_gather *g,
                        bool may_divide)
{
    size_t total = g->used + g->n;

    for (enum level level = BY_FOLDER; level <= BY_FILE; level++) {
        list_units(p, g, level);
        fill_part(p, LCT_TEST, total);
        fill_part(p, LCT_VALID, total);
        span_units(p, g, level);
        if (is_sound(p, !may_divide))
            return true;
        if (!may_divide)
            return false;
    }
    span_cuts(p, g);
    return is_sound(p, true);
}

/*
 * Write the documents of a part to 'text', a zero byte before each, and their
 * offsets to 'starts'; if 'text' is NULL, only count. Returns the number of
 * bytes; *files is the number of documents.
 */
static size_t write_part(uint8_t *text, size_t *starts, size_t *files,
                         const struct plan *p, enum lct_part part)
{
    size_t size = 0;

    *files = 0;
    for (size_t i = 0; i < p->n_spans; i++) {
        const struct span *s = &p->spans[i];

        for (size_t at = 0, n; s->part == part && at < s->size; at += n) {
            n = lct_cut(s->text + at, s->size - at, p->piece);
            if (text != NULL) {
                starts[*files] = size;
                text[size] = 0;
                memcpy(text + size + 1, s->text + at, n);
            }
            size += n + 1;
            ++*files;
        }
    }
    if (text != NULL)
        starts[*files] = size;
    return size;
}

static locant_status write_splits(locant_corpus *c, const struct plan *p)
{
    size_t size[3], files[3], at = 0, start = 0;

    for (int part = 0; part < 3; part++)
        size[part] =
            write_part(NULL, NULL, &files[part], p, (enum lct_part)part);
    c->text = locant_alloc(size[0] + size[1] + size[2]);
    c->starts =
        locant_alloc((files[0] + files[1] + files[2] + 3) * sizeof *c->starts);
    if (c->text == NULL || c->starts == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_corpus_create: no memory "
                           "for %zu bytes of text",
                           size[0] + size[1] + size[2]);
    for (int part = 0; part < 3; part++) {
        c->split[part] = (struct lct_split){ .bytes = c->text + at,
                                             .size = size[part],
                                             .start = c->starts + start,
                                             .files = files[part] };
        write_part(c->text + at, c->starts + start, &files[part], p,
                   (enum lct_part)part);
        at += size[part];
        start += files[part] + 1;
    }
    c->info.bytes = at;
    c->info.train_bytes = size[LCT_TRAIN];
    c->info.valid_bytes = size[LCT_VALID];
    c->info.test_bytes = size[LCT_TEST];
    lct_sha256_hex(c->info.sha256, c->text, at);
    return LOCANT_OK;
}

locant_status lct_corpus_assemble(locant_corpus *c, const struct lct_gather *g)
{
    struct plan p = { .units = locant_alloc(g->n * sizeof *p.units),
                      .spans = locant_alloc((g->n + 2) * sizeof *p.spans) };
    locant_status status;

    if (p.units == NULL || p.spans == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_corpus_create: no "
                             "memory to split %zu files",
                             g->n);
    else if (!choose_plan(&p, g, c->info.kind == LOCANT_CORPUS_FILES))
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "locant_corpus_create: %zu "
                             "files cannot be split: training, validation and "
                             "test need folders or files of their own, and the "
                             "test one of at least %d bytes",
                             g->n, LCT_TEST_FILE_MIN);
    else
        status = write_splits(c, &p);
    c->info.files = g->n;
    locant_release(p.units);
    locant_release(p.spans);
    return status;
}

/* Find the document starts of one split; returns the length of the longest. */
static size_t find_starts(struct lct_split *split, size_t *starts)
{
    size_t longest = 0;

    split->start = starts;
    split->files = 0;
    for (size_t i = 0; i <= split->size; i++) {
        if (i < split->size && split->bytes[i] != 0)
            continue;
        starts[split->files] = i;
        if (i > 0 && i - starts[split->files - 1] - 1 > longest)
            longest = i - starts[split->files - 1] - 1;
        split->files += i < split->size;
    }
    return longest;
}

locant_status lct_corpus_find_starts(locant_corpus *c, const char *name)
{
    const size_t size[3] = { c->info.train_bytes, c->info.valid_bytes,
                             c->info.test_bytes };
    size_t documents = 0, at = 0, start = 0, longest = 0;

    for (size_t i = 0; i < c->info.bytes; i++)
        documents += c->text[i] == 0;
    c->starts = locant_alloc((documents + 3) * sizeof *c->starts);
    if (c->starts == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu documents",
                           name, documents);
    for (int part = 0; part < 3; part++) {
        struct lct_split *s = &c->split[part];

        *s = (struct lct_split){ .bytes = c->text + at, .size = size[part] };
        if (c->text[at] != 0)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: the splits of its text "
                               "do not begin where documents do",
                               name);
        longest = find_starts(s, c->starts + start);
        start += s->files + 1;
        at += size[part];
    }
    if (longest >= LCT_TEST_FILE_MIN)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: the longest document to be "
                       "tested on has %zu bytes, expected at least %d",
                       name, longest, LCT_TEST_FILE_MIN);
}

const struct lct_split *lct_corpus_split(const locant_corpus *corpus,
                                         enum lct_part part)
{
    return &corpus->split[part];
}
