// Body of func(a, b *int8, n int) int32, n at least 16. MAC(x, acc) adds the
// products of the sixteen components of V4 and Vx to the four lanes of Vacc.

	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	LSR  $4, R2, R3             // sixteens
	AND  $15, R2, R2            // length of the tail

loop:
	VLD1.P 16(R0), [V4.B16]
	VLD1.P 16(R1), [V5.B16]
	MAC(5, 0)
	SUBS   $1, R3
	BNE    loop

	CBZ  R2, sum
	MOVD $tail<>(SB), R3
	ADD  R2, R3
	VLD1 (R3), [V6.B16]
	SUB  $16, R2
	ADD  R2, R0
	ADD  R2, R1
	VLD1 (R0), [V4.B16]
	VLD1 (R1), [V5.B16]
	VAND V6.B16, V4.B16, V4.B16
	MAC(5, 0)

sum:
	VADDV V0.S4, V0
	VMOV  V0.S[0], R0
	MOVW  R0, ret+24(FP)
	RET
