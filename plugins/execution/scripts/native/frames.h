#ifndef SVC_FRAMES_H
#define SVC_FRAMES_H

#include <stdint.h>

#include "buffer.h"

/*
 * Frames between agent and spawner, both ways: u32 length of what follows, u8 type, u32 process, payload; all numbers
 * little-endian. The same stands in frames.ts and spawner.mjs.
 *
 *   agent → spawner                                   spawner → agent
 *   SPAWN   u32 argc, envc, user, group, then with a  HELLO    u32 version
 *           NUL each: directory, arguments,           STARTED  i32 pid, u64 dev, ino of stdout, u64 dev, ino of stderr
 *           NAME=value
 *   KILL    i32 signal                                OUTPUT   u8 1 stdout 2 stderr, bytes
 *   PAUSE                                             EXIT     i32 code (-1 after a signal), i32 signal
 *   RESUME                                            FAILED   i32 stage, i32 errno
 *   SYNC                                              SYNCED
 *   PREPARE as SPAWN                                  SAID     bytes
 *   GIVE    bytes                                     LOST
 *
 * User and group are AS_THE_SPAWNER where the process is to have those of the spawner, and only a spawner that is root can give others.
 * PREPARE starts a process that also has one end of a socket, GIVEN_DESCRIPTOR: GIVE writes to the other end, SAID is
 * what was read there. All that it said comes before its EXIT. A GIVE that the socket does not take whole closes it.
 * LOST in place of EXIT: its keeper was killed, so the process was killed too and nobody knows how it would have ended.
 * SYNCED follows the output that the process had written when SYNC was read. EXIT, FAILED and LOST are the last of their process. An end of the request stream kills everything.
 */
enum { FRAME_SPAWN = 1, FRAME_KILL = 2, FRAME_PAUSE = 3, FRAME_RESUME = 4, FRAME_SYNC = 5, FRAME_PREPARE = 6, FRAME_GIVE = 7 };
enum { FRAME_HELLO = 1, FRAME_STARTED = 2, FRAME_OUTPUT = 3, FRAME_EXIT = 4, FRAME_FAILED = 5, FRAME_SYNCED = 6, FRAME_SAID = 7, FRAME_LOST = 8 };

#define FRAME_VERSION 4
#define FRAME_HEAD 9
#define AS_THE_SPAWNER 0xffffffffu
#define FRAME_LIMIT (64u << 20)

uint32_t read_u32(const unsigned char *at);
void append_u32(struct buffer *out, uint32_t number);
void append_u64(struct buffer *out, uint64_t number);
/* Begins a frame. The caller then appends its payload of `length` bytes. */
void frame_begin(struct buffer *out, unsigned char type, uint32_t process, size_t length);

#endif
