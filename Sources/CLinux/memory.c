#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads a decimal number and the blank after it. Returns 0 if there is none. */
static int take_number(const char **text, uint64_t *number) {
  const char *start = *text;
  *number = 0;
  while (**text >= '0' && **text <= '9') *number = 10 * *number + (uint64_t)(*(*text)++ - '0');
  return *text > start && *(*text)++ == ' ';
}

int perfhud_read_own_memory(struct perfhud_own_memory *memory, pid_t own) {
  /* /proc/self is resolved when the file is opened, so a child of fork must open its own. */
  if (memory->owner != own) {
    if (memory->owner != 0 && memory->descriptor >= 0) close(memory->descriptor);
    memory->descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    memory->owner = own;
  }
  char text[128];
  ssize_t length = pread(memory->descriptor, text, sizeof text - 1, 0);
  if (length <= 0) return -1;
  text[length] = 0;
  const char *rest = text;
  uint64_t size, resident, shared;
  if (!take_number(&rest, &size) || !take_number(&rest, &resident) || !take_number(&rest, &shared) ||
      resident < shared)
    return -1;
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return -1;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  memory->resident_bytes = resident * page;
  memory->anonymous_bytes = (resident - shared) * page;
  memory->faulted_bytes = (uint64_t)usage.ru_minflt * page;
  return 0;
}
