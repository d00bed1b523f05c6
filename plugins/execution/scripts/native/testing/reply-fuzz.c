/*
 * For the tests: reads texts from stdin, each after its length (u32, little-endian), and writes a line for each:
 * "-" when reply_parse refuses it, else exit code, base64 of stdout, of stderr, and of each argument of exec.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../reply.h"

static void print(const unsigned char *bytes, size_t length) {
  struct buffer text = {0};
  base64_append(&text, bytes, length);
  printf(" %.*s.", (int)text.length, (char *)text.bytes);
  buffer_free(&text);
}

int main(void) {
  unsigned char head[4];
  while (fread(head, 1, 4, stdin) == 4) {
    size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    /* Exactly as large as the text, so that a sanitizer sees one byte too far. */
    unsigned char *text = malloc(length ? length : 1);
    struct reply reply;
    if (!text || fread(text, 1, length, stdin) != length) return 1;
    if (reply_parse(&reply, text, length)) {
      puts("-");
    } else {
      printf("%d", reply.has_exit ? reply.exit : -1);
      print(reply.out.bytes, reply.out.length);
      print(reply.err.bytes, reply.err.length);
      for (size_t i = 0; i < reply.exec.count; i++) print(reply.exec.items[i].bytes, reply.exec.items[i].length - 1);
      puts("");
    }
    reply_free(&reply);
    free(text);
  }
  return 0;
}
