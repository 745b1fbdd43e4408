#ifndef PERFHUD_CMASKS_H
#define PERFHUD_CMASKS_H
/* Classifies 64 bytes at once: one bit for each byte, the first byte lowest. Swift can compare vectors too, but cannot
   express the instruction that turns the result into bits; its own ways take several times as long. */
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Where the parts of a control sequence are, if it has only parameters. */
struct perfhud_sequence_masks {
  uint64_t escapes;
  uint64_t brackets;   /* [ */
  uint64_t parameters; /* 0 to 9, colon and semicolon */
  uint64_t finals;     /* m or K */
};

#if defined(__SSE2__)

static inline uint64_t perfhud_bits(const __m128i *_Nonnull flags) {
  uint64_t bits = 0;
  for (int i = 3; i >= 0; i--) bits = bits << 16 | (uint16_t)_mm_movemask_epi8(flags[i]);
  return bits;
}

static inline __m128i perfhud_load(const uint8_t *_Nonnull bytes, int part) {
  return _mm_loadu_si128((const __m128i *)(bytes + 16 * part));
}

static inline __m128i perfhud_equal(__m128i bytes, char byte) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

/* Control characters except BEL, HT, LF and CR, and the byte C2, which begins a C1 control in UTF-8. */
static inline uint64_t perfhud_unplain_mask(const uint8_t *_Nonnull bytes) {
  __m128i flags[4];
  for (int i = 0; i < 4; i++) {
    __m128i part = perfhud_load(bytes, i);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(part, _mm_set1_epi8(0x1F)), part);
    __m128i line = _mm_or_si128(perfhud_equal(part, 0x0A), perfhud_equal(part, 0x0D));
    __m128i other = _mm_or_si128(perfhud_equal(part, 0x07), perfhud_equal(part, 0x09));
    flags[i] = _mm_or_si128(
        _mm_andnot_si128(_mm_or_si128(line, other), control), perfhud_equal(part, (char)0xC2));
  }
  return perfhud_bits(flags);
}

static inline struct perfhud_sequence_masks perfhud_sequence_masks(const uint8_t *_Nonnull bytes) {
  __m128i escapes[4], brackets[4], parameters[4], finals[4];
  for (int i = 0; i < 4; i++) {
    __m128i part = perfhud_load(bytes, i);
    escapes[i] = perfhud_equal(part, 0x1B);
    brackets[i] = perfhud_equal(part, '[');
    __m128i value = _mm_xor_si128(part, _mm_set1_epi8(0x30));
    parameters[i] = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(0x0B)), value);
    finals[i] = _mm_or_si128(perfhud_equal(part, 'm'), perfhud_equal(part, 'K'));
  }
  struct perfhud_sequence_masks masks = {perfhud_bits(escapes), perfhud_bits(brackets),
                                         perfhud_bits(parameters), perfhud_bits(finals)};
  return masks;
}

#else

static inline uint64_t perfhud_unplain_mask(const uint8_t *_Nonnull bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < 64; i++) {
    uint8_t byte = bytes[i];
    int is_plain_control = byte == 0x07 || byte == 0x09 || byte == 0x0A || byte == 0x0D;
    bits |= (uint64_t)((byte < 0x20 && !is_plain_control) || byte == 0xC2) << i;
  }
  return bits;
}

static inline struct perfhud_sequence_masks perfhud_sequence_masks(const uint8_t *_Nonnull bytes) {
  struct perfhud_sequence_masks masks = {0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint8_t byte = bytes[i];
    masks.escapes |= (uint64_t)(byte == 0x1B) << i;
    masks.brackets |= (uint64_t)(byte == '[') << i;
    masks.parameters |= (uint64_t)((byte ^ 0x30) < 0x0C) << i;
    masks.finals |= (uint64_t)(byte == 'm' || byte == 'K') << i;
  }
  return masks;
}

#endif
#endif
