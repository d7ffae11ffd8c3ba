/* crc32c.h - CRC-32C (Castagnoli), as iSCSI and ext4 use it */
#ifndef LCT_CRC32C_H
#define LCT_CRC32C_H
#include <stddef.h>
#include <stdint.h>

/* CRC of 'size' bytes, continued from 'crc', which is 0 at first. */
uint32_t lct_crc32c(uint32_t crc, const void *bytes, size_t size);
#endif
