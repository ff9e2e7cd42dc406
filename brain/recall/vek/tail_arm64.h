// A tail of t < 16 components is read as the last 16 of the vector, with all but
// the last t of one side set to zero; so nothing past the end is touched and
// nothing counts twice. The 16 bytes at offset t are zero but for the last t.
DATA tail<>+0(SB)/8, $0
DATA tail<>+8(SB)/8, $0
DATA tail<>+16(SB)/8, $-1
DATA tail<>+24(SB)/8, $-1
GLOBL tail<>(SB), RODATA|NOPTR, $32
