package tapedeck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// control is a client of a deck's control API: JSON over HTTP, past every proxy.
type control struct {
	url    string
	token  string
	client *http.Client
}

func newControl(url, token string) *control {
	return &control{strings.TrimRight(url, "/"), token, &http.Client{Transport: &http.Transport{}}}
}

// problem is an RFC 9457 problem document.
type problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Pointer string `json:"pointer"`
		Detail  string `json:"detail"`
	} `json:"errors"`
}

// ask sends body as JSON, unless it is nil, and decodes the answer into result, unless that is nil.
func (c *control) ask(method, path string, body, result any) error {
	text, err := c.text(method, path, body)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(text, result); err != nil {
		return fmt.Errorf("the deck at %s answered %s %s with something else than JSON: %w", c.url, method, path, err)
	}
	return nil
}

func (c *control) text(method, path string, body any) ([]byte, error) {
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		payload = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, c.url+path, payload)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the deck at %s does not answer: %w", c.url, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("the deck at %s broke off its answer: %w", c.url, err)
	}
	if response.StatusCode < 400 {
		return text, nil
	}
	var problem problem
	_ = json.Unmarshal(text, &problem)
	message := problem.Detail
	if message == "" {
		message = problem.Title
	}
	if message == "" {
		message = "the deck answered " + response.Status
	}
	for _, part := range problem.Errors {
		message += fmt.Sprintf("\n  %s: %s", part.Pointer, part.Detail)
	}
	return nil, fmt.Errorf("%s", message)
}
