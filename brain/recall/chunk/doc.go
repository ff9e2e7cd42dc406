// Package chunk cuts a document into the pieces that recall indexes and
// returns. It is pure: bytes in, chunks out, the same on every machine, in time
// linear in the body, safe for concurrent use. It keeps no state, reads no
// files and knows nothing of stores, URIs or languages.
//
// # Where it cuts
//
// Markdown (CommonMark with GFM tables, block structure by goldmark) is cut
// into sections at headings of level 1 and 2. A section over the cap splits at
// the shallowest deeper heading it holds, then at blocks, list items, table
// rows (the header is repeated in the text of each continuation), lines, and
// last inside a line: after a sentence, after white space, or between two
// graphemes. A code fence is only cut when the fence alone is over the cap.
// Parts of one oversize run are made about equally long. A piece under the
// minimum joins the piece after it, or the one before it when the one after
// opens a higher section.
//
// Sizes are estimated tokens: characters (runes) divided by four.
//
// # What a chunk says
//
// [Chunk.Start] and [Chunk.End] are exact bytes of the body that was given.
// Chunks are in order and never overlap; every byte after the front matter that
// is not white space lies in exactly one chunk, except what hygiene strips.
// [Chunk.Breadcrumb] is the path of headings that all content of the chunk has
// in common, so a chunk that joins two sections carries their common ancestor.
// [Chunk.Headings] are the headings above the chunk and those inside it. Heading
// lines stay in the text. Headings inside quotes and list items are text only.
//
// # Memory files
//
// A level-2 heading in brackets, `## [2026-11-02 10:31] subject` or `## [fact]`,
// opens an entry: it gets a chunk of its own that never joins another, with the
// label parsed in [Chunk.Entry]. A linked heading `## [text](url)`, a wiki link
// or a check box is not an entry.
//
// # Hygiene
//
// Blocks and lines that begin with a prefix of [Options.SkipPrefixes], and
// reasoning traces (<think>, <thinking>, <reasoning>, <reflection>, <analysis>),
// are left out of [Chunk.Text]; the span and the stored bytes keep them. Tags in
// code blocks and code spans are text. An opening tag at the start of a line
// pairs with its closing tag anywhere later; unclosed, it strips to the end of
// its block and gives a warning. A tag inside a line counts only when it is
// closed in the same block. Wiki links and inline #tags are left as text: `#` is
// also an issue number, a colour and a preprocessor line.
//
// # Limits
//
// Nesting deeper than 16 blocks is read as text. Markdown over 1 MiB or 50,000
// lines is read by line rules (headings, fences, tables, paragraphs) in place of
// the syntax tree, which would take some hundred bytes of memory for every byte;
// the result says so with a warning. After 262,144 blocks the rest is one block.
package chunk
