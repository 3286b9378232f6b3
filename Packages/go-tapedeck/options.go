package tapedeck

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Option is a setting of a session.
type Option func(*config)

type config struct {
	cassettes, profiles            []string
	folder, mode, binary           string
	selections                     map[string]string
	state                          map[string]any
	seed                           *uint64
	allowsUnmatched, requiresUse   bool
	recordsMissing, hasModeOfTests bool
}

// Cassettes names the cassettes of the session. The first is the one that is recorded.
func Cassettes(names ...string) Option {
	return func(c *config) { c.cassettes = append(c.cassettes, names...) }
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

// Mode is replay, record, append or passthrough. By default it is TAPEDECK_MODE, else replay.
func Mode(mode string) Option {
	return func(c *config) { c.mode, c.hasModeOfTests = mode, true }
}

// RecordMissing records the cassette if there is none, unless CI is set.
func RecordMissing() Option { return func(c *config) { c.recordsMissing = true } }

// AllowUnmatched does not fail the test for requests that nothing on tape answers.
func AllowUnmatched() Option { return func(c *config) { c.allowsUnmatched = true } }

// RequireUse fails the test for response sets that no request asked for.
func RequireUse() Option { return func(c *config) { c.requiresUse = true } }

// Binary is the path of the tapedeck program. It goes before TAPEDECK_BIN and TAPEDECK_URL.
func Binary(path string) Option { return func(c *config) { c.binary = path } }

func (c *config) resolvedMode(cassettes []cassette) (string, error) {
	mode := c.mode
	// A test without a cassette has nothing to record into.
	if mode == "" || len(cassettes) == 0 && !c.hasModeOfTests {
		mode = "replay"
	}
	if mode == "replay" && c.recordsMissing && len(cassettes) == 1 && !cassettes[0].exists && !isCI() {
		mode = "record"
	}
	switch mode {
	case "replay", "passthrough":
		return mode, nil
	case "record", "append":
		if len(cassettes) == 0 {
			return "", fmt.Errorf("the mode %s needs a cassette to write: name one, which need not exist yet", mode)
		}
		if isCI() {
			return "", errors.New("nothing is recorded where CI is set: record on your own machine, commit the cassette, and have CI play it")
		}
		return mode, nil
	}
	return "", fmt.Errorf("the mode is %q; it must be replay, record, append or passthrough", mode)
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
