/* Writes a file, or so many bytes of it, to its terminal as fast as that takes it.

   writer SOCKET FILE [BYTES]

   SOCKET belongs to terminal.c: the writer says there that it is ready, waits for the signal to
   begin, and stays until the other side closes. Behind the file it puts the terminal in order and
   writes a `~` into line 20, which is in none of the files and so marks the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

static int put(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t done = write(STDOUT_FILENO, bytes, count < BLOCK ? count : BLOCK);
    if (done < 0 && errno != EINTR) return 0;
    if (done > 0) {
      bytes += done;
      count -= (size_t)done;
    }
  }
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: writer SOCKET FILE [BYTES]\n");
    return 64;
  }
  struct stat file;
  int data = open(argv[2], O_RDONLY | O_CLOEXEC);
  if (data < 0 || fstat(data, &file) != 0) {
    perror(argv[2]);
    return 1;
  }
  size_t size = (size_t)file.st_size, part = argc > 3 ? (size_t)atoll(argv[3]) : size;
  if (part < size) size = part;
  char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, data, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  int control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bytes == MAP_FAILED || connect(control, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(argv[1]);
    return 1;
  }
  static const char clear[] = "\033[H\033[2J";
  static const char mark[] = "\033[?2026l\033[?6l\033[r\033[0m\033[20;1H\033[2K~";
  char word = 'r';
  if (!put(clear, sizeof clear - 1) || write(control, &word, 1) != 1) return 1;
  if (read(control, &word, 1) != 1) return 1;
  if (!put(bytes, size) || !put(mark, sizeof mark - 1)) return 1;
  while (read(control, &word, 1) > 0) {
  }
  return 0;
}
