package client

import "strconv"

// Code is an error code of the API. It is an error itself, so errors.Is finds it
// in what a method returns. Its first digit is the category. A code that has no
// constant here comes from a newer service.
type Code int

// The codes. The service repeats none of the answers except those of
// [ErrRateLimited], [ErrOperationLimited], [ErrConcurrencyLimited] and
// [ErrUnavailable]; these the client has tried again before it returns them.
const (
	// ErrUnauthorized says that the token is missing, expired or not valid.
	ErrUnauthorized Code = 1000
	// ErrForbidden says that the token's role does not suffice.
	ErrForbidden Code = 1001
	// ErrSessionRevoked says that the token's session was logged out or revoked.
	ErrSessionRevoked Code = 1002
	// ErrValidation says that a rule over several fields, or over the state, is
	// broken.
	ErrValidation Code = 2000
	// ErrRequestValidation says that one thing is wrong by itself.
	ErrRequestValidation Code = 2001
	// ErrNotFound says that the addressed resource does not exist.
	ErrNotFound Code = 3000
	// ErrRecordNotFound says that a record that should be there is not.
	ErrRecordNotFound Code = 3001
	// ErrRouteNotFound says that the service does not have this operation.
	ErrRouteNotFound Code = 3002
	// ErrConflict says that the request is not possible in the current state.
	ErrConflict Code = 4000
	// ErrDuplicate says that what is to be created exists.
	ErrDuplicate Code = 4001
	// ErrVersionConflict says that the condition of [IfMatch] or [IfNoneMatch] did
	// not hold.
	ErrVersionConflict Code = 4002
	// ErrRateLimited says that there were too many requests.
	ErrRateLimited Code = 5000
	// ErrOperationLimited says that there were too many requests of one operation.
	ErrOperationLimited Code = 5001
	// ErrConcurrencyLimited says that too many requests of one operation are
	// running, or the first one with the same key.
	ErrConcurrencyLimited Code = 5002
	// ErrBudgetExhausted is reserved: no operation answers it yet.
	ErrBudgetExhausted Code = 6000
	// ErrProvider is reserved: no operation answers it yet.
	ErrProvider Code = 7000
	// ErrInternal is an unexpected error of the service.
	ErrInternal Code = 8000
	// ErrUnavailable says that something that the service needs is down, or that
	// it is stopping.
	ErrUnavailable Code = 8001
	// ErrPersistence says that the storage failed, but is not down.
	ErrPersistence Code = 8002
)

var codeNames = map[Code]string{
	ErrUnauthorized:       "UNAUTHORIZED",
	ErrForbidden:          "FORBIDDEN",
	ErrSessionRevoked:     "SESSION_REVOKED",
	ErrValidation:         "VALIDATION_ERROR",
	ErrRequestValidation:  "REQUEST_VALIDATION_ERROR",
	ErrNotFound:           "RESOURCE_NOT_FOUND",
	ErrRecordNotFound:     "RECORD_NOT_FOUND",
	ErrRouteNotFound:      "ROUTE_NOT_FOUND",
	ErrConflict:           "RESOURCE_CONFLICT",
	ErrDuplicate:          "DUPLICATE_RECORD",
	ErrVersionConflict:    "VERSION_CONFLICT",
	ErrRateLimited:        "RATE_LIMITED",
	ErrOperationLimited:   "PER_OPERATION_RATE_LIMITED",
	ErrConcurrencyLimited: "CONCURRENCY_LIMIT_EXCEEDED",
	ErrBudgetExhausted:    "BUDGET_EXHAUSTED",
	ErrProvider:           "PROVIDER_ERROR",
	ErrInternal:           "INTERNAL_ERROR",
	ErrUnavailable:        "SERVICE_UNAVAILABLE",
	ErrPersistence:        "PERSISTENCE_ERROR",
}

// String is the code with its published name, such as "3000 RESOURCE_NOT_FOUND".
func (c Code) String() string {
	text := strconv.Itoa(int(c))
	if name, ok := codeNames[c]; ok {
		text += " " + name
	}
	return text
}

// Error implements error.
func (c Code) Error() string { return c.String() }

// Category is the kind of an error, the same for all codes with one first digit.
type Category string

// The categories.
const (
	CategoryAuth       Category = "auth"
	CategoryValidation Category = "validation"
	CategoryNotFound   Category = "not_found"
	CategoryConflict   Category = "conflict"
	CategoryRateLimit  Category = "rate_limit"
	CategoryBudget     Category = "budget_exhausted"
	CategoryProvider   Category = "provider_error"
	CategoryInternal   Category = "internal"
)
