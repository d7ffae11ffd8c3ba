/*
 * corpus_text.c - reads the listed files and keeps one copy of each text.
 *
 * A file is read directly behind the gathered text and cleaned there. To keep
 * it, the end of the gathered text is moved. So memory is bounded by the bytes
 * read, and a file that grows or shrinks meanwhile does no harm.
 */
#define _GNU_SOURCE
#include "../core/quote.h"
#include "../core/size.h"
#include "../files/sha256.h"
#include "corpus.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "locant_corpus_create: no memory for the text");
}

/* Make room for 'need' bytes after the text and the 'read' bytes behind it. */
static bool reserve_text(struct lct_gather *g, size_t read, size_t need)
{
    void *at = g->text;
    bool ok = lct_reserve(&at, &g->room, g->used + read, need, 1);

    g->text = at;
    return ok;
}

size_t lct_cut(const uint8_t *text, size_t size, size_t limit)
{
    size_t i = limit;

    if (size <= limit)
        return size;
    while (i > limit - limit / 4)
        if (text[--i] == '\n')
            return i + 1;
    /* 10xxxxxx continues a character; one has at most three such bytes. */
    i = limit;
    while (i > 1 && limit - i < 3 && (text[i] & 0xc0) == 0x80)
        i--;
    return (text[i] & 0xc0) == 0x80 ? limit : i;
}

/* ---------------------------------------------------------------- cleaning */

/*
 * Is it text? Text has no zero byte, which separates documents, and at most one
 * control byte in a hundred: UTF-8 and the older national encodings have none,
 * random bytes eleven. *zero is the index of the first zero byte, or size.
 */
static bool is_text(const uint8_t *text, size_t size, size_t *zero)
{
    size_t controls = 0;

    for (*zero = 0; *zero < size; ++*zero) {
        uint8_t c = text[*zero];

        if (c == 0)
            return false;
        controls += (c < 32 && !(c >= '\t' && c <= '\r')) || c == 127;
    }
    return controls * 100 <= size;
}

/* Length of the spaces and comments that a header starts with: its licence. */
static size_t leading_comment(const uint8_t *text, size_t size)
{
    size_t i = 0;

    for (;;) {
        const uint8_t *end;

        while (i < size &&
               (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')))
            i++;
        if (size - i < 2 || text[i] != '/')
            return i;
        if (text[i + 1] == '/')
            end = memchr(text + i, '\n', size - i);
        else if (text[i + 1] == '*')
            end = memmem(text + i + 2, size - i - 2, "*/", 2);
        else
            return i;
        if (end == NULL)
            return size;
        i = (size_t)(end - text) + (text[i + 1] == '/' ? 1 : 2);
    }
}

/* Does a line start with a word that is C++ and not C? */
static bool is_cplusplus(const uint8_t *text, size_t size)
{
    static const char *const words[] = { "namespace ", "template", "class ",
                                         "using namespace " };

    for (size_t i = 0; i < size; i++) {
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            size_t n = strlen(words[w]);

            if (size - i >= n && memcmp(text + i, words[w], n) == 0)
                return true;
        }
        while (i < size && text[i] != '\n')
            i++;
    }
    return false;
}

/* -------------------------------------------------------------- duplicates */

/*
 * Slot of a digest in the set, or the free slot where it goes. No text has the
 * digest 0, so zero marks a free slot.
 */
static size_t slot_of(uint64_t (*set)[4], size_t room, const uint64_t digest[4])
{
    size_t i = (size_t)digest[0] & (room - 1);

    while (memcmp(set[i], digest, 32) != 0 &&
           (set[i][0] | set[i][1] | set[i][2] | set[i][3]) != 0)
        i = (i + 1) & (room - 1);
    return i;
}

/* Double the set, if needed, so that one more digest leaves it half empty. */
static bool grow_set(struct lct_gather *g)
{
    size_t room = g->seen_room ? g->seen_room * 2 : 1024;
    uint64_t(*set)[4];

    if (2 * (g->n + 1) <= g->seen_room)
        return true;
    set = locant_alloc(room * sizeof *set);
    if (set == NULL)
        return false;
    for (size_t i = 0; i < g->seen_room; i++)
        memcpy(set[slot_of(set, room, g->seen[i])], g->seen[i], 32);
    locant_release(g->seen);
    g->seen = set;
    g->seen_room = room;
    return true;
}

/* ----------------------------------------------------------------- reading */

/* The hash that decides the split: eight bytes of the SHA-256 of a name. */
static uint64_t hash_of(size_t root, const char *name, size_t size)
{
    uint8_t digest[32];
    uint64_t hash = 0;

    lct_sha256(digest, name, size);
    for (int i = 0; i < 8; i++)
        hash = hash << 8 | digest[i];
    /* Equal names below different roots are different folders. */
    return hash + root * 0x9e3779b97f4a7c15u;
}

size_t lct_gather_left(const struct lct_gather *g)
{
    size_t taken = g->used + g->n + 1;

    return taken < g->max_bytes ? g->max_bytes - taken : 0;
}

/* Record the 'size' bytes behind the text as its next document. */
static bool add_document(struct lct_gather *g, size_t size, uint64_t folder,
                         uint64_t file)
{
    void *at = g->docs;
    bool ok = lct_reserve(&at, &g->docs_room, g->n, 1, sizeof *g->docs);

    g->docs = at;
    if (!ok)
        return false;
    g->docs[g->n++] = (struct lct_document){ g->used, size, folder, file };
    g->used += size;
    return true;
}

bool lct_gather_add(struct lct_gather *g, const void *text, size_t size,
                    const char *folder, const char *file)
{
    if (!reserve_text(g, 0, size))
        return false;
    memcpy(g->text + g->used, text, size);
    return add_document(g, size, hash_of(0, folder, strlen(folder)),
                        hash_of(0, file, strlen(file)));
}

/*
 * Append up to 'limit' bytes of a file to the text. The limit also holds for
 * files whose size is not known in advance (/proc). Reading ends at a zero
 * byte: the file is not text, and a sparse file has nothing but zeros.
 */
static locant_status read_text(struct lct_gather *g, size_t *size, int fd,
                               size_t limit)
{
    bool zero = false;

    *size = 0;
    while (*size < limit && !zero) {
        size_t step =
            limit - *size < LCT_FILE_LIMIT ? limit - *size : LCT_FILE_LIMIT;
        ssize_t got;

        if (!reserve_text(g, *size, step))
            return no_memory();
        got = read(fd, g->text + g->used + *size, step);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return LOCANT_ERR_IO; /* errno says why; the caller knows the
                                     name */
        if (got == 0)
            break;
        zero = memchr(g->text + g->used + *size, 0, (size_t)got) != NULL;
        *size += (size_t)got;
    }
    return LOCANT_OK;
}

/* Read a regular file. On failure errno says why. */
static locant_status read_path(struct lct_gather *g, size_t *size,
                               const char *path, size_t limit)
{
    /* O_NONBLOCK: a pipe put in the file's place must not stop us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error;
    locant_status status = LOCANT_ERR_IO;
    struct stat st;

    if (fd < 0)
        return LOCANT_ERR_IO;
    if (fstat(fd, &st) == 0) {
        if (S_ISREG(st.st_mode))
            status = read_text(g, size, fd, limit);
        else
            errno = EINVAL;
    }
    error = errno;
    close(fd);
    errno = error;
    return status;
}

/* Keep the 'size' bytes behind the text as a document, if they are new. */
static locant_status keep_if_new(struct lct_gather *g, size_t size,
                                 const struct lct_path *p, bool header)
{
    const char *key = p->path + p->key, *slash = strrchr(key, '/');
    size_t folder = slash ? (size_t)(slash - key) : 0, slot;
    uint64_t digest[4];

    if (!grow_set(g))
        return no_memory();
    lct_sha256((uint8_t *)digest, g->text + g->used, size);
    slot = slot_of(g->seen, g->seen_room, digest);
    if (memcmp(g->seen[slot], digest, 32) == 0)
        return LOCANT_OK;
    memcpy(g->seen[slot], digest, 32);
    if (!add_document(g, size, hash_of(p->root, key, folder),
                      hash_of(p->root, key, strlen(key))))
        return no_memory();
    return header ? lct_folders_add(&g->folders, p->path, size) : LOCANT_OK;
}

/* Read and clean one file, and keep it or leave it out. */
static locant_status take_file(struct lct_gather *g, const struct lct_path *p,
                               bool header)
{
    size_t left = lct_gather_left(g), size, zero, begin = 0;
    size_t limit = !p->named && left > LCT_FILE_LIMIT ? LCT_FILE_LIMIT : left;
    /* One byte more tells lct_cut() whether the file goes on. */
    locant_status status = read_path(g, &size, p->path, limit + 1);
    char shown[LCT_QUOTE_BYTES];
    uint8_t *text;

    if (status == LOCANT_ERR_IO)
        return lct_skip_unreadable(g->info, p->path, p->named, errno);
    LCT_TRY(status);
    text = g->text + g->used;
    if (!is_text(text, size, &zero)) {
        if (!p->named)
            return LOCANT_OK;
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_corpus_create: '%s' is "
                           "not text: %s",
                           lct_quote(shown, p->path, strlen(p->path)),
                           zero < size ? "it holds a zero byte"
                                       : "it is full of control bytes");
    }
    size = lct_cut(text, size, limit);
    if (header) {
        begin = leading_comment(text, size);
        if (is_cplusplus(text + begin, size - begin))
            return LOCANT_OK;
        memmove(text, text + begin, size - begin);
    }
    return size > begin ? keep_if_new(g, size - begin, p, header) : LOCANT_OK;
}

locant_status lct_gather_files(struct lct_gather *g,
                               const struct lct_listing *l)
{
    /* A remainder that is too short to test on is dropped. */
    for (size_t i = 0; i < l->files.n; i++)
        if (lct_gather_left(g) > LCT_TEST_FILE_MIN)
            LCT_TRY(take_file(g, &l->files.at[i], l->headers));
    return LOCANT_OK;
}

void lct_gather_free(struct lct_gather *g)
{
    locant_release(g->text);
    locant_release(g->docs);
    locant_release(g->seen);
    locant_release(g->folders.at);
}
