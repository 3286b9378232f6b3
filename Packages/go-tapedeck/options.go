package tapedeck

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Option is a setting of a session.
type Option func(*config)

type config struct {
	cassettes, profiles          []string
	namesCassettes               bool
	folder, mode, binary         string
	selections                   map[string]string
	state                        map[string]any
	seed                         *uint64
	allowsUnmatched, requiresUse bool
}

// Cassettes names the cassettes of the session. The first is the one that is recorded. Without this option the test has a
// cassette of its own, which is named after it; Cassettes() is none.
func Cassettes(names ...string) Option {
	return func(c *config) { c.cassettes, c.namesCassettes = append(c.cassettes, names...), true }
}

// Folder is the folder of the cassettes. By default it is TAPEDECK_CASSETTES, else testdata/cassettes.
func Folder(path string) Option { return func(c *config) { c.folder = path } }

// Select selects a variant of a response set.
func Select(set, variant string) Option { return func(c *config) { c.selections[set] = variant } }

// Profiles applies profiles of the cassettes.
func Profiles(names ...string) Option {
	return func(c *config) { c.profiles = append(c.profiles, names...) }
}

// State is the state that the session begins with.
func State(state map[string]any) Option { return func(c *config) { c.state = state } }

// Seed makes random values of the session repeatable.
func Seed(seed uint64) Option { return func(c *config) { c.seed = &seed } }

// Mode is replay, once, new or all. By default it is TAPEDECK_MODE, else replay.
//
//   - replay plays; a missing cassette or an unmatched request fails the test.
//   - once records a cassette that is missing when the run begins, in every test of the run that uses it, and plays one that
//     is there.
//   - new plays what is on tape, and records what is missing.
//   - all records anew what the test requests.
func Mode(mode string) Option { return func(c *config) { c.mode = mode } }

// AllowUnmatched does not fail the test for requests that nothing on tape answers.
func AllowUnmatched() Option { return func(c *config) { c.allowsUnmatched = true } }

// RequireUse fails the test for response sets that no request asked for.
func RequireUse() Option { return func(c *config) { c.requiresUse = true } }

// Binary is the path of the tapedeck program. It goes before TAPEDECK_BIN and TAPEDECK_URL.
func Binary(path string) Option { return func(c *config) { c.binary = path } }

// playsNothing reports whether the session has no cassette.
func (c *config) playsNothing() bool { return c.namesCassettes && len(c.cassettes) == 0 }

// resolveMode takes the mode from the environment, unless there is an option for it.
func (c *config) resolveMode() error {
	source := "tapedeck.Mode"
	if c.mode == "" {
		source, c.mode = "TAPEDECK_MODE", os.Getenv("TAPEDECK_MODE")
	}
	if c.mode == "" {
		c.mode = "replay"
	}
	return checkMode(c.mode, source)
}

// files returns the cassettes; the test's own where it names none.
func (c *config) files(test string) ([]cassette, error) {
	folder, err := filepath.Abs(c.folder)
	if err != nil {
		return nil, err
	}
	names := c.cassettes
	if !c.namesCassettes {
		name := ownCassette(test)
		// Another package's tests have the same names, and maybe the same folder.
		if filepath.IsAbs(c.folder) {
			name = path.Join(packageFolder, name)
		}
		names = []string{name}
	}
	var files []cassette
	for _, name := range names {
		file := findCassette(name, folder)
		file.isNamed = c.namesCassettes
		files = append(files, file)
	}
	return files, nil
}

// deckMode returns what the deck does: it records, or plays what is on tape.
func (c *config) deckMode(files []cassette) (string, error) {
	if c.mode == "replay" || len(files) == 0 {
		return "replay", nil
	}
	file := files[0]
	exists := func() bool {
		if file.exists || c.url() == "" {
			return file.exists
		}
		process, err := processFor(c.binary, "")
		return err == nil && contains(process.cassettes(), file.name)
	}
	// Asked in every mode that records, so that it is noted for the tests of the mode once.
	wasMissing, err := lacked(c.place(file), exists)
	if err != nil || c.mode == "once" && !wasMissing {
		return "replay", err
	}
	if isCI() {
		return "", fmt.Errorf("nothing is recorded where CI is set, and in the mode %q this test would record %s: record on your "+
			"own machine, commit the cassette, and have CI play it", c.mode, shown(file.file))
	}
	return deckModes[c.mode], nil
}

// url returns the control API of a deck that runs already, if tests use one.
func (c *config) url() string {
	if c.binary != "" {
		return ""
	}
	return os.Getenv("TAPEDECK_URL")
}

// place returns where a cassette is recorded: its file, or its name at a deck that runs already.
func (c *config) place(file cassette) string {
	if url := c.url(); url != "" {
		return file.name + " of " + url
	}
	return file.file
}

func isCI() bool {
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
		return false
	}
	return true
}

// place returns FILE:LINE of the test that called the caller.
func place() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown line"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}
