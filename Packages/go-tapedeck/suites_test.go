package tapedeck_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// suite is a suite of two packages that share a cassette, and the origin that it is recorded from.
type suite struct {
	t            *testing.T
	origin       *httptest.Server
	folder, tape string
	hasVariant   bool
}

func newSuite(t *testing.T) *suite {
	origin := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/me" {
			// Of who asks by a header, which cassettes do not compare.
			fmt.Fprint(writer, request.Header.Get("X-User"))
			return
		}
		fmt.Fprintf(writer, "shop %s", request.URL.Path)
	}))
	t.Cleanup(origin.Close)
	folder := t.TempDir()
	return &suite{t: t, origin: origin, folder: folder, tape: filepath.Join(folder, "shop.yaml")}
}

// run runs `go test` with a mode and returns what it prints.
func (s *suite) run(mode string, arguments ...string) string {
	s.t.Helper()
	arguments = append([]string{"test", "-count=1", "-v"}, arguments...)
	if !strings.HasPrefix(arguments[len(arguments)-1], "./") {
		arguments = append(arguments, "./testdata/suite/ada", "./testdata/suite/bob")
	}
	command := exec.Command("go", arguments...)
	command.Env = append(os.Environ(), "CI=", "TAPEDECK_MODE="+mode, "ORIGIN="+s.origin.URL, "FOLDER="+s.folder)
	if s.hasVariant {
		command.Env = append(command.Env, "HAS_VARIANT=true")
	}
	output, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v, in the mode %q: %v\n%s", arguments, mode, err, output)
	}
	return string(output)
}

func (s *suite) text() string {
	s.t.Helper()
	text, err := os.ReadFile(s.tape)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func TestTestsThatShareACassettePlayWhatEachOfThemRecorded(t *testing.T) {
	s := newSuite(t)
	s.run("all", "-p=1")
	s.run("")

	// A variant of somebody's own.
	set := "GET " + strings.TrimPrefix(s.origin.URL, "http://") + "/stock"
	program := os.Getenv("TAPEDECK_BIN")
	if program == "" {
		program = "tapedeck"
	}
	if output, err := exec.Command(program, "variant", "copy", s.tape, set, "recorded", "sold out").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	variant := regexp.MustCompile(`( {6}- name: sold out\n)(?: {8}.*\n)+`)
	answer := "${1}        takes: [{ status: 200, body: { text: sold out } }]\n"
	if err := os.WriteFile(s.tape, []byte(variant.ReplaceAllString(s.text(), answer)), 0o644); err != nil {
		t.Fatal(err)
	}
	s.hasVariant = true
	s.run("")

	for _, arguments := range [][]string{{"-p=1"}, {"-run=TestUser", "./testdata/suite/bob"}, {"-p=2"}} {
		s.run("all", arguments...)
		if !strings.Contains(s.text(), "sold out") {
			t.Fatalf("%v lost a variant:\n%s", arguments, s.text())
		}
		s.run("")
	}
	s.origin.Close()
	s.run("", "-p=1")
	s.run("", "-p=2")
}

func TestOnceRecordsInAllPackagesWhatWasMissingWhenTheRunBegan(t *testing.T) {
	for _, processes := range []string{"-p=1", "-p=2"} {
		t.Run(processes, func(t *testing.T) {
			s := newSuite(t)
			said := s.run("once", processes)
			tape := s.text()
			for _, path := range []string{"/me", "/users/ada", "/users/bob", "/stock"} {
				if !strings.Contains(tape, path) {
					t.Errorf("%s is not in:\n%s", path, tape)
				}
			}
			if !strings.Contains(said, "shop.yaml: ") {
				t.Errorf("nothing was said of the recording:\n%s", said)
			}
			s.origin.Close()
			if said := s.run("once", processes); strings.Contains(said, "shop.yaml: ") || s.text() != tape {
				t.Errorf("it was recorded again:\n%s", said)
			}
		})
	}
}

func TestEveryTestThatNamesNoCassetteHasOneOfItsOwn(t *testing.T) {
	s := newSuite(t)
	s.run("once", "./testdata/suite/names")
	files := map[string]bool{}
	err := filepath.Walk(s.folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" {
			files[strings.ToLower(path)] = true
		}
		return err
	})
	if err != nil || len(files) != 11 {
		t.Errorf("%d cassettes for 11 tests: %v %v", len(files), files, err)
	}
	s.origin.Close()
	s.run("", "./testdata/suite/names")
}

func TestARecordingThatFailedFailsItsTest(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	folder := t.TempDir()
	for time := 1; time <= 2; time++ {
		command := exec.Command("go", "test", "-count=1", "-run=TestUser", "./testdata/suite/ada")
		command.Env = append(os.Environ(), "CI=", "TAPEDECK_MODE=once", "ORIGIN="+gone.URL, "FOLDER="+folder)
		output, err := command.CombinedOutput()
		if err == nil || !regexp.MustCompile(`127\.0\.0\.1:\d+.*refused`).Match(output) {
			t.Errorf("time %d: %v\n%s", time, err, output)
		}
		if _, err := os.Stat(filepath.Join(folder, "shop.yaml")); err == nil {
			t.Error("a failure was recorded")
		}
	}
}
