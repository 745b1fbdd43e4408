/* A program that reports what it does:
     cc -Iclients -o phases examples/phases.c && perfhud -- ./phases
   Without a perfhud the calls do nothing. */
#define PERFHUD_IMPLEMENTATION
#include "perfhud.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 200000 };

static int compare(const void *a, const void *b) {
  return (*(const unsigned *)a > *(const unsigned *)b) - (*(const unsigned *)a < *(const unsigned *)b);
}

int main(void) {
  perfhud_phase("read", NULL, "blue");
  unsigned *records = malloc(RECORDS * sizeof *records);
  if (records == NULL) return 1;
  unsigned state = 1;
  for (int i = 0; i < RECORDS; i++) {
    state = state * 1664525u + 1013904223u;
    records[i] = state;
    if (i % (RECORDS / 10) == 0) perfhud_loading("records", (double)i / RECORDS);
  }
  perfhud_loading_done();

  perfhud_phase("sort", NULL, "orange");
  qsort(records, RECORDS, sizeof *records, compare);
  perfhud_action_with("sort", 1, "all records");

  perfhud_phase("report", NULL, "green");
  perfhud_value("records", RECORDS, NULL);
  printf("least %u, greatest %u\n", records[0], records[RECORDS - 1]);
  free(records);
  perfhud_flush();
  return 0;
}
