package fault

import (
	"maps"
	"slices"
)

// Code is a four-digit error code of the interface. Its first digit is the
// category.
type Code int

// The codes of the interface, complete. BudgetExhausted and Provider are
// reserved by it: no operation of this service answers them.
const (
	Unauthorized       Code = 1000 // missing or invalid credentials
	Forbidden          Code = 1001 // authenticated, insufficient permission
	SessionRevoked     Code = 1002 // session logged out or revoked
	Validation         Code = 2000 // a rule over several fields or the state
	RequestValidation  Code = 2001 // one thing that is wrong by itself
	NotFound           Code = 3000 // the addressed resource does not exist
	RecordNotFound     Code = 3001 // a record that should be there is not
	RouteNotFound      Code = 3002 // no such endpoint
	Conflict           Code = 4000 // not possible in the current state
	Duplicate          Code = 4001 // the thing to create exists
	VersionConflict    Code = 4002 // If-Match or If-None-Match failed
	RateLimited        Code = 5000 // too many requests
	OperationLimited   Code = 5001 // sliding window of one operation is full
	ConcurrencyLimited Code = 5002 // too many of one operation at once
	BudgetExhausted    Code = 6000 // reserved
	Provider           Code = 7000 // reserved
	Internal           Code = 8000 // unexpected
	Unavailable        Code = 8001 // a required service is down or draining
	Persistence        Code = 8002 // storage failed, but is not down
)

// Codes lists every code of the interface in ascending order.
func Codes() []Code { return slices.Sorted(maps.Keys(codeNames)) }

var codeNames = map[Code]string{
	Unauthorized:       "UNAUTHORIZED",
	Forbidden:          "FORBIDDEN",
	SessionRevoked:     "SESSION_REVOKED",
	Validation:         "VALIDATION_ERROR",
	RequestValidation:  "REQUEST_VALIDATION_ERROR",
	NotFound:           "RESOURCE_NOT_FOUND",
	RecordNotFound:     "RECORD_NOT_FOUND",
	RouteNotFound:      "ROUTE_NOT_FOUND",
	Conflict:           "RESOURCE_CONFLICT",
	Duplicate:          "DUPLICATE_RECORD",
	VersionConflict:    "VERSION_CONFLICT",
	RateLimited:        "RATE_LIMITED",
	OperationLimited:   "PER_OPERATION_RATE_LIMITED",
	ConcurrencyLimited: "CONCURRENCY_LIMIT_EXCEEDED",
	BudgetExhausted:    "BUDGET_EXHAUSTED",
	Provider:           "PROVIDER_ERROR",
	Internal:           "INTERNAL_ERROR",
	Unavailable:        "SERVICE_UNAVAILABLE",
	Persistence:        "PERSISTENCE_ERROR",
}

// String is the code's published name, such as "RATE_LIMITED".
func (c Code) String() string { return codeNames[c] }

// Retryable reports whether a client may send the request again unchanged.
func (c Code) Retryable() bool {
	switch c {
	case RateLimited, OperationLimited, ConcurrencyLimited, Unavailable:
		return true
	}
	return false
}

// Category is one of the interface's error categories.
type Category struct {
	Name  string // such as "rate_limit", also the anchor in the error pages
	Title string // the static title of its problem documents
}

var categories = [...]Category{
	1: {"auth", "Authentication Error"},
	2: {"validation", "Validation Error"},
	3: {"not_found", "Resource Not Found"},
	4: {"conflict", "Resource Conflict"},
	5: {"rate_limit", "Rate Limit Exceeded"},
	6: {"budget_exhausted", "Budget Exhausted"},
	7: {"provider_error", "Provider Error"},
	8: {"internal", "Internal Server Error"},
}

// Category returns the category that the code's first digit names.
func (c Code) Category() Category { return categories[c/1000] }
