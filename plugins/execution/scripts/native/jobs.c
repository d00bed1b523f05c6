#define _GNU_SOURCE
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frames.h"

#define CHUNK 32768

struct job *jobs;
struct buffer pending;
size_t pending_sent;
bool closing, orphans;

void shut(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

void report_failure(uint32_t id, int stage, int error) {
  frame_begin(&pending, FRAME_FAILED, id, 8);
  append_u32(&pending, (uint32_t)stage);
  append_u32(&pending, (uint32_t)error);
}

static void report_start(const struct job *job) {
  struct stat status;
  frame_begin(&pending, FRAME_STARTED, job->id, 36);
  append_u32(&pending, (uint32_t)job->leader);
  for (int i = 0; i < 2; i++) {
    memset(&status, 0, sizeof status);
    fstat(job->pipes[i], &status);
    append_u64(&pending, (uint64_t)status.st_dev);
    append_u64(&pending, (uint64_t)status.st_ino);
  }
}

static void report_end(const struct job *job) {
  if (job->end.kind == NOTE_FAILED) {
    report_failure(job->id, job->end.a, job->end.b);
    return;
  }
  /* A keeper that was killed told nothing, and what the process made of it is no outcome of the process. */
  if (job->end.kind != NOTE_ENDED) {
    frame_begin(&pending, FRAME_LOST, job->id, 0);
    return;
  }
  frame_begin(&pending, FRAME_EXIT, job->id, 8);
  append_u32(&pending, (uint32_t)job->end.a);
  append_u32(&pending, (uint32_t)job->end.b);
}

int launch(uint32_t id, const struct order *order) {
  int out[2] = {-1, -1}, err[2] = {-1, -1}, control[2] = {-1, -1}, given[2] = {-1, -1}, error = 0;
  struct job *job = take(1, sizeof *job);
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control))
    error = errno;
  if (!error && order->prepared && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, given)) error = errno;
  if (!error && (fcntl(out[0], F_SETFL, O_NONBLOCK) || fcntl(err[0], F_SETFL, O_NONBLOCK))) error = errno;
  if (!error) {
    job->keeper = fork();
    if (job->keeper == 0) keep(order, control[1], out[1], err[1], given[1]);
    if (job->keeper < 0) error = errno;
  }
  shut(&out[1]);
  shut(&err[1]);
  shut(&control[1]);
  shut(&given[1]);
  if (error) {
    shut(&out[0]);
    shut(&err[0]);
    shut(&control[0]);
    shut(&given[0]);
    free(job);
    return error;
  }
  job->id = id;
  job->control = control[0];
  job->pipes[0] = out[0];
  job->pipes[1] = err[0];
  job->given = given[0];
  job->kept = true;
  job->next = jobs;
  jobs = job;
  return 0;
}

bool full(void) {
  return pending.length - pending_sent >= PENDING_LIMIT;
}

static void report_synced(struct job *job) {
  if (job->owed[0] > 0 || job->owed[1] > 0) return;
  for (; job->syncs > 0; job->syncs--) frame_begin(&pending, FRAME_SYNCED, job->id, 0);
}

static void settle(struct job *job, int stream, int passed_on) {
  job->owed[stream] = job->owed[stream] > passed_on ? job->owed[stream] - passed_on : 0;
  report_synced(job);
}

void sync_output(struct job *job) {
  for (int stream = 0; stream < 2; stream++) {
    int held = 0;
    if (job->pipes[stream] >= 0 && ioctl(job->pipes[stream], FIONREAD, &held) == 0) job->owed[stream] = held;
  }
  job->syncs++;
  report_synced(job);
}

/* Passes one chunk on. Answers whether more may be available at once. */
bool take_output(struct job *job, int stream) {
  unsigned char chunk[CHUNK], number = (unsigned char)(stream + 1);
  ssize_t got = read(job->pipes[stream], chunk, sizeof chunk);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
  if (got <= 0) {
    shut(&job->pipes[stream]);
    settle(job, stream, job->owed[stream]);
    return false;
  }
  frame_begin(&pending, FRAME_OUTPUT, job->id, (size_t)got + 1);
  buffer_append(&pending, &number, 1);
  buffer_append(&pending, chunk, (size_t)got);
  settle(job, stream, (int)got);
  return true;
}

void take_said(struct job *job) {
  unsigned char said[256];
  for (;;) {
    ssize_t got = recv(job->given, said, sizeof said, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) break;
    frame_begin(&pending, FRAME_SAID, job->id, (size_t)got);
    buffer_append(&pending, said, (size_t)got);
  }
  shut(&job->given);
}

void take_notes(struct job *job) {
  struct note note;
  for (;;) {
    ssize_t got = recv(job->control, &note, sizeof note, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got != sizeof note) break;
    if (note.kind == NOTE_STARTED) {
      job->leader = note.a;
      report_start(job);
    } else if (note.kind == NOTE_GONE) {
      job->gone = true;
    } else {
      job->end = note;
    }
  }
  job->kept = false;
  shut(&job->control);
  if (job->end.kind) return;
  /* The keeper was killed. Its process became our child, so its pid is still valid. */
  if (job->leader) kill(-job->leader, SIGKILL);
  while (waitpid(job->keeper, NULL, 0) < 0 && errno == EINTR) continue;
  orphans = true;
}

int is_keeper(pid_t pid) {
  for (struct job *job = jobs; job; job = job->next)
    if (job->kept && job->keeper == pid) return 1;
  return 0;
}

/* Every writer that could be killed is dead: the pipes now hold everything there will be. */
bool finish(struct job *job) {
  if ((job->kept && !job->gone) || (!closing && job->paused)) return false;
  /* What it said before it printed: nobody may have looked since. */
  if (job->given >= 0) take_said(job);
  shut(&job->given);
  for (int stream = 0; stream < 2; stream++) {
    while (job->pipes[stream] >= 0) {
      if (full()) return false;
      if (!take_output(job, stream)) shut(&job->pipes[stream]);
    }
  }
  if (!closing) report_end(job);
  return true;
}
