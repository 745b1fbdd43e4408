/* Takes the place of the few symbols of Foundation that swift-argument-parser refers to, so that a static executable
   does not contain Foundation: 5 MB of 22.

   swift-argument-parser 1.8 uses Foundation in one file, Utilities/Foundation.swift: it writes JSON for
   `--experimental-dump-help`, and asks whether an error is a `LocalizedError`. perfhud has no such error. The linker
   takes an object of a library only for a symbol that nothing else defines. The symbols are weak, so they never clash
   with Foundation itself. If swift-argument-parser comes to need more of it, the executable has Foundation again, and
   scripts/check-release.sh fails.

   Tests use Foundation, from a shared library that would find these symbols first: debug builds have none of them. */
#ifndef DEBUG

#include <stdlib.h>
#include <unistd.h>

static _Noreturn void exit_without_json(void) {
    static const char text[] = "perfhud: --experimental-dump-help is not available: use --help\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        // The exit status says it too.
    }
    _exit(64);
}

/* `JSONEncoder` and what its caller uses of it: none of these functions returns, so their arguments do not matter. */
#define STAND_IN(name, symbol) \
    void name(void) __asm__(symbol) __attribute__((weak)); \
    void name(void) { exit_without_json(); }

STAND_IN(perfhud_json_encoder_type, "$s20FoundationEssentials11JSONEncoderCMa")
STAND_IN(perfhud_json_encoder_init, "$s20FoundationEssentials11JSONEncoderCACycfc")
STAND_IN(perfhud_json_sorted_keys, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV10sortedKeysAEvau")
STAND_IN(perfhud_json_pretty_printed, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV13prettyPrintedAEvau")
STAND_IN(perfhud_string_of_data, "$sSS20FoundationEssentialsE4data8encodingSSSgAA4DataVh_SSAAE8EncodingVtcfC")
STAND_IN(perfhud_string_utf8, "$sSS20FoundationEssentialsE8EncodingV4utf8ACvau")

/* `protocol LocalizedError`, to which no type conforms.

   Source: `TargetProtocolDescriptor` in include/swift/ABI/Metadata.h of Swift: flags (a protocol, unique, not only for
   classes), parent, name, the numbers of requirements in the signature and of requirements, names of associated types.
   Parent and names are relative to their own place; 0 means that there is none. */
__asm__(
    ".pushsection .rodata, \"a\"\n"
    ".weak \"$s20FoundationEssentials14LocalizedErrorMp\"\n"
    ".balign 4\n"
    "\"$s20FoundationEssentials14LocalizedErrorMp\":\n"
    ".long 0x10043, 0\n"
    ".long 1f - .\n"
    ".long 0, 0, 0\n"
    "1: .asciz \"LocalizedError\"\n"
    ".popsection\n");

#endif
