/*
 * For the tests: a prepared process has taken its pass, printed and ended before the spawner looked. Prints the types of
 * the frames that the agent gets, in order.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../frames.h"
#include "../jobs.h"

int main(void) {
  int out[2], given[2];
  if (pipe(out) || socketpair(AF_UNIX, SOCK_STREAM, 0, given)) return 1;
  struct job job = {.id = 1, .control = -1, .pipes = {out[0], -1}, .given = given[0], .end = {NOTE_ENDED, 0, 0}};
  if (write(given[1], "t", 1) != 1 || write(out[1], "printed", 7) != 7) return 1;
  close(given[1]);
  close(out[1]);
  if (!finish(&job)) return 1;
  for (size_t at = 0; at < pending.length; at += read_u32(pending.bytes + at) + 4) printf("%d ", pending.bytes[at + 4]);
  return 0;
}
