/* Follows the program's output byte by byte when no engine models it: whether it is within a sequence or character, or
   at the end of a line, and which screen is shown. */
#include "supervisor.h"

/* Follows a control sequence, only to know which screen is shown. */
static void end_parameter(struct relay *relay, uint8_t final) {
  uint32_t mode = relay->parameter;
  relay->parameter = 0;
  if (relay->is_private && (mode == 47 || mode == 1047 || mode == 1049) && (final == 'h' || final == 'l'))
    relay->is_alternate = final == 'h';
}

static void follow_csi(struct relay *relay, uint8_t byte) {
  if (byte >= '0' && byte <= '9') {
    if (relay->parameter < 100000) relay->parameter = relay->parameter * 10 + (byte - '0');
  } else if (byte == '?') {
    relay->is_private = 1;
  } else if (byte == ';') {
    relay->parameter = 0;
  } else if (byte >= 0x40 && byte <= 0x7E) {
    end_parameter(relay, byte);
    relay->state = AT_GROUND;
  } else if (byte == 0x18 || byte == 0x1A) {
    relay->state = AT_GROUND;
  }
}

static void follow_escape(struct relay *relay, uint8_t byte) {
  relay->parameter = 0;
  relay->is_private = 0;
  switch (byte) {
  case '[': relay->state = IN_CSI; return;
  case ']':
  case 'P':
  case 'X':
  case '^':
  case '_': relay->state = IN_STRING; return;
  }
  if (byte < 0x20 || byte > 0x2F) relay->state = AT_GROUND;
}

int relay_follow(struct relay *relay, uint8_t byte) {
  if (byte == 0x1B) {
    relay->state = relay->state == IN_STRING ? IN_STRING_ESCAPE : AFTER_ESCAPE;
    return 0;
  }
  switch (relay->state) {
  case AFTER_ESCAPE: follow_escape(relay, byte); return 0;
  case IN_CSI: follow_csi(relay, byte); return 0;
  case IN_STRING:
    if (byte == 0x07 || byte == 0x18 || byte == 0x1A) relay->state = AT_GROUND;
    return 0;
  case IN_STRING_ESCAPE:
    follow_escape(relay, byte);
    return 0;
  }
  if (byte < 0x80)
    relay->utf8_left = 0;
  else if (byte >= 0xC0)
    relay->utf8_left = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
  else if (relay->utf8_left > 0)
    relay->utf8_left--;
  if (byte == '\n') return relay->is_line_start && !relay->is_alternate;
  relay->is_line_start = byte == '\r';
  return 0;
}
