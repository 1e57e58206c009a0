package main

import "fmt"

type configCheckCmd struct {
	serviceFlags
}

// Help implements kong.HelpProvider.
func (configCheckCmd) Help() string {
	return `Takes the flags of "orgd serve", reads the environment and the file as it would, and reports every mistake at once, with exit code 2. Without mistakes it prints the whole configuration as a file for --config: each setting with where it comes from, secrets masked. Nothing is opened or connected.

Examples:

    orgd config check --config orgd.yaml

    # begin a file with the defaults
    orgd config check > orgd.yaml`
}

// Run prints the effective configuration on standard output.
func (c *configCheckCmd) Run(p *process) error {
	cfg, err := p.loadValid()
	if err != nil {
		return err
	}
	text, err := cfg.Describe()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.stdout, text)
	return err
}
