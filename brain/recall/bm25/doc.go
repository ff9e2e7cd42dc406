// Package bm25 is the lexical leg of recall: it turns text into terms, keeps
// them in an inverted index, and ranks the documents of a set by BM25F for a
// query.
//
// Use: an [Analyzer] turns a [Doc] into [Terms], slowly and outside any lock;
// [Index.Add] appends them; [Index.Corpus] counts the statistics of the
// documents that a caller may know of; [Index.Query] reads a query, and
// [Index.Search], [Index.All], [Index.Score] and [Index.Explain] answer it over
// that corpus.
//
// # Terms
//
// Text is compared in Unicode's NFKC_Casefold form: composed and decomposed,
// full-width and half-width, upper and lower case are the same, and what is
// invisible is not there. It is cut by UAX 29 and gives
//
//   - words, stemmed by the Snowball stemmer of the document's language;
//   - for scripts without spaces between words, every character and every pair;
//   - emoji and symbols, one by one, of any skin tone;
//   - parts of identifiers (camelCase, snake_case, utf8) besides the whole;
//   - names with punctuation as written (C++, GB/s, .NET, src/query.rs, --flag)
//     besides their words;
//   - weak terms: 33 English stop words, punctuation, ASCII symbols, controls.
//     They are in the index, do not count in lengths and are looked for only by
//     a query that has nothing else.
//
// A query goes the same way as a document, under every language that documents
// of the corpus are in; a word counts once, by its best reading. Words are
// joined by OR. No text is a syntax error.
//
// # Segments
//
// New documents are in memory; whole units of 4,096 become immutable segments,
// and segments become larger ones, by tasks that the owner asks for and runs
// where it likes:
//
//	for task := ix.Plan(); task != nil; task = ix.Plan() { // under the read lock
//		s, err := task.Run(ctx)                            // under none
//		…                                                  // store s.Bytes()
//		err = ix.Install(s)                                // under the write lock
//	}
//
// [Decode] reads what was stored and [Index.Append] puts it in place of adding
// the documents again; [Index.Tail] makes the bytes of those that are in no
// whole unit yet. Segments are a function of the documents alone, bytes
// included, and change no answer. State that was stored belongs to one
// [Analyzer.ID], one set of weights and one [SegmentFormat].
//
// # What it does not do
//
// It keeps no positions: phrases and excluded terms are found by
// [Index.Candidates] and checked on stored text by [MatchPhrase] and
// [MatchCode]. An excluded term leaves out the documents for which one of these
// is true, so words that only share its stem stay. It stores no text, removes
// no document, writes no file and starts no goroutine; which documents are live
// and visible comes in as bitmaps. Ordinals and term bytes are counted in 32 bits: at most 4,294,967,295
// documents, 4 GiB of distinct terms and as many postings.
//
// Results are the same bits on every machine: no fused multiply-add, logarithms
// of detmath, sums in the order of the query.
package bm25
