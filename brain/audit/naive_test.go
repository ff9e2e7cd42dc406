package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// The second implementation: RFC 6962 §2.1 as it is written there, recursive,
// over the list of leaves, sharing nothing with the package or tlog.

func naiveLeaf(leaf []byte) [32]byte {
	return sha256.Sum256(append([]byte{0}, leaf...))
}

func naiveSplit(n int) int { // largest power of two smaller than n
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

func naiveRoot(d [][]byte) [32]byte {
	switch len(d) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return naiveLeaf(d[0])
	}
	k := naiveSplit(len(d))
	l, r := naiveRoot(d[:k]), naiveRoot(d[k:])
	return sha256.Sum256(append(append([]byte{1}, l[:]...), r[:]...))
}

func naivePath(m int, d [][]byte) [][32]byte {
	if len(d) == 1 {
		return nil
	}
	k := naiveSplit(len(d))
	if m < k {
		return append(naivePath(m, d[:k]), naiveRoot(d[k:]))
	}
	return append(naivePath(m-k, d[k:]), naiveRoot(d[:k]))
}

func naiveProof(m int, d [][]byte) [][32]byte { return naiveSubproof(m, d, true) }

func naiveSubproof(m int, d [][]byte, whole bool) [][32]byte {
	if m == len(d) {
		if whole {
			return nil
		}
		return [][32]byte{naiveRoot(d)}
	}
	k := naiveSplit(len(d))
	if m <= k {
		return append(naiveSubproof(m, d[:k], whole), naiveRoot(d[k:]))
	}
	return append(naiveSubproof(m-k, d[k:], false), naiveRoot(d[:k]))
}

func sameHashes[P ~[]tlog.Hash](got P, want [][32]byte) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != Hash(want[i]) {
			return false
		}
	}
	return true
}

// memTree is a stored tree in memory.
type memTree []Hash

func (m memTree) ReadHashes(index []int64) ([]Hash, error) {
	out := make([]Hash, len(index))
	for i, x := range index {
		out[i] = m[x]
	}
	return out, nil
}

// The leaves and roots of the test of the Certificate Transparency reference
// implementation (certificate-transparency/cpp/merkletree/merkle_tree_test.cc).
var (
	rfcLeaves = []string{
		"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
	}
	rfcRoots = []string{
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
)

func TestKnownRoots(t *testing.T) {
	var tree Tree
	var leaves [][]byte
	for i, want := range rfcRoots {
		if i > 0 {
			leaf, err := hex.DecodeString(rfcLeaves[i-1])
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leaf)
			tree.Append(LeafHash(leaf))
		}
		h := tree.Head()
		if got := hex.EncodeToString(h.Root[:]); got != want || h.Seq != uint64(i) {
			t.Errorf("root of %d leaves is %s, want %s", i, got, want)
		}
		if Hash(naiveRoot(leaves)) != h.Root {
			t.Errorf("second implementation differs at %d leaves", i)
		}
	}
}
