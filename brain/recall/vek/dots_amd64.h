// What the kernels share in walking a list of rows: four rows at a time, R8 to
// R11, and the four after them, R12 to R15. The function's arguments are (q *int8,
// dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out
// *int32); n and out advance in place. DI is the next id, CX the shift. Fewer than
// four rows at the end are filled up with the last one.

// ROW sets r to the address of the row of id j from DI on, of the last id (at
// index BX) if there are fewer: block = id>>shift, 24 bytes per slice header, and
// component = (id mod 1<<shift)*stride.
#define ROW(j, r) \
	MOVL    $j, AX            \
	CMPQ    AX, BX            \
	CMOVQGT BX, AX            \
	MOVL    (DI)(AX*4), r     \
	SHRXQ   CX, r, AX         \
	LEAQ    (AX)(AX*2), AX    \
	SHLQ    $3, AX            \
	ADDQ    blocks+16(FP), AX \
	BZHIQ   CX, r, r          \
	IMULQ   stride+32(FP), r  \
	ADDQ    (AX), r

// AHEAD sets R12 to R15 to the rows of the four ids from DI on.
#define AHEAD \
	MOVQ n+48(FP), BX \
	DECQ BX           \
	ROW(0, R12)       \
	ROW(1, R13)       \
	ROW(2, R14)       \
	ROW(3, R15)

// ADVANCE makes the rows ahead the current ones and counts them off n; without
// any left it goes to done, with R12 to R15 still valid addresses.
#define ADVANCE(done) \
	MOVQ R12, R8       \
	MOVQ R13, R9       \
	MOVQ R14, R10      \
	MOVQ R15, R11      \
	SUBQ $4, n+48(FP)  \
	JLE  done          \
	ADDQ $16, DI       \
	AHEAD

// STORE writes the four sums in X0 to out and goes to more, or, with n below 0,
// the first n+4 of them, and returns when none are left.
#define STORE(more, some, one) \
	MOVQ    out+56(FP), AX  \
	MOVQ    n+48(FP), BX    \
	TESTQ   BX, BX          \
	JLT     some            \
	VMOVDQU X0, (AX)        \
	ADDQ    $16, out+56(FP) \
	TESTQ   BX, BX          \
	JNZ     more            \
	VZEROUPPER              \
	RET                     \
some:                       \
	ADDQ    $4, BX          \
one:                        \
	VMOVD   X0, (AX)        \
	VPSRLDQ $4, X0, X0      \
	ADDQ    $4, AX          \
	DECQ    BX              \
	JNZ     one             \
	VZEROUPPER              \
	RET
