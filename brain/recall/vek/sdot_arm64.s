//go:build !purego

#include "textflag.h"
#include "tail_arm64.h"

// SDOT adds four products to each 32-bit lane, exactly. The assembler does not
// know it:
//
//	SDOT Vacc.4S, V4.16B, Vx.16B
#define MAC(x, acc) \
	WORD $(0x4e809480 | x<<16 | acc)

// func dotSDOT(a, b *int8, n int) int32
TEXT ·dotSDOT(SB), NOSPLIT, $0-28
#include "dot_arm64.h"

// func dotsSDOT(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)
TEXT ·dotsSDOT(SB), NOSPLIT, $0-64
#include "dots_arm64.h"
