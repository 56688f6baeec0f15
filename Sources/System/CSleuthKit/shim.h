#pragma once
#include <signal.h>
#include <sys/prctl.h>
#include <tsk/libtsk.h>

/// Ends this process with its parent, and leaves it no rights but those it has. Swift sees no variadic
/// functions.
static inline void vestige_stay_below(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
