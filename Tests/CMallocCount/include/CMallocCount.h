#ifndef PERFHUD_CMALLOCCOUNT_H
#define PERFHUD_CMALLOCCOUNT_H
/* Counts allocations, so that a test can hold a path to "allocates nothing". Linking this target
   replaces malloc, free and their relatives by ones that count and hand on to glibc. */
#include <stdint.h>

/* How often the calling thread has called malloc, calloc, realloc, reallocarray, posix_memalign,
   aligned_alloc, memalign, valloc or pvalloc. Always 0 under the address and thread sanitizers. */
uint64_t perfhud_malloc_count(void);

/* The bytes that the calling thread took from them, without those that it freed; below zero if it freed more than it
   took. As malloc_usable_size(3) has them. */
int64_t perfhud_malloc_bytes(void);

/* Whether allocations are counted: not under the address and thread sanitizers, which replace
   malloc themselves. A test of allocations is meaningless without it. */
int perfhud_malloc_is_counted(void);

#endif
