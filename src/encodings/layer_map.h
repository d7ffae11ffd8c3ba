/*
 * layer_map.h - which of several encodings a layer uses: the map of layers(..)
 *
 *     map   = term { ":" term }        of the terms for a layer the last counts
 *     term  = name                     every layer
 *           | "list(" name { ":" name } [ ",repeat=yes" ] ")"
 *           | "every(" period [ ",at=" k ] "," name [ ",else=" name ] ")"
 *           | "first(" n "," name ")" | "last(" n "," name ")"
 */
#ifndef LCT_LAYER_MAP_H
#define LCT_LAYER_MAP_H
#include "spec_read.h"

enum { LCT_MAP_TERMS = 32, LCT_MAP_NAMES = 1024 };

enum lct_map_kind {
    LCT_MAP_ALL,
    LCT_MAP_LIST,
    LCT_MAP_EVERY,
    LCT_MAP_FIRST,
    LCT_MAP_LAST
};

struct lct_map_term {
    enum lct_map_kind kind;
    int64_t n;        /* period, or number of layers */
    int64_t at;       /* EVERY */
    bool repeat;      /* LIST */
    int first, names; /* its names; the second of EVERY is that of others */
};

/* A map whose names are indices of what 'name' says. */
struct lct_map {
    int64_t count; /* layers that lists without repeat name; 0: any */
    int terms, names;
    struct lct_map_term term[LCT_MAP_TERMS];
    union {
        struct lct_token token; /* as read */
        int nested;             /* as found: an index of e->nested */
    } name[LCT_MAP_NAMES];
};

/* Read a map from a spec. */
locant_status lct_map_read(struct lct_map *out, struct lct_reader *r);

/* The canonical form of a map that was read from 'text'; allocated.  NULL: no
 * memory. */
char *lct_map_print(const struct lct_map *m, const char *text);

/* Does one of the terms hold for every layer? */
bool lct_map_covers(const struct lct_map *m);

/* What the layer uses in a model of 'count' layers, 0: unknown; -1: no term
 * holds. */
int lct_map_layer(const struct lct_map *m, int64_t layer, int64_t count);
#endif
