#pragma once

/// Linking this makes the process zero what it frees: text and arrays that a language releases without
/// wiping them. SQLCipher's own frees are left as they are; they are its user's affair.
void wiping_free_begin(void);

/// Overwrites the stacks of this thread and of all that wait, where finished calls left what they held.
/// Only for a process in which nothing else goes on: a thread that wakes up meanwhile is lost.
void wiping_free_clear_stacks(void);

/// From now on nothing that is freed is used again or touched: whoever looks at the memory later sees
/// all that its owner did not wipe. For tests; memory only grows.
void wiping_free_keep(void);
