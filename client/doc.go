// Package client is the Go client of the organization service.
//
// A [Client] has one method for each operation of the API. It needs nothing but
// the standard library and is safe for concurrent use:
//
//	c, err := client.New(client.Config{
//		BaseURL: "https://orgd.example.com",
//		Token:   client.StaticToken(os.Getenv("ORGD_TOKEN")),
//	})
//
// # Repeating
//
// The client repeats a request that the service calls retryable and one that
// was lost on the way, at most three attempts in all. It waits as long as the
// service asks, otherwise from one second on, and never past the deadline of
// the context. That is safe for every request: changes are merge patches, and
// each POST has an Idempotency-Key, which is the same in all attempts.
//
// # Errors
//
// An error answer is an [*Error], and errors.Is finds its [Code]:
//
//	if errors.Is(err, client.ErrNotFound) {
//
// The codes that are not retryable come back at once. A request without an answer
// is a [*Failure]. [Error.Uncertain] and [Failure.Uncertain] tell whether the
// request may have had its effect all the same.
//
// # Changing things
//
// [Client.PatchAgent] and its siblings send a merge patch. [IfMatch] guards it by
// the tag of what was read.
//
// # Runtimes
//
// A [Runtime] is for programs that run agents. It keeps which version of an agent a label
// names, in memory and on disk, and reports what agents do until it is accepted, also when
// the service does not answer or the program is killed. [Runtime.Task] does both for a task.
//
// # Values
//
// Numbers that the service keeps exactly are [Decimal]s, which are text and lose
// nothing. Free-form objects are [Object]s; whole numbers of any size come back
// equal. What may be null is a pointer, a map or a slice. What is left empty in an
// input is not sent, and the service takes its default. Words of a closed list are
// string types with constants; a word that this version does not know yet is kept
// as it came.
package client
