// Package eval measures how well a system finds judged documents: quality
// (nDCG@10, recall@k, MRR@10, hit@1), abstention, latency, ingest rate and index
// size, in one row, since speed without quality is no result.
//
// A Dataset is a corpus, questions and judgements. Load reads one in either of
// two layouts:
//
//	DIR/corpus.jsonl     {"id","title","text","scope"}        one document a line
//	DIR/queries.jsonl    {"id","text","category","answerable","scope"}
//	DIR/qrels.tsv        query TAB document TAB grade          no header
//
//	DIR/notes/**/*.md    a document per file, id = path below notes/
//	DIR/gold/            queries.jsonl and qrels.tsv as above
//
// Run puts the documents into a System, asks, and returns a Report.
//
// # What is counted
//
// A question is ranked when it is answerable and has a judgement with a grade
// above 0; other answerable questions are not asked at all. Unanswerable
// questions enter nothing but the abstention figures and the latency, even where
// judgements for them exist.
//
// The rank of a document is that of its best chunk. A question is asked with a
// growing limit until 100 different documents are known or the system has no
// more. Latency is measured apart from that, before it: each question once, one
// after another, with the limit that a user would give.
//
// A relevant document that the corpus does not hold stays in the denominator: it
// can never be found, and leaving it out would flatter a cut corpus. Load counts
// such judgements in Tally.
//
// The package knows no system and has no model of text. It does not fit
// anything, and it never starts more than one call at a time.
package eval
