#include "frames.h"

uint32_t read_u32(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void append_u32(struct buffer *out, uint32_t number) {
  unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8), (unsigned char)(number >> 16),
                            (unsigned char)(number >> 24)};
  buffer_append(out, bytes, sizeof bytes);
}

void append_u64(struct buffer *out, uint64_t number) {
  append_u32(out, (uint32_t)number);
  append_u32(out, (uint32_t)(number >> 32));
}

void frame_begin(struct buffer *out, unsigned char type, uint32_t process, size_t length) {
  append_u32(out, (uint32_t)(FRAME_HEAD - 4 + length));
  buffer_append(out, &type, 1);
  append_u32(out, process);
}
