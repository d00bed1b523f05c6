#ifndef SVC_SPAWNER_H
#define SVC_SPAWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Messages of a keeper to the spawner. A signal number goes the other way as one int32. */
enum { NOTE_STARTED = 1, NOTE_FAILED = 2, NOTE_ENDED = 3, NOTE_GONE = 4 };

struct note {
  int32_t kind;
  int32_t a; /* pid, stage or exit code (-1 after a signal) */
  int32_t b; /* -, errno or signal */
};

/* The stage at which a start failed. */
enum { STAGE_PREPARE = 1, STAGE_DIRECTORY = 2, STAGE_PROGRAM = 3 };

struct order {
  char **argv;
  char **environment;
  char *cwd;
  bool prepared; /* it gets GIVEN_DESCRIPTOR */
  uint32_t user, group; /* AS_THE_SPAWNER or others */
};

/* High, so that the process numbers its own descriptors as if it were not there. */
#define GIVEN_DESCRIPTOR 100

/*
 * Becomes the keeper of one process: starts it in its own session and passes signals to its group. When it has ended,
 * or `control` was closed, it kills everything left behind, including daemons. `given` is the socket of a prepared
 * process. Never returns.
 */
_Noreturn void keep(const struct order *order, int control, int out, int err, int given);

/* Sends SIGKILL to every child of this process for which `spare` answers 0. Answers their number, including zombies. */
int kill_children(int (*spare)(pid_t));

/* Closes all descriptors from `first` on. */
void close_from(int first);

#endif
