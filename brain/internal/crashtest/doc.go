// Package crashtest crashes the store on purpose and looks at what is left. It
// is tests only; nothing imports it.
//
//   - Layer A, power loss ([TestPowerLoss], [TestPowerLossEveryOp]): the store
//     runs on a file system that remembers what was synced. At one operation of
//     the file system, or at each, the power goes: what was synced is kept, of
//     the rest every block and directory entry with a probability of 0 to 100 %.
//   - Layer B, errors ([TestWriteErrors], [TestReadErrors]): the n-th operation
//     of the file system fails, for every n, once or from then on.
//   - Layer C, kill -9 ([TestKill]): a second process commits on a real disk and
//     is killed.
//
// What must hold afterwards is decided outside the store. Every change carries a
// number in the body of its event; the rows of the reopened store are read as a
// list of such numbers and played back on a map ([check]). So the map, the rows
// and the data must agree, every acknowledged receipt must be there with its
// digest and its head, and a change that failed must have left nothing.
//
// It does not damage files that were written (that is for the doctor's tests)
// and it does not fill a real disk.
//
// # How much is run
//
// The plain go test runs a share. BRAIN_LONG=1 runs everything: 2,000 power
// losses, every operation of the long workload, every n of layer B, 50 kills.
// The flags -crash.seeds, -crash.seed and -crash.kills choose by hand. A failure
// prints the command that runs its seed again. The seed fixes the workload, the
// point and what survives; goroutines of the engine may still interleave in
// another way, so a rare one may need -count.
package crashtest
