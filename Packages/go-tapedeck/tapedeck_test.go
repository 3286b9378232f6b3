package tapedeck_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tapedeck "go-tapedeck"
)

const user = "https://api.github.example/users/octocat"

// get returns status and body.
func get(t *testing.T, deck *tapedeck.Deck, url string) (int, string) {
	t.Helper()
	response, err := deck.Client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func expectStatus(t *testing.T, deck *tapedeck.Deck, url string, wanted int) {
	t.Helper()
	if status, _ := get(t, deck, url); status != wanted {
		t.Errorf("%s answered %d, not %d", url, status, wanted)
	}
}

func TestPlaysACassette(t *testing.T) {
	deck := tapedeck.New(t, tapedeck.Cassettes("github"))
	if status, body := get(t, deck, user); status != 200 || !strings.Contains(body, "octocat") {
		t.Errorf("answered %d %s", status, body)
	}
	if status, body := get(t, deck, "http://api.github.example/photo"); status != 200 || body != "a photo\n" {
		t.Errorf("answered %d %q", status, body)
	}
	deck.Expect("GET /users/octocat", 1)
	deck.Expect("/photo")
	deck.Expect("POST /login", 0)
	if seen := deck.Requests(nil); len(seen) != 2 || seen[0].URL != user {
		t.Errorf("saw %v", seen)
	}
}

func TestVariants(t *testing.T) {
	for variant, status := range map[string]int{"found": 200, "gone": 404} {
		variant, status := variant, status
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			expectStatus(t, tapedeck.New(t, tapedeck.Cassettes("github"), tapedeck.Select("user", variant)), user, status)
		})
	}
	t.Run("by profile", func(t *testing.T) {
		expectStatus(t, tapedeck.New(t, tapedeck.Cassettes("github"), tapedeck.Profiles("nobody")), user, 404)
	})
	t.Run("while it runs", func(t *testing.T) {
		deck := tapedeck.New(t, tapedeck.Cassettes("github"))
		expectStatus(t, deck, user, 200)
		deck.Select("user", "gone")
		expectStatus(t, deck, user, 404)
	})
	t.Run("a profile while it runs", func(t *testing.T) {
		deck := tapedeck.New(t, tapedeck.Cassettes("github"))
		deck.Apply("nobody")
		expectStatus(t, deck, user, 404)
	})
	t.Run("a fault", func(t *testing.T) {
		deck := tapedeck.New(t, tapedeck.Cassettes("github"), tapedeck.Select("user", "broken"))
		if _, err := deck.Client.Get(user); err == nil {
			t.Error("the request did not fail")
		}
	})
}

func TestStubs(t *testing.T) {
	deck := tapedeck.New(t, tapedeck.Cassettes("github"))
	deck.Stub("GET /users/{name}", tapedeck.Answer{Status: 203, JSON: `{"login": "stubbed"}`})
	deck.Stub(tapedeck.Shape{"method": "GET", "url": "https://other.example/"}, tapedeck.Answer{Text: "other"})
	if status, body := get(t, deck, user); status != 203 || !strings.Contains(body, "stubbed") {
		t.Errorf("answered %d %s", status, body)
	}
	if status, body := get(t, deck, "https://other.example/"); status != 200 || body != "other" {
		t.Errorf("answered %d %s", status, body)
	}
}

func TestBaseURL(t *testing.T) {
	deck := tapedeck.New(t, tapedeck.Cassettes("github"))
	response, err := http.Get(deck.BaseURL("https://api.github.example") + "/users/octocat")
	if err != nil || response.StatusCode != 200 {
		t.Fatal(response, err)
	}
	response.Body.Close()
	deck.Expect("GET "+user, 1)
}

func TestTenInParallel(t *testing.T) {
	for number := 0; number < 10; number++ {
		number := number
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			deck := tapedeck.New(t, tapedeck.Cassettes("github"))
			deck.Stub("GET /number", tapedeck.Answer{Text: fmt.Sprint(number)})
			for round := 0; round < 20; round++ {
				if _, body := get(t, deck, "https://numbers.example/number"); body != fmt.Sprint(number) {
					t.Fatalf("got %s in test %d", body, number)
				}
			}
			deck.Expect("/number", 20)
		})
	}
}

func TestRecordsAndPlays(t *testing.T) {
	t.Setenv("CI", "")
	count := 0
	origin := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		count++
		fmt.Fprintf(writer, "answer %d", count)
	}))
	folder := t.TempDir()
	for _, mode := range []string{"once", "replay"} {
		t.Run(mode, func(t *testing.T) {
			deck := tapedeck.New(t, tapedeck.Cassettes("live"), tapedeck.Folder(folder), tapedeck.Mode(mode))
			if deck.IsRecording() != (mode == "once") {
				t.Errorf("in the mode %s it is recording: %v", mode, deck.IsRecording())
			}
			if _, body := get(t, deck, origin.URL); body != "answer 1" {
				t.Errorf("got %s", body)
			}
		})
		origin.Close()
	}
	if _, err := os.Stat(filepath.Join(folder, "live.yaml")); err != nil {
		t.Error(err)
	}
}

// TestFailures runs the tests in testdata/failing, each of which must fail with what is wrong.
func TestFailures(t *testing.T) {
	command := exec.Command("go", "test", "-count=1", "./testdata/failing")
	command.Env = append(os.Environ(), "TAPEDECK_MODE=", "CI=")
	output, err := command.CombinedOutput()
	if err == nil {
		t.Fatalf("they passed:\n%s", output)
	}
	text := string(output)
	for _, wanted := range []string{
		"--- FAIL: TestUnmatched", "--- FAIL: TestExpectation", "--- FAIL: TestNoCassette", "--- FAIL: TestNoVariant",
		"failing_test.go:13: tapedeck: nothing on tape answers GET https://api.github.example/users/nobody",
		`near is "user" of github`,
		"method is GET, the tape has POST\n",
		"path is /users/nobody, the tape has /users/octocat\n",
		"tapedeck: session testdata/failing.TestUnmatched, replay, seed ",
		"1  GET https://api.github.example/users/nobody → 501 unmatched",
		"expected exactly 2 requests to match GET /users/octocat, and saw 1 (failing_test.go:21)",
		"no request came at all",
		"cassettes/none.yaml; record it by running the test with TAPEDECK_MODE=once",
		"cassettes/githup.yaml; did you mean \"github\"? If not, record it by running the test with TAPEDECK_MODE=once",
		"the test plays no cassette: name one, or leave out Cassettes(), and record it with TAPEDECK_MODE=once\n",
		"there is no response set \"user\"; the test plays no cassette: name one, or leave out Cassettes(), and record it",
		"to record what is missing, run the test with TAPEDECK_MODE=new",
		"cassettes/TestNamesNone-0a8fe79e.yaml; record it by running the test with TAPEDECK_MODE=once",
		"tapedeck.Mode is \"append\"; it must be one of replay, once, new, all; did you mean \"new\"?",
	} {
		if !strings.Contains(text, wanted) {
			t.Errorf("no %q in:\n%s", wanted, text)
		}
	}
	if strings.Contains(text, "FAIL: TestBeside") {
		t.Errorf("a test that did nothing wrong failed:\n%s", text)
	}
}

func TestAMissingCassetteOfADeckThatRunsAlready(t *testing.T) {
	program := os.Getenv("TAPEDECK_BIN")
	if program == "" {
		program = "tapedeck"
	}
	folder := t.TempDir()
	text, err := os.ReadFile("testdata/cassettes/github.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "tape.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "serve", "--no-project", "--port", "0", "--control-port", "0", "--cassettes", folder, "--",
		"go", "test", "-count=1", "-run=TestNoCassette$", "./testdata/failing")
	command.Env = append(os.Environ(), "CI=", "TAPEDECK_MODE=", "TAPEDECK_BIN=")
	output, err := command.Output()
	said := string(output)
	if err == nil || !strings.Contains(said, "cassettes/none.yaml, and the deck at http://127.0.0.1:") ||
		!strings.Contains(said, " has no \"none\"; record it by running the test with TAPEDECK_MODE=once") ||
		strings.Contains(said, folder) {
		t.Errorf("%v:\n%s", err, said)
	}
}
