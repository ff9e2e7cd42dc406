package recall

import (
	"testing"

	"go.uber.org/goleak"
)

// An index leaves no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
