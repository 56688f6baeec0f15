#pragma once
#include "CFaultControl.h"
#include <stddef.h>
#include <sys/types.h>

/// What is to be done with one change.
enum verdict { PASS, REFUSE, FORGET, HALF, HALF_AND_KILL, PASS_AND_KILL };

/// One change, before it is made.
struct change {
  int kind;
  const char *path;
  const char *other;
  long long offset;
  const void *bytes;
  size_t count;
  uint32_t number;
};

/// The page, or null where nobody drives.
struct fault_control *faults_control(void);

/// Takes the turn: one change after the other, so that the log has their order. Kills where that is
/// the plan; sets errno where the verdict is to refuse.
enum verdict faults_begin(struct change *change);

/// Notes what was done, and gives the turn back. `done` is how many bytes of a write were.
void faults_end(struct change *change, enum verdict verdict, int succeeded, size_t done);

/// Whether changes are watched at all.
int faults_watching(void);

/// The path of an open regular file or folder; 0 if it is neither.
int faults_path_of(int descriptor, char *path, int *is_folder);

/// A path as the system sees it, from the folder `at`.
void faults_absolute(int at, const char *name, char *path);

/// The C library's own function of this name.
void *faults_real(const char *name);

#define PATH_ROOM 4400
