package tapedeck

import (
	"fmt"
	"net/url"
	"strings"
)

const (
	// pageSize is the number of entries in one answer of the journal.
	pageSize = 100
	// unmatchedLimit is the maximum number of unmatched requests that a test reports one by one.
	unmatchedLimit = 10
	// seenLimit is the maximum number of requests that a failure lists.
	seenLimit = 20
	// missLimit is the maximum number of near misses shown for one request.
	missLimit = 3
)

// session is a session of a deck, over the control API.
type session struct {
	control *control
	ID      string `json:"id"`
	Token   string `json:"token"`
	Name    string `json:"name"`
	Seed    uint64 `json:"seed"`
}

func (s *session) ask(method, path string, body, result any) error {
	return s.control.ask(method, "/v1/sessions/"+url.PathEscape(s.ID)+path, body, result)
}

// Request is a request as the session saw it, and what answered it.
type Request struct {
	Number   int    `json:"number"`
	Method   string `json:"method"`
	URL      string `json:"url"`
	ShownURL string `json:"shownURL"`
	// Outcome is a word such as played, recorded, forwarded or unmatched.
	Outcome string `json:"outcome"`
	Status  int    `json:"status"`
	Fault   string `json:"fault"`
	// Note is a remark of the deck, such as the place where a request differs from the one that its answer was recorded for.
	Note   string `json:"note"`
	Played *struct {
		Set     string `json:"set"`
		Variant string `json:"variant"`
	} `json:"played"`
	Unmatched *struct {
		Message  string `json:"message"`
		Ignoring string `json:"ignoring"`
		Nearest  []struct {
			Set      string `json:"set"`
			Cassette string `json:"cassette"`
			Parts    []struct {
				Difference string `json:"difference"`
			} `json:"parts"`
		} `json:"nearest"`
	} `json:"unmatched"`
}

// String returns method, URL and answer, with placeholders in place of secrets.
func (r Request) String() string {
	answer := "no answer"
	switch {
	case r.Fault != "":
		answer = r.Fault
	case r.Status != 0:
		answer = fmt.Sprint(r.Status)
	}
	source := r.Outcome
	if r.Played != nil {
		source = fmt.Sprintf("%q, %s", r.Played.Set, r.Played.Variant)
	}
	note := ""
	if r.Note != "" {
		note = " (" + r.Note + ")"
	}
	return fmt.Sprintf("%s → %s %s%s", r.line(), answer, source, note)
}

func (r Request) line() string {
	if r.ShownURL != "" {
		return r.Method + " " + r.ShownURL
	}
	return r.Method + " " + r.URL
}

// mismatch returns why nothing answered the request, with its near misses.
func (r Request) mismatch() string {
	var text strings.Builder
	fmt.Fprintf(&text, "nothing on tape answers %s: %s", r.line(), r.Unmatched.Message)
	for _, near := range r.Unmatched.Nearest[:min(missLimit, len(r.Unmatched.Nearest))] {
		fmt.Fprintf(&text, "\n  near is %q of %s", near.Set, near.Cassette)
		for _, part := range near.Parts {
			if part.Difference != "" {
				text.WriteString("\n    " + part.Difference)
			}
		}
	}
	if r.Unmatched.Ignoring != "" {
		text.WriteString("\n  " + r.Unmatched.Ignoring)
	}
	return text.String()
}

// requests returns the requests so far that match, oldest first; all of them for a nil shape.
func (s *session) requests(shape Shape) ([]Request, error) {
	if shape == nil {
		shape = Shape{}
	}
	var found []Request
	last := 0
	for {
		var page struct {
			Entries []Request `json:"entries"`
		}
		query := map[string]any{"request": shape, "after": last, "limit": pageSize, "bodies": false}
		if err := s.ask("POST", "/journal/query", query, &page); err != nil {
			return nil, err
		}
		found = append(found, page.Entries...)
		if len(page.Entries) < pageSize {
			return found, nil
		}
		last = page.Entries[pageSize-1].Number
	}
}

// shown returns texts with placeholders in place of the session's secrets.
func (s *session) shown(texts []string) ([]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var answer struct {
		Texts []string `json:"texts"`
	}
	err := s.ask("POST", "/texts", map[string]any{"texts": texts}, &answer)
	return answer.Texts, err
}

// report is what a session ends with.
type report struct {
	SaveFailure string `json:"saveFailure"`
	Saved       *struct {
		Failure string `json:"failure"`
		// Exchanges is the number of those that were recorded.
		Exchanges int `json:"exchanges"`
		// Lines say what was written and kept.
		Lines []string `json:"lines"`
		// Problems are the reasons why the recording failed.
		Problems []string `json:"problems"`
	} `json:"saved"`
	Troubles []struct {
		Request string `json:"request"`
		Message string `json:"message"`
	} `json:"troubles"`
	CutOffSets []string `json:"cutOffSets"`
	UnusedSets []string `json:"unusedSets"`
}

// issues returns what is wrong according to the report, which has no secrets in it.
func (r report) issues(records, requiresUse bool) []string {
	var issues []string
	failure := r.SaveFailure
	if failure == "" && r.Saved != nil {
		failure = r.Saved.Failure
	}
	if failure != "" {
		issues = append(issues, "the recording could not be saved: "+failure)
	}
	if r.Saved != nil && len(r.Saved.Problems) > 0 {
		for _, problem := range r.Saved.Problems {
			issues = append(issues, "the recording failed: "+problem)
		}
	} else if records {
		for _, trouble := range r.Troubles {
			issues = append(issues, trouble.Request+" was not recorded: "+trouble.Message)
		}
	}
	for _, set := range r.CutOffSets {
		issues = append(issues, fmt.Sprintf("the pattern of %q took too long and was cut off; simplify it", set))
	}
	if requiresUse {
		for _, set := range r.UnusedSets {
			issues = append(issues, fmt.Sprintf("no request used the response set %q", set))
		}
	}
	return issues
}

// list shows the requests of a test that failed.
func list(seen []Request) string {
	if len(seen) == 0 {
		return "\n  no request came at all"
	}
	text := "\n  the requests were:"
	if left := len(seen) - seenLimit; left > 0 {
		text += fmt.Sprintf("\n    … %d before these", left)
		seen = seen[left:]
	}
	for _, request := range seen {
		text += fmt.Sprintf("\n    %d  %s", request.Number, request)
	}
	return text
}
