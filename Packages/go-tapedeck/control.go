package tapedeck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
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
		return nil, fmt.Errorf("the deck at %s does not answer: %w", c.url, reason(err))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("the deck at %s does not answer: %w", c.url, reason(err))
	}
	if response.StatusCode < 400 {
		return text, nil
	}
	var problem struct {
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(text, &problem)
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("the deck at %s requires its token: set TAPEDECK_TOKEN", c.url)
	case problem.Detail == "":
		return nil, fmt.Errorf("the deck at %s answers with status %d and no reason", c.url, response.StatusCode)
	}
	return nil, errors.New(problem.Detail)
}

// reason returns the system's error in an error of the client, which begins with the call.
func reason(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
