#include "CMallocCount.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFHUD_SANITIZED 1
#endif
#endif

#ifdef PERFHUD_SANITIZED

uint64_t perfhud_malloc_count(void) { return 0; }
uint64_t perfhud_malloc_bytes(void) { return 0; }
int perfhud_malloc_is_counted(void) { return 0; }

#else

/* glibc's own functions under the names that it keeps for replacements such as this one. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_valloc(size_t size);
extern void *__libc_pvalloc(size_t size);

/* The initial-exec model: a variable of the executable, reached without an allocation. */
static _Thread_local uint64_t calls __attribute__((tls_model("initial-exec")));

static _Thread_local uint64_t bytes_asked __attribute__((tls_model("initial-exec")));

uint64_t perfhud_malloc_count(void) { return calls; }
uint64_t perfhud_malloc_bytes(void) { return bytes_asked; }
int perfhud_malloc_is_counted(void) { return 1; }

void *malloc(size_t size) {
  calls++;
  bytes_asked += size;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  calls++;
  bytes_asked += count * size;
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  calls++;
  bytes_asked += size;
  return __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  calls++;
  bytes_asked += bytes;
  return __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t size) {
  calls++;
  bytes_asked += size;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  calls++;
  bytes_asked += size;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  calls++;
  bytes_asked += size;
  int error = errno;
  void *result = __libc_memalign(alignment, size);
  errno = error;
  if (result == NULL) return ENOMEM;
  *block = result;
  return 0;
}

void *valloc(size_t size) {
  calls++;
  bytes_asked += size;
  return __libc_valloc(size);
}

void *pvalloc(size_t size) {
  calls++;
  bytes_asked += size;
  return __libc_pvalloc(size);
}

#endif
