#ifndef SVC_BUFFER_H
#define SVC_BUFFER_H

#include <stddef.h>

/* A growing byte buffer. All-zero means empty. When memory runs out, the program exits with code 1. */
struct buffer {
  unsigned char *bytes;
  size_t length;
  size_t capacity;
};

void buffer_reserve(struct buffer *buffer, size_t more);
void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_number(struct buffer *buffer, long long number);
/* Removes the first `length` bytes. */
void buffer_drop(struct buffer *buffer, size_t length);
void buffer_free(struct buffer *buffer);

/* The characters of base64 for `length` bytes, appended. */
void base64_append(struct buffer *out, const unsigned char *bytes, size_t length);
/* Appends the bytes of canonical base64; -1 for anything else. */
int base64_decode(struct buffer *out, const unsigned char *text, size_t length);

/* Zeroed memory for `count` items of `size` bytes. */
void *take(size_t count, size_t size);

#endif
