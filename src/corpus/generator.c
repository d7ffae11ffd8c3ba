/*
 * generator.c - pseudo C headers whose long-range structure is known.
 *
 * Every document invents 20 to 60 identifiers and uses them again after gaps of
 * g uses with probability proportional to g^-1.2; the words of its comments
 * follow Zipf's law over a lexicon of 2000 invented words. Braces nest and
 * enumerations count. So longer context helps, and by the same amount on every
 * machine, because only integers and one Philox stream decide the text.
 */
#include "corpus.h"
#include <stdio.h>
#include <string.h>

enum {
    WORDS = 2000,
    WORD_ROOM = 12, /* three syllables of three letters, and the zero */
    GAPS = 1024,    /* longest reuse gap, in uses of identifiers */
    POOL_MIN = 20,
    POOL_MAX = 60,
    NAME_ROOM = 40, /* folder word, two words, two underscores, the zero */
    FOLDERS = 48,
    SIZE_MIN = 2560, /* above LCT_TEST_FILE_MIN: all can be tested on */
    DOCUMENT_ROOM = 32 << 10,
    DEPTH_MAX = 4
};

struct maker {
    locant_random random;
    char lexicon[WORDS][WORD_ROOM];
    uint64_t zipf[WORDS]; /* cumulative weights of words */
    uint64_t gaps[GAPS];  /* cumulative weights of reuse gaps 1 .. GAPS */
    /* of the current document */
    uint32_t folder;
    char pool[POOL_MAX][NAME_ROOM];
    uint32_t pool_size, invented;
    uint32_t history[GAPS]; /* pool[] index of the latest uses, a ring */
    uint64_t uses;
    uint32_t depth; /* open braces */
    size_t used;
    char text[DOCUMENT_ROOM];
};

static uint32_t below(struct maker *m, uint32_t n)
{
    return (uint32_t)locant_random_below(&m->random, n);
}

/* ------------------------------------------------------------ distributions */

/* Fifth root of x < 2^60, rounded down; used for g^1.2 = g g^(1/5). */
static uint64_t fifth_root(uint64_t x)
{
    uint64_t low = 0, high = 1 << 12; /* low^5 <= x < high^5 */

    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;

        if (middle * middle * middle * middle * middle <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void fill_tables(struct maker *m)
{
    uint64_t sum = 0;

    for (uint64_t rank = 1; rank <= WORDS; rank++)
        m->zipf[rank - 1] = sum += ((uint64_t)1 << 32) / rank;
    sum = 0;
    /* (g 2^45)^(1/5) = 2^9 g^0.2, so the weight is 2^41 g^-1.2 */
    for (uint64_t g = 1; g <= GAPS; g++)
        m->gaps[g - 1] = sum += ((uint64_t)1 << 50) / (g * fifth_root(g << 45));
}

/* Draw an index with probability proportional to its weight. */
static uint32_t draw(struct maker *m, const uint64_t *cumulative, uint32_t n)
{
    uint64_t x = locant_random_below(&m->random, cumulative[n - 1]);
    uint32_t low = 0, high = n - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (cumulative[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------- names */

static void invent_word(struct maker *m, char *word)
{
    static const char onset[] = "bcdfghklmnprstvz", vowel[] = "aeiou",
                      coda[] = "lmnrstkx";
    uint32_t syllables = 1 + below(m, 3);
    size_t n = 0;

    for (uint32_t i = 0; i < syllables; i++) {
        word[n++] = onset[below(m, sizeof onset - 1)];
        word[n++] = vowel[below(m, sizeof vowel - 1)];
        if (i + 1 == syllables || below(m, 3) == 0)
            word[n++] = coda[below(m, sizeof coda - 1)];
    }
    word[n] = '\0';
}

/* Words have three letters or more.  Two million pairs are compared, most of
   which differ in the first two, so that strcmp() would be most of the time of
   a small text. */
static bool same_word(const char *a, const char *b)
{
    return a[0] == b[0] && a[1] == b[1] && strcmp(a + 2, b + 2) == 0;
}

static void invent_lexicon(struct maker *m)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        bool known = true;

        while (known) {
            invent_word(m, m->lexicon[i]);
            known = false;
            for (uint32_t j = 0; j < i && !known; j++)
                known = same_word(m->lexicon[i], m->lexicon[j]);
        }
    }
}

static size_t append(char *name, size_t n, const char *word)
{
    size_t size = strlen(word);

    memcpy(name + n, word, size);
    return n + size;
}

/* "folder_word" or "folder_word_word"; each folder has its frequent words. */
static void invent_name(struct maker *m, char *name)
{
    size_t n = append(name, 0, m->lexicon[100 + m->folder]);
    uint32_t words = 1 + below(m, 2);

    for (uint32_t i = 0; i < words; i++) {
        uint32_t w = draw(m, m->zipf, WORDS) + 37 * m->folder;

        name[n++] = '_';
        n = append(name, n, m->lexicon[w % WORDS]);
    }
    name[n] = '\0';
}

/* The identifier used 'gap' uses ago; if there are too few uses, a new one. */
static const char *use_name(struct maker *m)
{
    uint64_t gap = draw(m, m->gaps, GAPS) + 1;
    uint32_t i;

    if (gap <= m->uses) {
        i = m->history[(m->uses - gap) % GAPS];
    } else if (m->invented < m->pool_size) {
        i = m->invented++;
        invent_name(m, m->pool[i]);
    } else {
        i = below(m, m->pool_size);
    }
    m->history[m->uses++ % GAPS] = i;
    return m->pool[i];
}

/* ----------------------------------------------------------------- writing */

/* Write one character, after the indentation if it starts a line. */
static void put(struct maker *m, char c)
{
    m->depth -= c == '}';
    if (c != '\n' && m->used > 0 && m->text[m->used - 1] == '\n')
        for (uint32_t i = 0; i < m->depth && m->used < DOCUMENT_ROOM; i++)
            m->text[m->used++] = '\t';
    m->depth += c == '{';
    if (m->used < DOCUMENT_ROOM)
        m->text[m->used++] = c;
}

static void put_text(struct maker *m, const char *s, bool capitals)
{
    for (; *s != '\0'; s++) {
        bool small = *s >= 'a' && *s <= 'z';

        put(m, capitals && small ? (char)(*s - 'a' + 'A') : *s);
    }
}

static void put_number(struct maker *m, uint32_t x)
{
    char digits[10];
    int n = 0;

    do
        digits[n++] = (char)('0' + x % 10);
    while ((x /= 10) > 0);
    while (n > 0)
        put(m, digits[--n]);
}

static void put_hex(struct maker *m)
{
    put_text(m, "0x", false);
    for (uint32_t n = 2 + 2 * below(m, 2); n > 0; n--)
        put(m, "0123456789abcdef"[below(m, 16)]);
}

static const char *word(struct maker *m)
{
    return m->lexicon[draw(m, m->zipf, WORDS)];
}

static void put_sentence(struct maker *m)
{
    put_text(m, word(m), false);
    for (uint32_t n = 3 + below(m, 7); n > 0; n--) {
        put(m, ' ');
        put_text(m, word(m), false);
    }
    put(m, '.');
}

/* Enumerators that share a prefix and count up. */
static void put_enumerators(struct maker *m)
{
    const char *prefix = use_name(m);
    uint32_t value = below(m, 4) ? 0 : below(m, 200);

    for (uint32_t n = 3 + below(m, 10); n > 0; n--) {
        put_text(m, prefix, true);
        put(m, '_');
        put_text(m, word(m), true);
        put_text(m, " = ", false);
        put_number(m, value++);
        put_text(m, ",\n", false);
    }
}

/* ----------------------------------------------------------------- grammar */

/*
 * A rule is text in which $i is an identifier, $I the same in capitals, $w a
 * word, $s a sentence, $n a number, $h a hexadecimal number, $t a type, $e
 * enumerators, $m members of a struct, $b statements of a block.
 */
static const char *const SECTIONS[] = {
    "/* $s */\n#define $I $h\n#define $I_$I $h\n\n",
    "#define $I($w) (($w) << $n | $h)\n\n",
    "/*\n * $s\n * $s\n * $s\n */\n",
    "enum $i {\n$e};\n\n",
    "struct $i {\n$m};\n\n",
    "typedef struct $i {\n$m} $i_t;\n\n",
    "extern $t $i(struct $i *$w, $t $w);\n",
    "extern $t $i($t $w, const struct $i *$w,\n\t\t$t $w);\n\n",
    "/* $s */\nstatic inline $t $i(struct $i *$w)\n{\n$b}\n\n",
    "#ifdef $I\n# define $I $I\n#else\n# define $I $n\n#endif\n\n"
};
static const char *const MEMBERS[] = {
    "$t $w;\n",       "$t $w; /* $s */\n",   "struct $i *$w;\n",
    "$i_t $w[$I];\n", "struct {\n$m} $w;\n", "union {\n$m} $w;\n"
};
static const char *const STATEMENTS[] = {
    "$w->$w = $i($w, $n);\n",          "$w |= $I;\n",
    "$i($w, $I, &$w->$w);\n",          "return $i($w);\n",
    "if ($w->$w > $n) {\n$b}\n",       "for ($w = 0; $w < $I; $w++) {\n$b}\n",
    "if ($i($w)) {\n$b} else {\n$b}\n"
};
static const char *const TYPES[] = { "int",    "unsigned int", "long",
                                     "char *", "void *",       "size_t",
                                     "__u32",  "__u64" };

#define LENGTH(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))

/* A rule that is being expanded. */
struct frame {
    const char *rule; /* what is left of it */
    uint32_t repeats; /* how many more rules of the same kind follow */
    char kind;        /* 'm', 'b', or 0 for the section */
};

static const char *pick_rule(struct maker *m, char kind, size_t open)
{
    /* Rules that open a brace come last; at full depth they are skipped. */
    if (kind == 'm')
        return MEMBERS[below(m, open < DEPTH_MAX ? LENGTH(MEMBERS)
                                                 : LENGTH(MEMBERS) - 2)];
    return STATEMENTS[below(m, open < DEPTH_MAX ? LENGTH(STATEMENTS)
                                                : LENGTH(STATEMENTS) - 3)];
}

static void put_code(struct maker *m, char code)
{
    switch (code) {
    case 'i': put_text(m, use_name(m), false); break;
    case 'I': put_text(m, use_name(m), true); break;
    case 'w': put_text(m, word(m), false); break;
    case 's': put_sentence(m); break;
    case 'n': put_number(m, below(m, below(m, 3) ? 16 : 1000)); break;
    case 'h': put_hex(m); break;
    case 't': put_text(m, TYPES[below(m, LENGTH(TYPES))], false); break;
    case 'e': put_enumerators(m); break;
    default: break;
    }
}

static void put_section(struct maker *m)
{
    struct frame stack[DEPTH_MAX + 1] = {
        { .rule = SECTIONS[below(m, LENGTH(SECTIONS))] }
    };
    size_t open = 1;

    while (open > 0) {
        struct frame *f = &stack[open - 1];
        char c = *f->rule;

        if (c == '\0' && f->repeats == 0) {
            open--;
        } else if (c == '\0') {
            f->repeats--;
            f->rule = pick_rule(m, f->kind, open - 1);
        } else if (c != '$') {
            put(m, c);
            f->rule++;
        } else {
            const char code = f->rule[1];

            f->rule += 2;
            put_code(m, code);
            if (code == 'm' || code == 'b')
                stack[open++] = (struct frame){ .rule = "",
                                                .repeats = 2 + below(m, 4),
                                                .kind = code };
        }
    }
}

static void put_document(struct maker *m)
{
    uint32_t scale = SIZE_MIN << below(m, 3);
    size_t size = scale + below(m, scale);
    const char *guard;

    m->folder = below(m, FOLDERS);
    m->pool_size = POOL_MIN + below(m, POOL_MAX - POOL_MIN + 1);
    m->invented = 0;
    m->uses = 0;
    m->used = 0;
    m->depth = 0;
    guard = use_name(m);
    put_text(m, "#ifndef _", false);
    put_text(m, guard, true);
    put_text(m, "_H\n#define _", false);
    put_text(m, guard, true);
    put_text(m, "_H\n\n", false);
    while (m->used < size)
        put_section(m);
    put_text(m, "#endif\n", false);
}

locant_status lct_generate(struct lct_gather *g, uint64_t seed)
{
    struct maker *m = locant_alloc(sizeof *m);
    bool ok = m != NULL;

    if (ok) {
        /* The stream is "generate" in ASCII: no other part draws from it. */
        m->random =
            (locant_random){ .seed = seed, .stream = 0x67656e6572617465 };
        fill_tables(m);
        invent_lexicon(m);
    }
    while (ok && lct_gather_left(g) > LCT_TEST_FILE_MIN) {
        char folder[16], file[16];
        size_t size;

        put_document(m);
        snprintf(folder, sizeof folder, "folder%06d",
                 (int)(m->folder % 1000000));
        snprintf(file, sizeof file, "file%06d", (int)(g->n % 1000000));
        size = lct_cut((const uint8_t *)m->text, m->used, lct_gather_left(g));
        ok = lct_gather_add(g, m->text, size, folder, file);
    }
    locant_release(m);
    if (!ok)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_corpus_create: no memory "
                                             "for generated text");
    return LOCANT_OK;
}
