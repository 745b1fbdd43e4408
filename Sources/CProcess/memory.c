/* Releases the memory of code that only the start of perfhud needed, once something is on the screen. */
#define _GNU_SOURCE
#include "CProcess.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Defined by the linker: the first byte of the executable, and the first byte after its code. */
extern const char __executable_start[], etext[];

void perfhud_release_startup_code(void) {
  const uintptr_t mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
  const uintptr_t start = (uintptr_t)__executable_start & mask;
  /* The last page may be shared with data. */
  madvise((void *)start, ((uintptr_t)etext & mask) - start, MADV_DONTNEED);
}
