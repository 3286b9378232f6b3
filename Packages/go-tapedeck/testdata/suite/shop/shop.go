// Package shop has the tests of a suite in two packages that share a cassette.
package shop

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	tapedeck "go-tapedeck"
)

var origin, folder = os.Getenv("ORIGIN"), tapedeck.Folder(os.Getenv("FOLDER"))

// Asks is a test that is told who it is.
func Asks(t *testing.T, user string) {
	t.Parallel()
	deck := tapedeck.New(t, tapedeck.Cassettes("shop"), folder)
	if body := get(t, deck, "/me", user); body != user {
		t.Errorf("%s was told %s", user, body)
	}
	if body := get(t, deck, "/users/"+user, user); !strings.HasPrefix(body, "shop /users/"+user) {
		t.Errorf("got %s", body)
	}
	deck.Expect("GET /users/"+user, 1)
}

// HasStock is a test of what plays by default.
func HasStock(t *testing.T) {
	t.Parallel()
	deck := tapedeck.New(t, tapedeck.Cassettes("shop"), folder)
	if body := get(t, deck, "/stock", "nobody"); !strings.HasPrefix(body, "shop /stock") {
		t.Errorf("got %s", body)
	}
}

// IsSoldOut is a test of a variant that somebody wrote.
func IsSoldOut(t *testing.T) {
	t.Parallel()
	if os.Getenv("HAS_VARIANT") == "" {
		t.Skip("there is no such variant yet")
	}
	host, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	sold := tapedeck.Select("GET "+host.Host+"/stock", "sold out")
	deck := tapedeck.New(t, tapedeck.Cassettes("shop"), folder, sold, tapedeck.Mode("replay"))
	if body := get(t, deck, "/stock", "nobody"); body != "sold out" {
		t.Errorf("got %s", body)
	}
}

func get(t *testing.T, deck *tapedeck.Deck, path, user string) string {
	t.Helper()
	request, err := http.NewRequest("GET", origin+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-User", user)
	response, err := deck.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
