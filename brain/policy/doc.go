// Package policy says who may do what to which name. It is pure: it reads no
// clock, no file and no network, and a [Set] never changes, so a caller swaps
// one pointer and every answer is wholly of the old rules or of the new.
//
// [Set.Evaluate] asks in this order and stops at the first answer:
//
//  1. what is built in: an actor without a valid name or kind, an unknown
//     action and a missing name are denied; an agent never reviews, decides,
//     releases or changes the policy; nobody decides on their own proposal;
//  2. floors: a floor that holds for the actor, the action and the name denies,
//     and no rule lifts it;
//  3. path rules, most specific pattern first (uri.Pattern.Specificity): the
//     first pattern with a rule that holds decides; where several rules share
//     it, deny wins;
//  4. rules by user (an actor, or a group it is in); deny wins;
//  5. rules by role; deny wins;
//  6. defaults by kind or for any actor; deny wins;
//  7. deny.
//
// A rule holds when one of its subjects is the actor and the action is listed.
// No action implies another: write does not read, and a role that administers
// does not read either unless a rule says so. The order in which rules are
// written means nothing.
//
// Uncertainty never grants. Groups may nest up to 16 deep; membership through a
// longer chain or through a group that contains itself grants nothing, yet still
// denies. Only an allow may expire, at the instant that its rule names, judged
// by the time that the caller passes: the larger of the clock and the newest
// time it has stored, so that a clock set back revives nothing.
//
// Rules are data: [Parse] reads JSON, [Set.Encode] writes the one canonical
// spelling, and [Set.Digest] is its SHA-256, which every decision carries.
//
// [Set.Scope] is the answer to "what may this actor read" as a value, for
// callers that filter many names. The package does not know what a document
// holds, whether it exists, or whether it waits for approval.
package policy
