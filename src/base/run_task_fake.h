// The old name of base/run_task.h.
#pragma once

#include "base/run_task.h"
