#include "CMasks.h"
