package account

import (
	"maps"
	"slices"

	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Profiles lists the stored profiles.
type Profiles struct{ terminal.ListFlag }

// Help implements kong.HelpProvider.
func (Profiles) Help() string {
	return `Lists the profiles that "orgd login" has stored, without their tokens. The current one is the one that ORGD_PROFILE names, else "default".

Example:

    orgd profiles`
}

// listedProfile is a profile without its token.
type listedProfile struct {
	Name    string `json:"name"`
	Server  string `json:"server"`
	Current bool   `json:"current"`
}

// Run prints the profiles on standard output.
func (c *Profiles) Run(t *terminal.Terminal) error {
	store, err := remote.Profiles(t.UserDir)
	if err != nil {
		return err
	}
	saved, err := store.All()
	if err != nil {
		return err
	}
	used, _ := remote.ProfileFlag{}.Name(t.Getenv)
	all := []listedProfile{}
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		all = append(all, listedProfile{name, saved[name].Server, name == used})
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("PROFILE", "SERVER", "CURRENT")
		for _, p := range all {
			star := ""
			if p.Current {
				star = "*"
			}
			table.Row(p.Name, p.Server, star)
		}
	})
}
