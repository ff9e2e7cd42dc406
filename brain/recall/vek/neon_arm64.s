//go:build !purego

#include "textflag.h"
#include "tail_arm64.h"

// Products of bytes fill 16 bits (SMULL); two of them do not fit there when all
// four factors are -128, so they are added to 32 bits in pairs (SADALP) and not
// accumulated by SMLAL. The assembler does not know these instructions:
//
//	SMULL  V7.8H, V4.8B, Vx.8B
//	SMULL2 V8.8H, V4.16B, Vx.16B
//	SADALP Vacc.4S, V7.8H
//	SADALP Vacc.4S, V8.8H
#define MAC(x, acc) \
	WORD $(0x0e20c080 | x<<16 | 7)  \
	WORD $(0x4e20c080 | x<<16 | 8)  \
	WORD $(0x4e606800 | 7<<5 | acc) \
	WORD $(0x4e606800 | 8<<5 | acc)

// func dotNEON(a, b *int8, n int) int32
TEXT ·dotNEON(SB), NOSPLIT, $0-28
#include "dot_arm64.h"

// func dotsNEON(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)
TEXT ·dotsNEON(SB), NOSPLIT, $0-64
#include "dots_arm64.h"
