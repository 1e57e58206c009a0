package load

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	_ "modernc.org/sqlite" // the driver of the embedded store

	"orgd/adapters/system"
)

// thin is what gin and SQLite alone can do: agents are documents that are sent as they
// are stored, and a change stores a version and an event beside its agent. Changes that
// wait are committed together, with the settings of the embedded store. There are no
// rules, tokens, limits, indexes to filter by, audit entries and caches.
type thin struct {
	agent   *sql.Stmt
	changes chan *thinChange
}

// thinAgent is a document of about the size of those of the service.
type thinAgent struct {
	ID           string          `json:"id"`
	Name         string          `json:"name" binding:"required"`
	Role         string          `json:"role" binding:"required"`
	Department   string          `json:"department" binding:"required"`
	Level        string          `json:"level"`
	Description  string          `json:"description"`
	Instructions string          `json:"instructions"`
	Model        json.RawMessage `json:"model"`
	Tools        json.RawMessage `json:"tools"`
	Personality  json.RawMessage `json:"personality"`
	CreatedAt    time.Time       `json:"created_at"`
	UpdatedAt    time.Time       `json:"updated_at"`
}

// defaults are the fields that clients leave out.
const defaults = `{"personality":{"authority":{"budget_limit":0,"can_approve":[],"can_delegate_to":[],"reports_to":null},` +
	`"memory":{"retention_days":null,"retention_overrides":[],"type":"session"},"metadata":{},` +
	`"agreeableness":0.5,"collaboration":"team","communication_style":"neutral","conflict_approach":"collaborate",` +
	`"conscientiousness":0.5,"creativity":"medium","decision_making":"consultative","extraversion":0.5,` +
	`"openness":0.5,"risk_tolerance":"medium","stress_response":0.5,"traits":[],"verbosity":"balanced",` +
	`"skills":{"primary":[],"secondary":[]},"status":"active","strategic_output_mode":null}}`

// thinChange is an agent that is stored as one more revision.
type thinChange struct {
	name         string
	agent, event []byte
	id           int64 // of the row; 0 for a new agent
	revision     int64 // of the agent as it was read
	done         chan error
}

const thinSchema = `
CREATE TABLE agents (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE versions (agent INTEGER NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (agent, number)) WITHOUT ROWID;
CREATE TABLE events (id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, body TEXT NOT NULL);`

// thinHandler opens a new database in a directory.
func thinHandler(dir string) (http.Handler, error) {
	file := "file:" + filepath.ToSlash(filepath.Join(dir, "thin.db")) + "?_busy_timeout=2000&_pragma=temp_store(memory)&_pragma=journal_mode(wal)"
	writing, err := sql.Open("sqlite", file+"&_pragma=synchronous(full)&_pragma=wal_autocheckpoint(12288)&_pragma=cache_size(-16384)")
	if err == nil {
		writing.SetMaxOpenConns(1)
		_, err = writing.Exec(thinSchema)
	}
	if err != nil {
		return nil, err
	}
	writer, err := prepare(writing, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK",
		"INSERT INTO agents (name, revision, body) VALUES (?, 1, ?) RETURNING id",
		"UPDATE agents SET revision = ?2 + 1, body = ?3 WHERE id = ?1 AND revision = ?2",
		"INSERT INTO versions VALUES (?, ?, ?)", "INSERT INTO events (agent, body) VALUES (?, ?)")
	if err != nil {
		return nil, err
	}
	reading, err := sql.Open("sqlite", file+"&_query_only=1&_pragma=cache_size(-2048)")
	if err != nil {
		return nil, err
	}
	reading.SetMaxOpenConns(8)
	reading.SetMaxIdleConns(8)
	reads, err := prepare(reading, "SELECT id, revision, body FROM agents WHERE name = ?",
		"SELECT id, body FROM agents WHERE id > ? ORDER BY id LIMIT ?",
		"SELECT id, body FROM events WHERE id < ? ORDER BY id DESC LIMIT ?")
	if err != nil {
		return nil, err
	}
	s := &thin{agent: reads[0], changes: make(chan *thinChange, connections)}
	go s.write(writer)
	e := gin.New()
	e.GET("/api/v1/agents/:name", s.get)
	e.GET("/api/v1/agents", page(reads[1], "0"))
	e.GET("/api/v1/activities", page(reads[2], strconv.Itoa(math.MaxInt64)))
	e.POST("/api/v1/agents", s.create)
	e.PATCH("/api/v1/agents/:name", s.update)
	return e, nil
}

func prepare(db *sql.DB, queries ...string) (all []*sql.Stmt, err error) {
	for _, q := range queries {
		s, failed := db.Prepare(q)
		all, err = append(all, s), errors.Join(err, failed)
	}
	return all, err
}

// write commits what waits, in one transaction. If a change fails, all in it do.
func (s *thin) write(stmts []*sql.Stmt) {
	begin, commit, rollback := stmts[0], stmts[1], stmts[2]
	for first := range s.changes {
		batch := []*thinChange{first}
		_, err := begin.Exec()
		for i := 0; i < len(batch) && err == nil; i++ {
			err = batch[i].store(stmts[3], stmts[4], stmts[5], stmts[6])
			select {
			case c := <-s.changes:
				batch = append(batch, c)
			default:
			}
		}
		if err == nil {
			_, err = commit.Exec()
		}
		if err != nil {
			_, undo := rollback.Exec()
			err = errors.Join(err, undo)
		}
		for _, c := range batch {
			c.done <- err
		}
	}
}

func (c *thinChange) store(insert, update, version, event *sql.Stmt) error {
	if c.id == 0 {
		if err := insert.QueryRow(c.name, string(c.agent)).Scan(&c.id); err != nil {
			return err
		}
	} else {
		r, err := update.Exec(c.id, c.revision, string(c.agent))
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); n != 1 {
			return fmt.Errorf("agent %q has changed meanwhile, %w", c.name, err)
		}
	}
	_, err := version.Exec(c.id, c.revision+1, string(c.agent))
	if err == nil {
		_, err = event.Exec(c.id, string(c.event))
	}
	return err
}

func (s *thin) get(c *gin.Context) {
	found, err := s.find(c.Param("name"))
	answer(c, http.StatusOK, found.agent, "", err)
}

func (s *thin) find(name string) (found thinChange, err error) {
	err = s.agent.QueryRow(name).Scan(&found.id, &found.revision, &found.agent)
	return found, err
}

func (s *thin) create(c *gin.Context) {
	s.change(c, thinChange{agent: []byte(defaults)}, "hired", http.StatusCreated)
}

func (s *thin) update(c *gin.Context) {
	found, err := s.find(c.Param("name"))
	if err != nil {
		answer(c, 0, nil, "", err)
		return
	}
	s.change(c, found, "changed", http.StatusOK)
}

// change stores an agent with what the client sends in the place of its fields.
func (s *thin) change(c *gin.Context, change thinChange, what string, status int) {
	var a thinAgent
	err := json.Unmarshal(change.agent, &a)
	if err == nil {
		err = c.ShouldBindJSON(&a)
	}
	ids := system.IDs{}
	if a.UpdatedAt = time.Now().UTC(); change.id == 0 {
		a.ID, a.CreatedAt = ids.NewID(), a.UpdatedAt
	}
	if err == nil {
		change.agent, err = json.Marshal(a)
	}
	change.event = fmt.Appendf(nil, `{"id":%q,"event_type":%q,"timestamp":%q,"agent_id":%q,"agent_name":%q,"description":%q,"data":null}`,
		ids.NewID(), what, a.UpdatedAt.Format(time.RFC3339Nano), a.ID, a.Name, what+" as "+a.Role)
	if change.name, change.done = a.Name, make(chan error, 1); err == nil {
		s.changes <- &change
		err = <-change.done
	}
	answer(c, status, change.agent, "", err)
}

var lists = sync.Pool{New: func() any { return new([]byte) }}

// page serves the rows of a query behind a cursor.
func page(query *sql.Stmt, start string) gin.HandlerFunc {
	return func(c *gin.Context) {
		rows, err := query.Query(c.DefaultQuery("cursor", start), c.Query("limit"))
		if err != nil {
			answer(c, 0, nil, "", err)
			return
		}
		defer rows.Close() // says nothing that rows.Err has not said
		var last int64
		var text string
		list := lists.Get().(*[]byte)
		defer lists.Put(list)
		*list = append((*list)[:0], '[')
		for rows.Next() && err == nil {
			err = rows.Scan(&last, &text)
			*list = append(append(*list, text...), ',')
		}
		(*list)[len(*list)-1] = ']'
		answer(c, http.StatusOK, *list, strconv.FormatInt(last, 10), errors.Join(err, rows.Err()))
	}
}

// answer sends a document in an envelope, or what went wrong.
func answer(c *gin.Context, status int, body []byte, cursor string, err error) {
	if err != nil {
		c.JSON(http.StatusInternalServerError, gin.H{"error": err.Error()})
		return
	}
	const start = `{"data":`
	end := fmt.Sprintf(`,"error":null,"success":true,"pagination":{"next_cursor":%q}}`, cursor)
	c.Header("Content-Type", "application/json")
	c.Header("Content-Length", strconv.Itoa(len(start)+len(body)+len(end)))
	c.Status(status)
	for _, part := range [][]byte{[]byte(start), body, []byte(end)} {
		_, _ = c.Writer.Write(part) // it fails if the client has left
	}
}
