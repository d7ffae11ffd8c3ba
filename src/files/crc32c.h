/* crc32c.h - CRC-32C (Castagnoli), as iSCSI and ext4 use it */
#ifndef LCT_CRC32C_H
#define LCT_CRC32C_H
#include <stddef.h>
#include <stdint.h>

/* The CRC of 'size' more bytes, continued from 'crc'; begin with 0. */
uint32_t lct_crc32c(uint32_t crc, const void *bytes, size_t size);
#endif
