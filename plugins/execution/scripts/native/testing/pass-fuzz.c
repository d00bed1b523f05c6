/*
 * For the tests: reads texts from stdin, each after its length (u32, little-endian), and writes a line for each: "-" when
 * pass_read refuses it, else base64 of the folder, of what is set, and after a comma of each name that is unset.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../buffer.h"
#include "../pass.h"

static void print(const char *text) {
  struct buffer encoded = {0};
  base64_append(&encoded, (const unsigned char *)text, strlen(text));
  printf(" %.*s.", (int)encoded.length, (char *)encoded.bytes);
  buffer_free(&encoded);
}

int main(void) {
  unsigned char head[4];
  while (fread(head, 1, 4, stdin) == 4) {
    size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    /* Exactly as large as the text, so that a sanitizer sees one byte too far. */
    char *text = malloc(length + 1);
    struct pass pass = {0};
    if (!text || fread(text, 1, length, stdin) != length) return 1;
    text[length] = 0;
    if (pass_read(&pass, text, length)) {
      puts("-");
    } else {
      print(pass.cwd);
      for (size_t i = 0; i < pass.set_count; i++) print(pass.set[i]);
      printf(",");
      for (size_t i = 0; i < pass.unset_count; i++) print(pass.unset[i]);
      puts("");
    }
    pass_free(&pass);
    free(text);
  }
  return 0;
}
