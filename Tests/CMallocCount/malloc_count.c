#include "CMallocCount.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFHUD_SANITIZED 1
#endif
#endif

#ifdef PERFHUD_SANITIZED

uint64_t perfhud_malloc_count(void) { return 0; }
int64_t perfhud_malloc_bytes(void) { return 0; }
int perfhud_malloc_is_counted(void) { return 0; }

#else

/* glibc's own functions under the names that it keeps for replacements such as this one. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_valloc(size_t size);
extern void *__libc_pvalloc(size_t size);

/* The initial-exec model: a variable of the executable, reached without an allocation. */
static _Thread_local uint64_t calls __attribute__((tls_model("initial-exec")));

/* Taken minus freed by this thread: below zero where it frees what others took. */
static _Thread_local int64_t bytes_held __attribute__((tls_model("initial-exec")));

uint64_t perfhud_malloc_count(void) { return calls; }
int64_t perfhud_malloc_bytes(void) { return bytes_held; }
int perfhud_malloc_is_counted(void) { return 1; }

static void *count(void *block) {
  calls++;
  bytes_held += (int64_t)malloc_usable_size(block);
  return block;
}

void *malloc(size_t size) { return count(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return count(__libc_calloc(number, size)); }

void free(void *block) {
  bytes_held -= (int64_t)malloc_usable_size(block);
  __libc_free(block);
}

void *realloc(void *block, size_t size) {
  int64_t before = (int64_t)malloc_usable_size(block);
  void *result = __libc_realloc(block, size);
  if (result != NULL || size == 0) bytes_held -= before;
  return count(result);
}

void *reallocarray(void *block, size_t number, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(number, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, bytes);
}

void *memalign(size_t alignment, size_t size) { return count(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) {
  return count(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  int error = errno;
  void *result = count(__libc_memalign(alignment, size));
  errno = error;
  if (result == NULL) return ENOMEM;
  *block = result;
  return 0;
}

void *valloc(size_t size) { return count(__libc_valloc(size)); }

void *pvalloc(size_t size) { return count(__libc_pvalloc(size)); }

#endif
