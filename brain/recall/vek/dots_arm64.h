// Body of func(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids
// *uint32, n int, out *int32), dim at least 16. MAC(x, acc) adds the products of
// the sixteen components of V4 and Vx to the four lanes of Vacc.
//
// Four rows at a time, R8 to R11, so that the query is read once for four; the
// four after them, R12 to R15, are prefetched before. Fewer than four rows at the
// end are filled up with the last one.

// ROW sets r to the address of the row of id j from R5 on, of the last id (at
// index R20) if there are fewer: block = id>>shift, 24 bytes per slice header, and
// component = (id mod 1<<shift)*stride.
#define ROW(j, r) \
	MOVD  $j, R16            \
	CMP   R20, R16           \
	CSEL  GT, R20, R16, R16  \
	MOVWU (R5)(R16<<2), r    \
	LSR   R3, r, R16         \
	MADD  R24, R2, R16, R16  \
	MOVD  (R16), R16         \
	AND   R22, r, r          \
	MADD  R4, R16, r, r

// AHEAD sets R12 to R15 to the rows of the four ids from R5 on.
#define AHEAD \
	SUB $1, R6, R20 \
	ROW(0, R12)     \
	ROW(1, R13)     \
	ROW(2, R14)     \
	ROW(3, R15)

// FETCH prefetches 64 bytes of the row at r, from offset R20.
#define FETCH(r) \
	ADD  r, R20, R16 \
	PRFM (R16), PLDL1KEEP

// ROWTAIL adds the products of the last 16 components of the row, R19 = tail-16
// from r, with the tail of the query, V4.
#define ROWTAIL(r, acc) \
	ADD  r, R19, R16     \
	VLD1 (R16), [V5.B16] \
	MAC(5, acc)

	MOVD q+0(FP), R0
	MOVD dim+8(FP), R1
	MOVD blocks+16(FP), R2
	MOVD shift+24(FP), R3
	MOVD stride+32(FP), R4
	MOVD ids+40(FP), R5
	MOVD n+48(FP), R6
	MOVD out+56(FP), R7

	// V6 = the last 16 components of the query, zero but for the tail.
	AND  $15, R1, R19
	MOVD $tail<>(SB), R16
	ADD  R19, R16
	VLD1 (R16), [V7.B16]
	ADD  R1, R0, R16
	SUB  $16, R16
	VLD1 (R16), [V6.B16]
	VAND V7.B16, V6.B16, V6.B16
	SUB  $16, R19

	MOVD $24, R24
	MOVD $1, R22
	LSL  R3, R22
	SUB  $1, R22
	AHEAD

group:
	MOVD R12, R8
	MOVD R13, R9
	MOVD R14, R10
	MOVD R15, R11
	SUBS $4, R6
	BLE  compute
	ADD  $16, R5
	AHEAD
	MOVD ZR, R20

prefetch:
	FETCH(R12)
	FETCH(R13)
	FETCH(R14)
	FETCH(R15)
	ADD $64, R20
	CMP R1, R20
	BLT prefetch

compute:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD R0, R21
	LSR  $4, R1, R20 // sixteens

loop:
	VLD1.P 16(R21), [V4.B16]
	VLD1.P 16(R8), [V5.B16]
	MAC(5, 0)
	VLD1.P 16(R9), [V5.B16]
	MAC(5, 1)
	VLD1.P 16(R10), [V5.B16]
	MAC(5, 2)
	VLD1.P 16(R11), [V5.B16]
	MAC(5, 3)
	SUBS   $1, R20
	BNE    loop

	CMN  $16, R19
	BEQ  sum
	VMOV V6.B16, V4.B16
	ROWTAIL(R8, 0)
	ROWTAIL(R9, 1)
	ROWTAIL(R10, 2)
	ROWTAIL(R11, 3)

sum: // four sums of four lanes to the four lanes of V0
	VADDP V1.S4, V0.S4, V0.S4
	VADDP V3.S4, V2.S4, V2.S4
	VADDP V2.S4, V0.S4, V0.S4
	TBNZ  $63, R6, some
	VST1.P [V0.S4], 16(R7)
	CBNZ  R6, group
	RET

some: // n+4 results, 1 to 3
	ADD $4, R6

one:
	VMOV   V0.S[0], R16
	MOVW.P R16, 4(R7)
	VEXT   $4, V0.B16, V0.B16, V0.B16
	SUBS   $1, R6
	BNE    one
	RET
