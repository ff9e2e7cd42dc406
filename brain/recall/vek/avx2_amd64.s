//go:build !purego

#include "textflag.h"
#include "dots_amd64.h"

// Sixteen components at a time: both sides are widened to 16 bits (VPMOVSXBW),
// VPMADDWD multiplies and adds neighbours to 32 bits, exactly for the whole range
// of int8. VPMADDUBSW would skip the widening but saturates at -128·-128 + -128·-128.
//
// A tail of t < 16 components is read as the last 16 of the vector, with all but
// the last t of one side set to zero; so nothing past the end is touched and
// nothing counts twice.

// The 16 words at offset 2t are zero but for the last t.
DATA tail<>+0(SB)/8, $0
DATA tail<>+8(SB)/8, $0
DATA tail<>+16(SB)/8, $0
DATA tail<>+24(SB)/8, $0
DATA tail<>+32(SB)/8, $-1
DATA tail<>+40(SB)/8, $-1
DATA tail<>+48(SB)/8, $-1
DATA tail<>+56(SB)/8, $-1
GLOBL tail<>(SB), RODATA|NOPTR, $64

// func dotAVX2(a, b *int8, n int) int32
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ  a+0(FP), SI
	MOVQ  b+8(FP), DI
	MOVQ  n+16(FP), DX
	MOVQ  DX, CX
	ANDQ  $15, CX      // length of the tail
	SUBQ  CX, DX       // length without it, at least 16
	XORL  BX, BX
	VPXOR Y0, Y0, Y0

loop:
	VPMOVSXBW (SI)(BX*1), Y1
	VPMOVSXBW (DI)(BX*1), Y2
	VPMADDWD  Y1, Y2, Y2
	VPADDD    Y2, Y0, Y0
	ADDQ      $16, BX
	CMPQ      BX, DX
	JLT       loop

	TESTQ     CX, CX
	JZ        sum
	ADDQ      CX, BX
	VPMOVSXBW -16(SI)(BX*1), Y1
	VPMOVSXBW -16(DI)(BX*1), Y2
	LEAQ      tail<>(SB), AX
	VPAND     (AX)(CX*2), Y1, Y1
	VPMADDWD  Y1, Y2, Y2
	VPADDD    Y2, Y0, Y0

sum:
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPHADDD      X0, X0, X0
	VPHADDD      X0, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+24(FP)
	VZEROUPPER
	RET

// MADD adds the products of 16 components at r+BX with those in y to acc.
#define MADD(r, y, acc) \
	VPMOVSXBW (r)(BX*1), Y5 \
	VPMADDWD  y, Y5, Y5     \
	VPADDD    Y5, acc, acc

// func dotsAVX2(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)
//
// The query is widened once for four rows; the next four are prefetched before.
TEXT ·dotsAVX2(SB), NOSPLIT, $0-64
	MOVQ q+0(FP), SI
	MOVQ dim+8(FP), DX
	MOVQ shift+24(FP), CX
	MOVQ ids+40(FP), DI

	MOVQ      DX, BX
	ANDQ      $15, BX
	VPMOVSXBW -16(SI)(DX*1), Y6
	LEAQ      tail<>(SB), AX
	VPAND     (AX)(BX*2), Y6, Y6 // tail of the query
	SUBQ      BX, DX             // length without it

	AHEAD

group:
	ADVANCE(compute)
	XORL BX, BX

prefetch:
	PREFETCHT0 (R12)(BX*1)
	PREFETCHT0 (R13)(BX*1)
	PREFETCHT0 (R14)(BX*1)
	PREFETCHT0 (R15)(BX*1)
	ADDQ       $64, BX
	CMPQ       BX, DX
	JLT        prefetch

compute:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORL  BX, BX

loop:
	VPMOVSXBW (SI)(BX*1), Y4
	MADD(R8, Y4, Y0)
	MADD(R9, Y4, Y1)
	MADD(R10, Y4, Y2)
	MADD(R11, Y4, Y3)
	ADDQ      $16, BX
	CMPQ      BX, DX
	JLT       loop

	MOVQ dim+8(FP), BX
	CMPQ BX, DX
	JEQ  sum
	SUBQ $16, BX
	MADD(R8, Y6, Y0)
	MADD(R9, Y6, Y1)
	MADD(R10, Y6, Y2)
	MADD(R11, Y6, Y3)

sum:
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	STORE(group, some, one)
