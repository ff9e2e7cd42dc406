package bm25

// tf is the frequency of one term in each field of one document: 8 bits of
// body, 4 of headings, 4 of title, each at most its maximum.
type tf uint16

const (
	maxBodyTF = 1<<8 - 1
	maxHeadTF = 1<<4 - 1 // a title that says one word sixteen times gains nothing more
)

// plus returns t with one more occurrence in field, up to the maximum.
func (t tf) plus(field int) tf {
	switch field {
	case Title:
		if t>>12 < maxHeadTF {
			t += 1 << 12
		}
	case Headings:
		if t>>8&maxHeadTF < maxHeadTF {
			t += 1 << 8
		}
	default:
		if t&maxBodyTF < maxBodyTF {
			t++
		}
	}
	return t
}

// fields returns the frequencies by field.
func (t tf) fields() [Fields]int {
	return [Fields]int{Title: int(t >> 12), Headings: int(t >> 8 & maxHeadTF), Body: int(t & maxBodyTF)}
}
