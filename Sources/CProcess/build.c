/* What the binary was built from. A release build links an object that replaces this empty text
   (scripts/stamp-build.sh). So only linking depends on the commit, and no source is compiled again. */
#include "CProcess.h"

__attribute__((weak)) const char perfhud_build_text[64] = "";

const char *perfhud_build(void) { return perfhud_build_text; }
