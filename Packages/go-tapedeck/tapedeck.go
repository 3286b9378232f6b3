// Package tapedeck gives tests recorded HTTP: a session of a Tapedeck for each test, with cassettes, selected variants,
// stubs and expectations.
//
//	func TestUser(t *testing.T) {
//		t.Parallel()
//		deck := tapedeck.New(t, tapedeck.Cassettes("github"), tapedeck.Select("login", "offline"))
//		response, err := deck.Client.Get("https://api.github.com/users/octocat")
//		…
//		deck.Expect("GET /users/octocat", 1)
//	}
//
// The session ends with the test, which fails for every request that nothing on tape answers.
package tapedeck

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Deck is the session of one test.
type Deck struct {
	// Client sends its requests to the session. Its redirects, cookies and timeout are the test's to set.
	Client *http.Client

	t            testing.TB
	process      *process
	session      *session
	deckMode     string
	recorded     string
	config       config
	stubs        int
	expectations []expectation
}

const toHaveACassette = "the test plays no cassette: name one, or leave out Cassettes(), and record it with TAPEDECK_MODE=once"

type expectation struct {
	matcher any
	shape   Shape
	// exactly is negative for "at least one".
	exactly int
	place   string
}

// New makes a session that ends with the test. Unless [Cassettes] says another, its cassette is named after the test. The
// test fails at once if there is no deck, no such cassette or no such variant, and at its end for unmatched requests,
// expectations that are not met and recordings that cannot be saved.
func New(t testing.TB, options ...Option) *Deck {
	t.Helper()
	deck, err := openDeck(t, options)
	if err != nil {
		t.Fatalf("tapedeck: %v", err)
	}
	t.Cleanup(func() {
		t.Helper()
		deck.end()
	})
	return deck
}

func openDeck(t testing.TB, options []Option) (*Deck, error) {
	config := config{folder: os.Getenv("TAPEDECK_CASSETTES"), selections: map[string]string{}}
	if config.folder == "" {
		config.folder = filepath.Join("testdata", "cassettes")
	}
	for _, option := range options {
		option(&config)
	}
	if err := config.resolveMode(); err != nil {
		return nil, err
	}
	cassettes, err := config.files(t.Name())
	if err != nil {
		return nil, err
	}
	mode, err := config.deckMode(cassettes)
	if err != nil {
		return nil, err
	}
	records := mode != "replay"
	folder, recorded := "", ""
	if records {
		folder, recorded = cassettes[0].folder, shown(config.place(cassettes[0]))
		if config.url() == "" {
			if err := os.MkdirAll(filepath.Dir(cassettes[0].file), 0o755); err != nil {
				return nil, err
			}
		}
	}
	process, err := processFor(config.binary, folder)
	if err != nil {
		return nil, err
	}
	if records && !process.allowsDialling {
		return nil, fmt.Errorf("the deck at %s only replays, so nothing can be recorded there; start it with `tapedeck serve`", process.control.url)
	}
	names, files, err := filesToSend(cassettes, process, records)
	if err != nil {
		return nil, err
	}
	// Commands that the deck proposes name the files.
	paths := map[string]string{}
	for index, name := range names {
		paths[name] = shown(cassettes[index].file)
	}
	model := map[string]any{
		"name": sessionName(t.Name()), "mode": mode, "cassettes": names, "files": files, "paths": paths,
		"selections": config.selections,
		// If tests that share a cassette got different answers, each has a profile with its own.
		"ownProfile": true,
	}
	if len(config.profiles) > 0 {
		model["profiles"] = config.profiles
	}
	if config.state != nil {
		model["state"] = config.state
	}
	if config.seed != nil {
		model["seed"] = *config.seed
	}
	session := &session{control: process.control}
	if err := process.control.ask("POST", "/v1/sessions", model, session); err != nil {
		return nil, err
	}
	deck := &Deck{t: t, process: process, session: session, deckMode: mode, recorded: recorded, config: config}
	proxy, err := url.Parse(deck.ProxyURL())
	if err != nil {
		return nil, err
	}
	deck.Client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: process.tls.Clone()}}
	return deck, nil
}

// IsRecording reports whether requests are recorded: all of them, or in the mode new those that are not on tape.
func (d *Deck) IsRecording() bool { return d.deckMode != "replay" }

// ProxyURL returns the URL of the proxy with the session in it, for clients and processes of the test's own.
func (d *Deck) ProxyURL() string {
	credentials := url.UserPassword(d.session.ID, d.session.Token)
	return (&url.URL{Scheme: "http", User: credentials, Host: d.process.proxy}).String()
}

// BaseURL returns a URL that stands for an origin such as "https://api.github.com": plain HTTP, with nothing to trust.
func (d *Deck) BaseURL(origin string) string {
	scheme, rest, _ := strings.Cut(strings.TrimRight(origin, "/"), "://")
	return fmt.Sprintf("http://%s/.tapedeck/%s:%s/%s/%s", d.process.proxy, d.session.ID, d.session.Token, scheme, rest)
}

// Select plays a variant of a response set from now on, its takes from the first.
func (d *Deck) Select(set, variant string) {
	d.t.Helper()
	d.must(d.choose("/selections/"+url.PathEscape(set), map[string]any{"variant": variant}))
}

// Apply applies a profile.
func (d *Deck) Apply(profile string) {
	d.t.Helper()
	d.must(d.choose("/profiles/"+url.PathEscape(profile), map[string]any{}))
}

func (d *Deck) choose(path string, body any) error {
	err := d.session.ask("PUT", path, body, nil)
	if err != nil && d.config.playsNothing() {
		return fmt.Errorf("%w; %s", err, toHaveACassette)
	}
	return err
}

// SetState changes the session's state; nil removes a key.
func (d *Deck) SetState(changes map[string]any) {
	d.t.Helper()
	d.must(d.session.ask("PATCH", "/state", map[string]any{"state": changes}, nil))
}

// Answer is what a stub answers. With a Fault, such as "connectionReset", everything else is ignored.
type Answer struct {
	// Status is 200 by default.
	Status  int
	Headers []map[string]string
	// JSON is a JSON text; its content type is added to Headers.
	JSON string
	// Text is the body if JSON is empty.
	Text string
	// Delay is a duration such as "50ms".
	Delay string
	Fault string
}

// Stub answers matching requests in this session, before any cassette does. A matcher is "POST /login", "/login" for any
// method, or a Shape; {gaps} make a template.
func (d *Deck) Stub(matcher any, answer Answer) {
	d.t.Helper()
	shape, err := shapeOf(matcher)
	d.must(err)
	take := map[string]any{"request": shape}
	if answer.Fault != "" {
		take["fault"] = answer.Fault
	} else {
		headers := append([]map[string]string{}, answer.Headers...)
		switch {
		case answer.JSON != "":
			take["body"] = map[string]any{"json": answer.JSON}
			headers = append(headers, map[string]string{"content-type": "application/json"})
		case answer.Text != "":
			take["body"] = map[string]any{"text": answer.Text}
		}
		take["headers"], take["status"] = headers, answer.Status
		if answer.Status == 0 {
			take["status"] = http.StatusOK
		}
		if answer.Delay != "" {
			take["delay"] = answer.Delay
		}
	}
	d.stubs++
	d.must(d.session.ask("PUT", fmt.Sprintf("/added/stub%%20%d", d.stubs), take, nil))
}

// Requests returns the requests so far that match, oldest first; with nil as matcher, all of them.
func (d *Deck) Requests(matcher any) []Request {
	d.t.Helper()
	var shape Shape
	if matcher != nil {
		found, err := shapeOf(matcher)
		d.must(err)
		shape = found
	}
	found, err := d.session.requests(shape)
	d.must(err)
	return found
}

// Expect expects matching requests: exactly count of them, or at least one if count is left out. It is checked at the end
// of the test.
func (d *Deck) Expect(matcher any, count ...int) {
	d.t.Helper()
	shape, err := shapeOf(matcher)
	d.must(err)
	exactly := -1
	if len(count) > 0 {
		exactly = count[0]
	}
	d.expectations = append(d.expectations, expectation{matcher, shape, exactly, place()})
}

func (d *Deck) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatalf("tapedeck: %v", err)
	}
}

// end ends the session, and reports all that is wrong with it.
func (d *Deck) end() {
	d.t.Helper()
	seen, err := d.session.requests(nil)
	var issues []string
	if err == nil {
		issues, err = d.issues(seen)
	}
	if err == nil {
		issues, err = d.session.shown(issues)
	}
	var traffic []string
	if err == nil && (len(issues) > 0 || d.t.Failed()) {
		text := fmt.Sprintf("session %s, %s, seed %d%s", d.session.Name, d.config.mode, d.session.Seed, list(seen))
		traffic, err = d.session.shown([]string{text})
	}
	if err != nil {
		issues = []string{fmt.Sprintf("the deck cannot say what was asked: %v", err)}
	}
	if d.Client.Transport != nil {
		d.Client.CloseIdleConnections()
	}
	var report report
	if err := d.session.ask("DELETE", "", nil, &report); err != nil {
		issues = append(issues, fmt.Sprintf("the session cannot be ended: %v", err))
	}
	issues = append(issues, report.issues(d.IsRecording(), d.config.requiresUse && d.deckMode == "replay")...)
	// Of a session that only played, which a mode such as new makes, there is nothing to say.
	if report.Saved != nil && report.Saved.Exchanges != 0 {
		d.tell(report.Saved.Lines)
	}
	for _, issue := range issues {
		d.t.Errorf("tapedeck: %s", issue)
	}
	for _, text := range traffic {
		d.t.Logf("tapedeck: %s", text)
	}
}

// told has what was said of recordings, but for how much was recorded.
var told sync.Map

// tell logs what was recorded: how much for each test, other lines once for all tests of the process.
func (d *Deck) tell(lines []string) {
	d.t.Helper()
	for _, line := range lines {
		if !strings.Contains(line, d.recorded) {
			line = d.recorded + ": " + line
		}
		if _, wasTold := told.LoadOrStore(line, true); !wasTold || strings.HasPrefix(line, "wrote ") {
			d.t.Logf("tapedeck: %s", line)
		}
	}
}

func (d *Deck) issues(seen []Request) ([]string, error) {
	var issues []string
	for _, one := range d.expectations {
		found, err := d.session.requests(one.shape)
		if err != nil {
			return nil, err
		}
		if len(found) == one.exactly || one.exactly < 0 && len(found) > 0 {
			continue
		}
		wanted := "exactly " + requests(one.exactly)
		switch {
		case one.exactly < 0:
			wanted = "at least 1 request"
		case one.exactly == 0:
			wanted = "no request"
		}
		issues = append(issues, fmt.Sprintf(
			"expected %s to match %s, and saw %d (%s)", wanted, textOf(one.matcher), len(found), one.place))
	}
	if d.config.allowsUnmatched {
		return issues, nil
	}
	unmatched := 0
	for _, request := range seen {
		if request.Outcome != "unmatched" || request.Unmatched == nil {
			continue
		}
		if unmatched++; unmatched <= unmatchedLimit {
			issues = append(issues, request.mismatch())
		}
	}
	if unmatched > unmatchedLimit {
		issues = append(issues, fmt.Sprintf("nothing on tape answers %s more", requests(unmatched-unmatchedLimit)))
	}
	if unmatched > 0 {
		remedy := "to record what is missing, run the test with TAPEDECK_MODE=new"
		if d.config.playsNothing() {
			remedy = toHaveACassette
		}
		issues[len(issues)-1] += "\n  " + remedy
	}
	return issues, nil
}
