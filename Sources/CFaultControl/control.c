#define _GNU_SOURCE
#include "CFaultControl.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(struct fault_control) <= FAULT_CONTROL_SIZE, "the page is too small");

static void become(char *const arguments[], char *const environment[], const char *folder,
                   int input, int output, int errors) {
  dup2(input, 0);
  dup2(output, 1);
  dup2(errors, 2);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  struct rlimit core;
  if (getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = core.rlim_max;
    setrlimit(RLIMIT_CORE, &core);
  }
  if (chdir(folder) == 0) execvpe(arguments[0], arguments, environment);
  _exit(127);
}

int fault_spawn(char *const arguments[], char *const environment[], const char *folder,
                const char *error_path, int *input, int *output) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) return -errno;
  if (pipe2(out, O_CLOEXEC) != 0) return -errno;
  int errors = open(error_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (errors < 0) return -errno;
  // The child borrows this program's memory until it becomes the other one: a copy of the page tables
  // of a process that holds a recording costs more than the driver's own start. The program has
  // threads: until then only what is safe for signals is called, and no variable of it is changed.
  pid_t child = vfork();
  if (child == 0) become(arguments, environment, folder, in[0], out[1], errors);
  int error = errno;
  close(in[0]);
  close(out[1]);
  close(errors);
  if (child < 0) {
    close(in[1]);
    close(out[0]);
    return -error;
  }
  *input = in[1];
  *output = out[0];
  return child;
}
