package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/agent"
)

// nameDoc says that an agent has, or is about to take, a name. It counts while
// the agent has the name by the same token.
type nameDoc struct {
	Key   string `bson:"_id"`
	Agent string `bson:"agent"`
	Op    string `bson:"op"`
	At    int64  `bson:"at"`
}

// freedName is a name that an agent had by the token Op.
type freedName struct {
	Key string `bson:"key"`
	Op  string `bson:"op"`
}

// claimName reserves the name of an attempt for its agent, or returns
// agent.ErrExists.
func (db *DB) claimName(ctx context.Context, a *attempt) error {
	mine := nameDoc{Key: string(a.name.Key), Agent: a.home.ID, Op: a.op, At: a.begun}
	return retry(ctx, func() (bool, error) {
		stored, err := db.insert(ctx, namesColl, mine)
		if stored || err != nil {
			return stored, err
		}
		var held nameDoc
		err = db.find(ctx, db.strict(namesColl), byKey(mine.Key), nil, &held)
		if errors.Is(err, mongo.ErrNoDocuments) {
			return false, nil
		}
		if err != nil || held.Op == a.op {
			return held.Op == a.op, err
		}
		free, err := db.isFree(ctx, held)
		if err != nil || !free {
			return false, err
		}
		return db.update(ctx, namesColl, bson.D{is("_id", held.Key), is("op", held.Op)},
			set(is("agent", mine.Agent), is("op", mine.Op), is("at", mine.At)))
	})
}

// isFree reports whether nobody has or gets the name by this claim. If an agent
// has it the error is agent.ErrExists; false means to look again later.
func (db *DB) isFree(ctx context.Context, held nameDoc) (bool, error) {
	if has, err := db.hasName(ctx, held); err != nil || has {
		return false, orExists(err)
	}
	v, err := db.decide(ctx, home{agentsColl, held.Agent}, held.Op, held.At, false)
	if err != nil || v != fenced {
		return false, err
	}
	if has, err := db.hasName(ctx, held); err != nil || has {
		return false, orExists(err)
	}
	return true, nil
}

func orExists(err error) error {
	if err != nil {
		return err
	}
	return agent.ErrExists
}

// hasName reports whether the agent of a claim agrees with it.
func (db *DB) hasName(ctx context.Context, held nameDoc) (bool, error) {
	filter := bson.D{is("_id", held.Agent), is("key", held.Key), is("name_op", held.Op)}
	err := db.find(ctx, db.strict(agentsColl), filter, fields("_id"), &head{})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil, err
}

// freeName gives a name back unless it was claimed anew since.
func (db *DB) freeName(ctx context.Context, freed freedName) error {
	_, err := db.remove(ctx, namesColl, bson.D{is("_id", freed.Key), is("op", freed.Op)})
	return err
}

// dropClaim gives the name of an attempt back, unless the attempt was settled
// meanwhile and the agent has it.
func (db *DB) dropClaim(ctx context.Context, i intent) error {
	has, err := db.hasName(ctx, nameDoc{Key: i.Name, Agent: i.Home.ID, Op: i.Op})
	if err != nil || has {
		return err
	}
	return db.freeName(ctx, freedName{i.Name, i.Op})
}
