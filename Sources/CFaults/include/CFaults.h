#pragma once

/// A library to be preloaded into any program (LD_PRELOAD): it counts and logs what the program does to
/// files, and can kill it, or let a call fail, at a chosen point. It exports nothing but the C
/// library's own names.
