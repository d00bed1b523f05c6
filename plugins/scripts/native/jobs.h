#ifndef SVC_JOBS_H
#define SVC_JOBS_H

#include <stdbool.h>

#include "buffer.h"
#include "spawner.h"

/* Bytes that the agent has not taken yet; beyond it no pipe is read. */
#define PENDING_LIMIT (256u << 10)

struct job {
  uint32_t id;
  pid_t keeper;
  pid_t leader;
  int control;
  int pipes[2]; /* -1 once at their end */
  bool paused;
  bool kept; /* the keeper lives */
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
/* Starts keeper and process; errno when there is no way. */
int launch(uint32_t id, const struct order *order);
/* Reads what the keeper says, its end included. */
void take_notes(struct job *job);
/* Passes one chunk of a pipe on. Answers whether there may be more at once. */
bool take_output(struct job *job, int stream);
/* Once the keeper is gone and the pipes are drained: reports the end. Answers whether it did. */
bool finish(struct job *job);
int is_keeper(pid_t pid);

#endif
