#ifndef CFOUNDATION_H
#define CFOUNDATION_H

/* Nothing is imported from here: foundation.c defines symbols for the linker. */

#endif
