/* references.c - finds the works that the registry cites */
#include "references.h"
#include "../encodings/encoding.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *arxiv, *authors, *title;
    int year;
} references[] = {
#define REFERENCE(arxiv, authors, title, year) { arxiv, authors, title, year },
#include "references.def"
#undef REFERENCE
};

/* Set authors, title and year from the row of this id, if there is one. */
static bool look_up(struct lct_work *w)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        if (strcmp(references[i].arxiv, w->arxiv) != 0)
            continue;
        snprintf(w->authors, sizeof w->authors, "%s", references[i].authors);
        snprintf(w->title, sizeof w->title, "%s", references[i].title);
        snprintf(w->year, sizeof w->year, "%d", references[i].year);
        return true;
    }
    return false;
}

static bool is_year(const char *at)
{
    for (int i = 0; i < 4; i++)
        if (!isdigit((unsigned char)at[i]))
            return false;
    return !isdigit((unsigned char)at[4]);
}

/* Set authors and year from "Su et al. 2021, ..", if the text begins so. */
static void read_authors(struct lct_work *w, const char *text, size_t size)
{
    static const char and_others[] = " et al.";
    size_t end = 0;

    while (end + 5 < size && !(text[end] == ' ' && is_year(text + end + 1)) &&
           text[end] != ',' && text[end] != ':')
        end++;
    if (end + 5 > size || text[end] != ' ' || !is_year(text + end + 1))
        return;
    snprintf(w->year, sizeof w->year, "%.4s", text + end + 1);
    if (end > strlen(and_others) &&
        strncmp(text + end - strlen(and_others), and_others,
                strlen(and_others)) == 0)
        snprintf(w->authors, sizeof w->authors, "%.*s and others",
                 (int)(end - strlen(and_others)), text);
    else
        snprintf(w->authors, sizeof w->authors, "%.*s", (int)end, text);
}

/* Copy what follows a mark, such as "arXiv:", up to a character that is not one
   of 'set' or, if 'set' is NULL, to a comma or a blank; false: no mark. */
static bool read_after(char *out, size_t size, const char *text, size_t length,
                       const char *mark, const char *set)
{
    const char *at = strstr(text, mark);
    size_t n;

    if (at == NULL || (size_t)(at - text) >= length)
        return false;
    at += strlen(mark);
    n = set ? strspn(at, set) : strcspn(at, ", ;");
    if (n == 0 || n >= size)
        return false;
    memcpy(out, at, n);
    out[n] = '\0';
    return true;
}

static void append(struct lct_works *works, const struct lct_work *w)
{
    for (size_t i = 0; i < works->n; i++)
        if (strcmp(works->at[i].key, w->key) == 0)
            return;
    if (works->n < LCT_WORKS)
        works->at[works->n++] = *w;
}

/* Append the work of one part of a source; a part without an arXiv id or the
   address of a repository names no work. */
static void add_part(struct lct_works *works, const char *text, size_t size)
{
    struct lct_work w = { .key = "" };
    char name[48];

    if (read_after(w.arxiv, sizeof w.arxiv, text, size,
                   "arXiv:", "0123456789.")) {
        snprintf(w.key, sizeof w.key, "arXiv:%s", w.arxiv);
        if (!look_up(&w))
            read_authors(&w, text, size);
    } else if (read_after(name, sizeof name, text, size, "github.com/", NULL)) {
        snprintf(w.key, sizeof w.key, "github:%s", name);
        snprintf(w.url, sizeof w.url, "github.com/%s", name);
        snprintf(w.title, sizeof w.title, "%s", name);
        read_authors(&w, text, size);
    } else {
        return;
    }
    append(works, &w);
}

void lct_references_add(struct lct_works *works, const char *source)
{
    while (*source) {
        const size_t n = strcspn(source, ";");

        add_part(works, source, n);
        source += n + strspn(source + n, "; ");
    }
}

static void add_encoding(struct lct_works *works, const locant_encoding *e)
{
    lct_references_add(works, e->row->info.source);
    for (int i = 0; i < LCT_MAX_KEYS; i++)
        if (e->nested[i] != NULL)
            add_encoding(works, e->nested[i]);
}

locant_status lct_references_of(struct lct_works *works, const char *spec)
{
    locant_encoding *e;

    LCT_TRY(locant_encoding_create(&e, spec));
    add_encoding(works, e);
    locant_encoding_free(e);
    return LOCANT_OK;
}
