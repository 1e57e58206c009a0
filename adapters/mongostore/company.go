package mongostore

import (
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/company"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

var _ ports.CompanyStore = (*Company)(nil)

// Company keeps the one company.
type Company struct{ db *DB }

// NewCompany returns the company in db.
func NewCompany(db *DB) *Company { return &Company{db} }

const companyID = "company"

// companyDoc is the company with a seat for each department: the order, the
// shares of the budget and the existence of departments are decided here.
type companyDoc struct {
	Head     head   `bson:",inline"`
	Doc      string `bson:"doc"`
	Revision int64  `bson:"revision"`
	Updated  int64  `bson:"updated"`
	Seats    []seat `bson:"seats"` // in their order
	// Costs is set once a cost is recorded. Until then Costing lists the batches
	// that may be about to record the first one.
	Costs   bool     `bson:"costs"`
	Costing []string `bson:"costing"`
}

// seat is what the company knows of a department.
type seat struct {
	Key string `bson:"key"`
	// Name is as the department writes it. A release that does not know of it
	// leaves it out.
	Name  string `bson:"name,omitempty"`
	ID    string `bson:"id"`
	Place string `bson:"place"`
	Share int64  `bson:"share"`
	// Closing is set while the department is being deleted.
	Closing *closing `bson:"closing,omitempty"`
}

type closing struct {
	Op string `bson:"op"`
	At int64  `bson:"at"`
}

// company reads the company after everything it owes has been paid.
func (db *DB) company(ctx context.Context) (d companyDoc, err error) {
	err = retry(ctx, func() (bool, error) {
		d = companyDoc{}
		if err := db.find(ctx, db.coll(companyColl), byKey(companyID), nil, &d); err != nil {
			return false, missing(err)
		}
		return len(d.Head.Pending) == 0, db.settle(ctx, companyHome, d.Head.Pending)
	})
	return d, err
}

// missing is the error of a database that was never migrated.
func missing(err error) error {
	if isFault(err) {
		return err
	}
	return unavailable(fmt.Errorf("mongostore: read company: %w", err))
}

func (d companyDoc) company() (company.Company, error) {
	c, err := company.Parse([]byte(d.Doc))
	if err != nil {
		return company.Company{}, fmt.Errorf("mongostore: read company: %w", err)
	}
	for _, s := range d.Seats {
		c.Seats = append(c.Seats, company.Seat{Place: company.Place(s.Place), Department: name.Key(s.Key)})
	}
	c.Revision, c.UpdatedAt = d.Revision, fromMillis(d.Updated)
	return c, nil
}

// companyFields are what a change of the company, but not of its seats, writes.
func companyFields(c company.Company) bson.D {
	return bson.D{is("doc", string(c.Canonical())), is("revision", c.Revision), is("updated", millis(c.UpdatedAt))}
}

// seat returns the seat of a department, or nil.
func (d companyDoc) seat(key name.Key) *seat {
	for i := range d.Seats {
		if d.Seats[i].Key == string(key) {
			return &d.Seats[i]
		}
	}
	return nil
}

// seatsOf puts the seats into the order of c. fresh is the seat of a department
// that c has and d has not.
func (d companyDoc) seatsOf(c company.Company, fresh *seat) []seat {
	known := make(map[string]seat, len(d.Seats)+1)
	for _, s := range d.Seats {
		known[s.Key] = s
	}
	if fresh != nil {
		known[fresh.Key] = *fresh
	}
	seats := make([]seat, len(c.Seats))
	for i, s := range c.Seats {
		seats[i] = known[string(s.Department)]
		seats[i].Place = string(s.Place)
	}
	return seats
}

// shares is the sum of all departments' shares but that of one.
func (d companyDoc) shares(but name.Key) (sum money.Percent) {
	for _, s := range d.Seats {
		if s.Key != string(but) {
			sum += money.Percent(s.Share)
		}
	}
	return sum
}

// Company implements [ports.CompanyStore].
func (s *Company) Company(ctx context.Context) (company.Company, error) {
	d, err := s.db.company(ctx)
	if err != nil {
		return company.Company{}, err
	}
	return d.company()
}

// Update implements [ports.CompanyStore].
func (s *Company) Update(ctx context.Context, change func(company.Company, bool) (ports.CompanyStep, error)) (company.Company, error) {
	var result company.Company
	err := retry(ctx, func() (bool, error) {
		d, err := s.db.company(ctx)
		if err != nil {
			return false, err
		}
		if !d.Costs && len(d.Costing) > 0 {
			return false, s.db.resolveCosting(ctx, d.Costing)
		}
		before, err := d.company()
		if err != nil {
			return false, err
		}
		step, err := change(before, d.Costs)
		if err != nil {
			return false, err
		}
		result = step.Company
		if step.Company.Revision == step.From {
			return true, s.db.leaveReceipt(ctx, step.Receipt)
		}
		a := s.db.attempt(companyHome, &d.Head, step.Note)
		a.set = append(companyFields(step.Company), is("seats", d.seatsOf(step.Company, nil)))
		return s.db.try(ctx, a)
	})
	if err != nil {
		return company.Company{}, err
	}
	return result, nil
}

// behind returns the seats behind a place, in their order.
func (d companyDoc) behind(after company.Place) []seat {
	at, found := slices.BinarySearchFunc(d.Seats, string(after), func(s seat, place string) int {
		switch {
		case s.Place < place:
			return -1
		case s.Place > place:
			return 1
		}
		return 0
	})
	if found {
		at++
	}
	return d.Seats[at:]
}
