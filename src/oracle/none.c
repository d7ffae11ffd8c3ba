/*
 * none.c - no encoding (Haviv et al. 2022, arXiv:2203.16634v2; Kazemnejad et
 * al. 2023, arXiv:2305.19466v2): scores are scale <q, k>, as for any oracle
 * without functions.
 */
#include "oracle.h"

static const struct oracle_spec specs[] = { { .text = "none" }, { 0 } };

const struct oracle none_oracle = { .name = "none", .specs = specs };
