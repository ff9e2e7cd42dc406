package invalid

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorNamesFieldAndLimit(t *testing.T) {
	cause := errors.New("cause")
	tests := []struct {
		err   *Error
		text  string
		limit int64
	}{
		{New("tags", "%d values, one is empty", 3), "tags: 3 values, one is empty", 0},
		{TooLarge("limit", 1001, 1000), "limit: 1001 is over the limit of 1000", 1000},
		{&Error{Field: "uri", Reason: "empty", Cause: cause}, "uri: empty", 0},
	}
	for _, tt := range tests {
		wrapped := fmt.Errorf("op: %w", tt.err)
		var got *Error
		if !errors.As(wrapped, &got) || got.Limit != tt.limit || got.Error() != tt.text {
			t.Errorf("got %v, limit %d; want %q, limit %d", got, got.Limit, tt.text, tt.limit)
		}
		if !errors.Is(wrapped, Err) {
			t.Errorf("%v is not invalid.Err", wrapped)
		}
	}
	if !errors.Is(tests[2].err, cause) {
		t.Error("the cause is not reachable")
	}
}
