#ifndef SVC_JOBS_H
#define SVC_JOBS_H

#include <stdbool.h>

#include "buffer.h"
#include "spawner.h"

/* Bytes that the agent has not accepted yet; above it no pipe is read. */
#define PENDING_LIMIT (256u << 10)

struct job {
  uint32_t id;
  pid_t keeper;
  pid_t leader;
  int control;
  int pipes[2]; /* -1 once at their end */
  int given;    /* our end of the socket of a prepared process, or -1 */
  bool paused;
  int owed[2];    /* bytes of each pipe to pass on before the answers to SYNC */
  uint32_t syncs; /* answers to SYNC that are due */
  bool kept; /* the keeper lives */
  bool gone; /* and has nothing left to kill */
  struct note end;
  struct job *next;
};

extern struct job *jobs;
extern struct buffer pending; /* frames for the agent */
extern size_t pending_sent;   /* of them, bytes already written */
extern bool closing;          /* the agent is gone */
extern bool orphans;          /* a keeper was killed: what it kept is ours now */

void shut(int *descriptor);
bool full(void);
void report_failure(uint32_t id, int stage, int error);
/* Starts the keeper and the process; answers errno on failure. */
int launch(uint32_t id, const struct order *order);
/* Reads the keeper's messages, and its end. */
void take_notes(struct job *job);
/* Passes one chunk of a pipe on. Answers whether more may be available at once. */
bool take_output(struct job *job, int stream);
/* Passes on what a prepared process said. */
void take_said(struct job *job);
/* Answers SYNC once what the pipes hold now was passed on. */
void sync_output(struct job *job);
/* When nothing of the process is left and the pipes are empty: reports the end. Answers whether it did. */
bool finish(struct job *job);
int is_keeper(pid_t pid);

#endif
