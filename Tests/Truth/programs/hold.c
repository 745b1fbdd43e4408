/* hold MIB: touches that much memory once and ends. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20;
  char *memory = malloc(size);
  if (!memory) return 1;
  memset(memory, 1, size);
  return memory[size - 1] - 1;
}
