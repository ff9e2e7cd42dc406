// Package detmath has the few transcendental functions that ranking needs, with
// the same bits on every machine. The functions of package math differ between
// architectures: some are assembly, and the compiler may fuse x*y + z into one
// rounding (arm64, and amd64 at GOAMD64=v3). Here every product is rounded by
// an explicit conversion to float64, which the language says may not be fused.
//
// Results are within 2 ulp of package math; special values are equal to it. It
// has no power, no trigonometry, and nothing that a ranking formula of ours
// does not call.
//
// The algorithms and coefficients are those of FreeBSD's msun library
// (lib/msun/src/e_log.c, s_log1p.c, e_exp.c), which came with this notice:
//
//	====================================================
//	Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//
//	Developed at SunPro, a Sun Microsystems, Inc. business.
//	Permission to use, copy, modify, and distribute this
//	software is freely granted, provided that this notice
//	is preserved.
//	====================================================
package detmath

import "math"

// ln 2 in two parts: k*ln2Hi is exact for |k| < 2000 (msun e_log.c).
const (
	ln2Hi = 6.93147180369123816490e-01 // 0x3fe62e42fee00000
	ln2Lo = 1.90821492927058770002e-10 // 0x3dea39ef35793c76
)

// Coefficients of R(z), log(1+f) = f - s*(f-R), s = f/(2+f), z = s*s; the error
// of the polynomial is below 2**-58.45 (msun e_log.c, Lg1 to Lg7).
const (
	lg1 = 6.666666666666735130e-01 // 0x3fe5555555555593
	lg2 = 3.999999999940941908e-01 // 0x3fd999999997fa04
	lg3 = 2.857142874366239149e-01 // 0x3fd2492494229359
	lg4 = 2.222219843214978396e-01 // 0x3fcc71c51d8e78af
	lg5 = 1.818357216161805012e-01 // 0x3fc7466496cb03de
	lg6 = 1.531383769920937332e-01 // 0x3fc39a09d078c69f
	lg7 = 1.479819860511658591e-01 // 0x3fc2f112df3e5244
)

// Log returns the natural logarithm of x: NaN below 0, -Inf at 0.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	// x = 2**k * (1+f) with sqrt(2)/2 <= 1+f < sqrt(2).
	m, e := math.Frexp(x) // exact: moves bits only
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	f, k := m-1, float64(e)
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	t1 := float64(z * (lg1 + float64(w*(lg3+float64(w*(lg5+float64(w*lg7)))))))
	t2 := float64(w * (lg2 + float64(w*(lg4+float64(w*lg6)))))
	r := t1 + t2
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// Log1p returns Log(1+x) without the loss near 0: NaN below -1, -Inf at -1.
func Log1p(x float64) float64 {
	const (
		sqrt2M1     = 4.142135623730950488017e-01  // sqrt(2)-1
		sqrt2HalfM1 = -2.928932188134524755992e-01 // sqrt(2)/2-1
		small       = 1.0 / (1 << 29)
		tiny        = 1.0 / (1 << 54)
		two53       = 1 << 53
		fraction    = 1<<52 - 1
		sqrt2Bits   = 0x0006a09e667f3bcd // fraction of sqrt(2)
	)
	switch {
	case x < -1 || math.IsNaN(x):
		return math.NaN()
	case x == -1:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	abs := math.Abs(x)
	switch {
	case abs < tiny:
		return x
	case abs < small:
		return x - float64(float64(x*x)*0.5)
	case sqrt2HalfM1 < x && abs < sqrt2M1:
		return log1pSum(x, 0, 0, false)
	}
	// 1+x = u + what the sum lost; c carries the loss relative to u.
	u, c := x, 0.0
	if abs < two53 {
		u = 1 + x
		if u >= 2 {
			c = 1 - (u - x)
		} else {
			c = x - (u - 1)
		}
		c /= u
	}
	bits := math.Float64bits(u)
	k := int(bits>>52) - 1023
	bits &= fraction
	near := false // u is a power of two or within 2**-20 below one
	if bits < sqrt2Bits {
		near = bits == 0
		u = math.Float64frombits(bits | 0x3ff0000000000000)
	} else {
		k++
		near = (1<<52-bits)>>2 == 0
		u = math.Float64frombits(bits | 0x3fe0000000000000)
	}
	return log1pSum(u-1, float64(k), c, near)
}

// log1pSum returns k*ln2 + log(1+f) + c for sqrt(2)/2-1 < f < sqrt(2)-1; near
// says that |f| is so small that two terms of the series suffice.
func log1pSum(f, k, c float64, near bool) float64 {
	half := float64(float64(0.5*f) * f)
	var r float64
	if near {
		if f == 0 {
			return float64(k*ln2Hi) + (c + float64(k*ln2Lo))
		}
		r = float64(half * (1 - float64(0.66666666666666666*f)))
		return float64(k*ln2Hi) - ((r - (float64(k*ln2Lo) + c)) - f)
	}
	s := f / (2 + f)
	z := float64(s * s)
	r = lg6 + float64(z*lg7)
	r = lg5 + float64(z*r)
	r = lg4 + float64(z*r)
	r = lg3 + float64(z*r)
	r = lg2 + float64(z*r)
	r = lg1 + float64(z*r)
	r = float64(z * r)
	if k == 0 {
		return f - (half - float64(s*(half+r)))
	}
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + (float64(k*ln2Lo) + c))) - f)
}
