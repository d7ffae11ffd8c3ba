/* net_names.c - how to find a tensor by its role */
#include "net_names.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *lct_net_names_of(const struct lct_net_names *n,
                             enum lct_net_role role)
{
    for (; n != NULL; n = n->base)
        if (n->name[role] != NULL)
            return n->name[role][0] != 0 ? n->name[role] : NULL;
    return NULL;
}

const char *lct_net_names_layer(const struct lct_net_names *n)
{
    while (n->layer == NULL)
        n = n->base;
    return n->layer;
}

/* Does 'name' end with 'end', as a whole or after a dot? */
static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);

    return n >= m && strcmp(name + n - m, end) == 0 &&
           (n == m || name[n - m - 1] == '.');
}

/* The first tensor whose name ends as that of this role, which is written to
   'end'; NULL if there is none. */
static const struct lct_weight *find_end(char end[LCT_NET_NAME],
                                         const struct lct_net_prefix *p,
                                         const struct lct_weights *w,
                                         enum lct_net_role role)
{
    const char *name = lct_net_names_of(p->names, role);
    const struct lct_weight *t;

    snprintf(end, LCT_NET_NAME, "%s.weight", name != NULL ? name : "");
    for (size_t i = 0; name != NULL && (t = lct_weights_at(w, i)) != NULL; i++)
        if (ends_with(t->name, end) &&
            strlen(t->name) - strlen(end) < sizeof(p->root))
            return t;
    return NULL;
}

bool lct_net_names_part(const struct lct_net_prefix *p,
                        const struct lct_weights *w)
{
    char end[LCT_NET_NAME];

    return find_end(end, p, w, LCT_EMBED) == NULL &&
           find_end(end, p, w, LCT_O) == NULL;
}

locant_status lct_net_names_begin(struct lct_net_prefix *p,
                                  const struct lct_weights *w, const char *file)
{
    char end[LCT_NET_NAME];
    const struct lct_weight *t = find_end(end, p, w, LCT_EMBED);

    p->weights = w;
    p->file = file;
    if (t == NULL)
        return locant_fail(LOCANT_ERR_FORMAT, "%s: there is no tensor %s", file,
                           end);
    snprintf(p->root, sizeof(p->root), "%.*s",
             (int)(strlen(t->name) - strlen(end)), t->name);
    return LOCANT_OK;
}

/* What is fused, split or stacked differs from file to file. */
static bool decides(enum lct_net_role role)
{
    return role < LCT_Q || role == LCT_Q_NORM || role == LCT_K_NORM ||
           role == LCT_GATE || role >= LCT_SHARED_GATE ||
           role == LCT_CORRECTION || role == LCT_GATE_UP;
}

const char *lct_net_names_role(const struct lct_net_prefix *p,
                               enum lct_net_role role)
{
    if (p->roles != NULL && decides(role) &&
        lct_net_names_of(p->roles, role) == NULL)
        return NULL;
    return lct_net_names_of(p->names, role);
}

int lct_net_names_stage(int64_t *within, const struct lct_net_prefix *p,
                        int64_t layer)
{
    int stage = 0;

    while (stage + 1 < p->n_stages && layer >= p->depths[stage])
        layer -= p->depths[stage++];
    *within = layer;
    return stage;
}

/* "encoder.layers.1.blocks.0." */
static int layer_begin(char out[LCT_NET_NAME], const struct lct_net_prefix *p,
                       int64_t layer)
{
    const char *name = lct_net_names_layer(p->names);
    const char *mark = strchr(name, '%');
    int64_t within;
    int stage;

    if (mark == NULL)
        return snprintf(out, LCT_NET_NAME, "%s%s%" PRId64 ".", p->root, name,
                        layer);
    stage = lct_net_names_stage(&within, p, layer);
    return snprintf(out, LCT_NET_NAME, "%s%.*s%d%s%" PRId64 ".", p->root,
                    (int)(mark - name), name, stage, mark + 2, within);
}

bool lct_net_names_full(char out[LCT_NET_NAME], const struct lct_net_prefix *p,
                        enum lct_net_role role, int64_t layer, int64_t expert,
                        const char *suffix)
{
    const char *name = lct_net_names_role(p, role);
    char before[LCT_NET_NAME] = "", number[32] = "";
    const char *mark;
    int n;

    if (name == NULL)
        return false;
    if (role >= LCT_NORM_ATTN) {
        n = layer_begin(before, p, layer);
        if (n < 0 || (size_t)n >= sizeof(before))
            return false;
    } else if (role < LCT_HEAD || role > LCT_HEAD_BIAS) {
        memcpy(before, p->root, sizeof(before));
    }
    mark = strchr(name, '%');
    if (mark == NULL)
        n = snprintf(out, LCT_NET_NAME, "%s%s%s", before, name, suffix);
    else {
        snprintf(number, sizeof(number), "%" PRId64, expert);
        n = snprintf(out, LCT_NET_NAME, "%s%.*s%s%s%s", before,
                     (int)(mark - name), name, number, mark + 2, suffix);
    }
    return n >= 0 && n < LCT_NET_NAME;
}
