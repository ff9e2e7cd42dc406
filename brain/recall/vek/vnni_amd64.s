//go:build !purego

#include "textflag.h"
#include "dots_amd64.h"

// VPDPBUSD multiplies unsigned by signed bytes and adds four products to each
// 32-bit lane, exactly. The row is the unsigned side: with its sign bits flipped
// (Z31) it is row+128, so a lane collects Σ row·q + 128·Σ q, and the second part
// is known from the query alone. A tail of less than 64 bytes is read under the
// mask K1, which never touches what lies past the end; masked bytes of q are zero
// and add nothing.

// FLIP sets Z31 to 128 in every byte. MASK sets K1 to the tail of a length; it
// changes AX and BX.
#define FLIP \
	MOVL         $0x80808080, AX \
	VPBROADCASTD AX, Z31

#define MASK(length) \
	MOVQ  $-1, AX    \
	MOVQ  length, BX \
	ANDQ  $63, BX    \
	BZHIQ BX, AX, AX \
	KMOVQ AX, K1

// func dotVNNI(a, b *int8, n int) int32
TEXT ·dotVNNI(SB), NOSPLIT, $0-28
	MOVQ   a+0(FP), SI
	MOVQ   b+8(FP), DI
	MOVQ   n+16(FP), DX
	FLIP
	VPXORD Z0, Z0, Z0   // Σ a·(b+128)
	VPXORD Z1, Z1, Z1   // Σ a·128
	SUBQ   $64, DX
	JLT    tail

loop:
	VMOVDQU64 (SI), Z2
	VPXORD    (DI), Z31, Z3
	VPDPBUSD  Z2, Z3, Z0
	VPDPBUSD  Z2, Z31, Z1
	ADDQ      $64, SI
	ADDQ      $64, DI
	SUBQ      $64, DX
	JGE       loop

tail:
	ADDQ       $64, DX
	JEQ        sum
	MASK(DX)
	VMOVDQU8.Z (SI), K1, Z2
	VMOVDQU8.Z (DI), K1, Z3
	VPXORD     Z31, Z3, Z3
	VPDPBUSD   Z2, Z3, Z0
	VPDPBUSD   Z2, Z31, Z1

sum:
	VPSUBD        Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPHADDD       X0, X0, X0
	VPHADDD       X0, X0, X0
	VMOVD         X0, AX
	MOVL          AX, ret+24(FP)
	VZEROUPPER
	RET

// STEP adds 64 products of the row at r to acc and prefetches those bytes of next.
#define STEP(r, next, acc) \
	PREFETCHT0 (next)(BX*1)       \
	VPXORD     (r)(BX*1), Z31, Z5 \
	VPDPBUSD   Z4, Z5, acc

// TAIL is STEP for the tail.
#define TAIL(r, next, acc) \
	PREFETCHT0 (next)(BX*1)      \
	VMOVDQU8.Z (r)(BX*1), K1, Z5 \
	VPXORD     Z31, Z5, Z5       \
	VPDPBUSD   Z4, Z5, acc

// func dotsVNNI(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)
//
// The query is read once for four rows; the next four are prefetched meanwhile.
TEXT ·dotsVNNI(SB), NOSPLIT, $0-64
	MOVQ q+0(FP), SI
	MOVQ dim+8(FP), DX
	MOVQ shift+24(FP), CX
	MOVQ ids+40(FP), DI
	FLIP
	MASK(DX)
	SUBQ BX, DX // length without the tail
	XORL BX, BX

	// Z30 = -128·Σ q by lane, where every row starts.
	VPXORD Z30, Z30, Z30
	CMPQ   BX, DX
	JGE    excessTail

excess:
	VMOVDQU64 (SI)(BX*1), Z4
	VPDPBUSD  Z4, Z31, Z30
	ADDQ      $64, BX
	CMPQ      BX, DX
	JLT       excess

excessTail:
	VMOVDQU8.Z (SI)(BX*1), K1, Z4
	VPDPBUSD   Z4, Z31, Z30
	VPXORD     Z4, Z4, Z4
	VPSUBD     Z30, Z4, Z30

	AHEAD

group:
	ADVANCE(compute)

compute:
	VMOVDQA64 Z30, Z0
	VMOVDQA64 Z30, Z1
	VMOVDQA64 Z30, Z2
	VMOVDQA64 Z30, Z3
	XORL      BX, BX
	CMPQ      BX, DX
	JGE       tail

loop:
	VMOVDQU64 (SI)(BX*1), Z4
	STEP(R8, R12, Z0)
	STEP(R9, R13, Z1)
	STEP(R10, R14, Z2)
	STEP(R11, R15, Z3)
	ADDQ      $64, BX
	CMPQ      BX, DX
	JLT       loop

tail:
	CMPQ       DX, dim+8(FP)
	JEQ        sum
	VMOVDQU8.Z (SI)(BX*1), K1, Z4
	TAIL(R8, R12, Z0)
	TAIL(R9, R13, Z1)
	TAIL(R10, R14, Z2)
	TAIL(R11, R15, Z3)

sum: // four sums of 16 lanes to the four lanes of X0
	VPUNPCKLDQ    Z1, Z0, Z4
	VPUNPCKHDQ    Z1, Z0, Z5
	VPADDD        Z4, Z5, Z0
	VPUNPCKLDQ    Z3, Z2, Z4
	VPUNPCKHDQ    Z3, Z2, Z5
	VPADDD        Z4, Z5, Z2
	VPUNPCKLQDQ   Z2, Z0, Z4
	VPUNPCKHQDQ   Z2, Z0, Z5
	VPADDD        Z4, Z5, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	STORE(group, some, one)
