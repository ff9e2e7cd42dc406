package invariant

import "testing"

func TestCheckPanicsOnlyWhenEnabled(t *testing.T) {
	defer func() {
		if got := recover() != nil; got != Enabled {
			t.Fatalf("panicked: %v, enabled: %v", got, Enabled)
		}
	}()
	Check(true, "never seen")
	Check(false, "seq %d", 7)
}
