#include "buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void) {
  static const char text[] = "svc: out of memory\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(1);
  _exit(1);
}

void *take(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) out_of_memory();
  return memory;
}

void buffer_reserve(struct buffer *buffer, size_t more) {
  if (more > SIZE_MAX / 2 - buffer->length) out_of_memory();
  size_t need = buffer->length + more;
  if (need <= buffer->capacity) return;
  size_t capacity = buffer->capacity ? buffer->capacity * 2 : 1024;
  if (capacity < need) capacity = need;
  unsigned char *bytes = realloc(buffer->bytes, capacity);
  if (!bytes) out_of_memory();
  buffer->bytes = bytes;
  buffer->capacity = capacity;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length) {
  if (length == 0) return;
  buffer_reserve(buffer, length);
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

void buffer_text(struct buffer *buffer, const char *text) {
  buffer_append(buffer, text, strlen(text));
}

void buffer_number(struct buffer *buffer, long long number) {
  char digits[24];
  size_t at = sizeof digits;
  unsigned long long rest = number < 0 ? 0ULL - (unsigned long long)number : (unsigned long long)number;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (number < 0) digits[--at] = '-';
  buffer_append(buffer, digits + at, sizeof digits - at);
}

void buffer_drop(struct buffer *buffer, size_t length) {
  if (length == 0) return;
  buffer->length -= length;
  if (buffer->length) memmove(buffer->bytes, buffer->bytes + length, buffer->length);
}

void buffer_free(struct buffer *buffer) {
  free(buffer->bytes);
  *buffer = (struct buffer){0};
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_append(struct buffer *out, const unsigned char *bytes, size_t length) {
  buffer_reserve(out, length / 3 * 4 + 4);
  unsigned char *to = out->bytes + out->length;
  size_t at = 0;
  for (; at + 3 <= length; at += 3) {
    unsigned group = (unsigned)bytes[at] << 16 | (unsigned)bytes[at + 1] << 8 | bytes[at + 2];
    *to++ = alphabet[group >> 18];
    *to++ = alphabet[group >> 12 & 63];
    *to++ = alphabet[group >> 6 & 63];
    *to++ = alphabet[group & 63];
  }
  if (at < length) {
    unsigned group = (unsigned)bytes[at] << 16 | (at + 1 < length ? (unsigned)bytes[at + 1] << 8 : 0);
    *to++ = alphabet[group >> 18];
    *to++ = alphabet[group >> 12 & 63];
    *to++ = at + 1 < length ? (unsigned char)alphabet[group >> 6 & 63] : '=';
    *to++ = '=';
  }
  out->length = (size_t)(to - out->bytes);
}

static int sextet(unsigned char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

int base64_decode(struct buffer *out, const unsigned char *text, size_t length) {
  if (length % 4) return -1;
  size_t padding = 0;
  if (length && text[length - 1] == '=') padding = text[length - 2] == '=' ? 2 : 1;
  buffer_reserve(out, length / 4 * 3);
  unsigned char *to = out->bytes + out->length;
  for (size_t at = 0; at < length; at += 4) {
    size_t missing = at + 4 == length ? padding : 0;
    unsigned group = 0;
    for (size_t i = 0; i < 4; i++) {
      int value = i >= 4 - missing ? 0 : sextet(text[at + i]);
      if (value < 0) return -1;
      group = group << 6 | (unsigned)value;
    }
    /* Bits beyond the last byte must be zero; otherwise two texts would decode to the same bytes. */
    if ((missing == 1 && (group & 0xff)) || (missing == 2 && (group & 0xffff))) return -1;
    *to++ = (unsigned char)(group >> 16);
    if (missing < 2) *to++ = (unsigned char)(group >> 8);
    if (missing < 1) *to++ = (unsigned char)group;
  }
  if (length) out->length = (size_t)(to - out->bytes);
  return 0;
}
