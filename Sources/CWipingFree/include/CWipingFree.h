#pragma once

/// Linking this makes the process zero what it frees: text and arrays that a language releases without
/// wiping them. SQLCipher's own frees are left as they are; they are its user's affair.
void wiping_free_begin(void);

/// Overwrites the stack below the caller, where finished calls left what they held.
void wiping_free_clear_stack(void);
