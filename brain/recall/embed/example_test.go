package embed_test

import (
	"fmt"

	"github.com/seed70401ef0/brain-go/brain/recall/embed"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// The direct way from texts to a ranking: int8 vectors from exact sums, in a
// flat index, searched under a bitmap.
func ExampleDefault() {
	model := embed.Default()
	notes := []string{
		"The ferry to the island leaves at noon.",
		"Invoices are paid within thirty days.",
		"Boil the pasta for nine minutes.",
	}
	flat, err := vek.NewFlat(model.Dim())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, note := range notes {
		q, _, _ := model.Quantized(note)
		if _, err := flat.Append(q); err != nil {
			fmt.Println(err)
			return
		}
	}
	q, _, _ := model.Quantized("When does the boat depart?")
	hits, err := flat.View().Search(q, []uint64{0b111}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(notes[hits[0].Ord])
	// Output: The ferry to the island leaves at noon.
}
