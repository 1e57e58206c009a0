// Command supplychain tells what the program is linked from, on all systems that
// it is released for:
//
//	supplychain notices                the licence of each module, word for word
//	supplychain sbom -version v1.2.3   a bill of materials, in CycloneDX JSON
//	supplychain check BINARY...        nothing, if the bill names all that is in them
//	supplychain systems                the systems
//	supplychain zip FILE DIRECTORY     an archive of a directory, for Windows
//	supplychain unzip FILE DIRECTORY   what is in it
//
// It reads go.mod and the module cache, and fails for a module whose licence is
// missing, unknown or not among those that are allowed.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "supplychain:", err)
		os.Exit(1)
	}
}

// run writes what args ask for.
func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("supplychain", flag.ContinueOnError)
	version := flags.String("version", "devel", "version of the program")
	at := flags.String("time", "", "time of its commit, as RFC 3339")
	if len(args) == 0 {
		return errors.New("say notices, sbom, check, systems, zip or unzip")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch {
	case args[0] == "zip" && flags.NArg() == 2:
		return zipDirectory(flags.Arg(0), flags.Arg(1))
	case args[0] == "unzip" && flags.NArg() == 2:
		return unzip(flags.Arg(0), flags.Arg(1))
	}
	all, err := linked(*version)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(stdout)
	switch args[0] {
	case "notices":
		err = writeNotices(out, all)
	case "sbom":
		if _, err := time.Parse(time.RFC3339, *at); *at != "" && err != nil {
			return err
		}
		err = writeBill(out, all, *at)
	case "systems":
		_, err = fmt.Fprintln(out, strings.Join(released, "\n"))
	case "check":
		err = checkBinaries(all, flags.Args())
	default:
		err = fmt.Errorf("%s is none of notices, sbom, check, systems, zip and unzip", args[0])
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
