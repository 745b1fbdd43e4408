#ifndef PERFHUD_CMALLOCCOUNT_H
#define PERFHUD_CMALLOCCOUNT_H
/* Counts allocations, so that a test can hold a path to "allocates nothing". Linking this target
   replaces malloc and its relatives by ones that count and hand on to glibc. */
#include <stdint.h>

/* How often the calling thread has called malloc, calloc, realloc, reallocarray, posix_memalign,
   aligned_alloc, memalign, valloc or pvalloc. Always 0 under the address and thread sanitizers. */
uint64_t perfhud_malloc_count(void);

/* How many bytes the calling thread has asked them for; what was freed is not taken off. */
uint64_t perfhud_malloc_bytes(void);

/* Whether allocations are counted: not under the address and thread sanitizers, which replace
   malloc themselves. A test of allocations is meaningless without it. */
int perfhud_malloc_is_counted(void);

#endif
