/*
 * Starts the processes of one agent, so that the large agent process never forks. It kills them all when the agent
 * ends, even by SIGKILL: then our stdin is closed. Frames (frames.h) on stdin and stdout.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frames.h"
#include "jobs.h"
#include "spawner.h"

/* Descriptors of a job that are looked at: messages, what it says, output. */
#define WATCHED 4

static struct buffer requests;

static void close_down(void) {
  closing = true;
  pending.length = pending_sent = 0;
  for (struct job *job = jobs; job; job = job->next) {
    /* The keeper kills everything and exits; this waits for it. */
    shutdown(job->control, SHUT_WR);
    shut(&job->pipes[0]);
    shut(&job->pipes[1]);
  }
}

/* Strings of a SPAWN frame; -1 when their number is wrong. */
static int take_strings(char **at, const char *end, char **strings, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (*at >= end) return -1;
    strings[i] = *at;
    *at += strlen(*at) + 1;
  }
  return 0;
}

static int spawn(uint32_t id, unsigned char *payload, size_t length, bool prepared) {
  struct order order = {.prepared = prepared};
  if (length < 18 || payload[length - 1] != 0) return -1;
  uint32_t argc = read_u32(payload), envc = read_u32(payload + 4);
  if (argc < 1 || argc > length || envc > length) return -1;
  order.user = read_u32(payload + 8);
  order.group = read_u32(payload + 12);
  char *at = (char *)payload + 16, *end = (char *)payload + length;
  order.argv = take(argc + 1, sizeof *order.argv);
  order.environment = take(envc + 1, sizeof *order.environment);
  int failed = take_strings(&at, end, &order.cwd, 1) || take_strings(&at, end, order.argv, argc) ||
               take_strings(&at, end, order.environment, envc) || at != end;
  int error = failed ? 0 : launch(id, &order);
  free(order.argv);
  free(order.environment);
  if (error) report_failure(id, STAGE_PREPARE, error);
  return failed ? -1 : 0;
}

/* A process that gets less than all of it must not go on. */
static void give(struct job *job, const unsigned char *bytes, size_t length) {
  if (job->given < 0) return;
  ssize_t sent = send(job->given, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 || (size_t)sent != length) shutdown(job->given, SHUT_WR);
}

static int request(unsigned char type, uint32_t id, unsigned char *payload, size_t length) {
  struct job *job = jobs;
  if (type == FRAME_SPAWN || type == FRAME_PREPARE) return spawn(id, payload, length, type == FRAME_PREPARE);
  while (job && job->id != id) job = job->next;
  if (type == FRAME_KILL) {
    if (length != 4) return -1;
    int32_t number = (int32_t)read_u32(payload);
    if (job && job->kept) send(job->control, &number, sizeof number, MSG_NOSIGNAL | MSG_DONTWAIT);
    return 0;
  }
  if (type == FRAME_SYNC) {
    /* Of a process that has ended everything was passed on. */
    if (job) sync_output(job);
    return 0;
  }
  if (type == FRAME_GIVE) {
    if (job) give(job, payload, length);
    return 0;
  }
  if (type != FRAME_PAUSE && type != FRAME_RESUME) return -1;
  if (job) job->paused = type == FRAME_PAUSE;
  return 0;
}

static void take_requests(void) {
  buffer_reserve(&requests, 65536);
  ssize_t got = read(0, requests.bytes + requests.length, requests.capacity - requests.length);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close_down();
  if (got <= 0) return;
  requests.length += (size_t)got;
  size_t at = 0;
  while (!closing && requests.length - at >= FRAME_HEAD) {
    unsigned char *frame = requests.bytes + at;
    size_t length = read_u32(frame);
    if (length < FRAME_HEAD - 4 || length > FRAME_LIMIT) close_down();
    if (closing || requests.length - at < length + 4) break;
    if (request(frame[4], read_u32(frame + 5), frame + FRAME_HEAD, length + 4 - FRAME_HEAD)) close_down();
    at += length + 4;
  }
  buffer_drop(&requests, at);
  if (requests.length == 0 && requests.capacity > 1u << 20) buffer_free(&requests);
}

static void send_pending(void) {
  ssize_t sent = write(1, pending.bytes + pending_sent, pending.length - pending_sent);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) close_down();
  if (sent > 0) pending_sent += (size_t)sent;
  if (pending_sent == pending.length) pending.length = pending_sent = 0;
  if (pending_sent > PENDING_LIMIT / 2) {
    buffer_drop(&pending, pending_sent);
    pending_sent = 0;
  }
}

static void reap(int ended) {
  struct signalfd_siginfo drained[8];
  if (read(ended, drained, sizeof drained) < 0 && errno != EAGAIN && errno != EINTR) exit(1);
  siginfo_t info = {0};
  /* Messages first: they tell whether the group of a killed keeper must still be killed. */
  for (struct job *job = jobs; job; job = job->next)
    if (job->control >= 0) take_notes(job);
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid) info = (siginfo_t){0};
}

static void finish_all(void) {
  for (struct job **link = &jobs; *link;) {
    struct job *job = *link;
    if (!finish(job)) {
      link = &job->next;
      continue;
    }
    *link = job->next;
    shut(&job->control);
    free(job);
  }
}

static size_t watch(struct pollfd *wanted, int ended) {
  size_t count = 0;
  bool reading = !full();
  wanted[count++] = (struct pollfd){closing ? -1 : 0, POLLIN, 0};
  wanted[count++] = (struct pollfd){pending.length > pending_sent ? 1 : -1, POLLOUT, 0};
  wanted[count++] = (struct pollfd){ended, POLLIN, 0};
  for (struct job *job = jobs; job; job = job->next) {
    wanted[count++] = (struct pollfd){job->control, POLLIN, 0};
    wanted[count++] = (struct pollfd){job->given, POLLIN, 0};
    for (int stream = 0; stream < 2; stream++)
      wanted[count++] = (struct pollfd){reading && !job->paused ? job->pipes[stream] : -1, POLLIN, 0};
  }
  return count;
}

static void serve(const struct pollfd *wanted, int ended) {
  const struct pollfd *at = wanted + 3;
  /* Messages before output: a process has started before it prints. */
  for (struct job *job = jobs; job; job = job->next, at += WATCHED) {
    if (at[1].revents && job->given >= 0) take_said(job);
    if (at[0].revents && job->control >= 0) take_notes(job);
  }
  at = wanted + 3;
  for (struct job *job = jobs; job; job = job->next, at += WATCHED)
    for (int stream = 0; stream < 2; stream++)
      if (at[stream + 2].revents && job->pipes[stream] >= 0 && !full()) {
        /* What it said before it printed. */
        if (job->given >= 0) take_said(job);
        take_output(job, stream);
      }
  if (wanted[2].revents) reap(ended);
  if (wanted[0].revents) take_requests();
  if (!closing && pending.length > pending_sent) send_pending();
}

static int prepare(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (chdir("/")) return -1;
  close_from(3);
  sigemptyset(&all);
  sigaddset(&all, SIGCHLD);
  fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
  fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
  return signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(void) {
  size_t room = 0;
  struct pollfd *wanted = NULL;
  int ended = prepare();
  if (ended < 0) return 1;
  frame_begin(&pending, FRAME_HELLO, 0, 4);
  append_u32(&pending, FRAME_VERSION);
  while (!closing || jobs || orphans) {
    size_t count = 3;
    for (struct job *job = jobs; job; job = job->next) count += WATCHED;
    if (count > room) {
      free(wanted);
      wanted = take(room = count * 2, sizeof *wanted);
    }
    count = watch(wanted, ended);
    if (poll(wanted, count, orphans ? 20 : -1) > 0) serve(wanted, ended);
    if (orphans) orphans = kill_children(is_keeper) > 0;
    finish_all();
  }
  return 0;
}
