package client

// What goes over the wire and has no exported type, for the comparison with the
// description of the API.
type (
	Problem    = problem
	Entry      = entry
	Pagination = pagination
)
