package failing

import (
	"testing"

	tapedeck "go-tapedeck"
)

var folder = tapedeck.Folder("../cassettes")

func TestUnmatched(t *testing.T) {
	t.Parallel()
	deck := tapedeck.New(t, tapedeck.Cassettes("github"), folder)
	get(t, deck, "https://api.github.example/users/nobody")
}

func TestExpectation(t *testing.T) {
	t.Parallel()
	deck := tapedeck.New(t, tapedeck.Cassettes("github"), folder)
	get(t, deck, "https://api.github.example/users/octocat")
	deck.Expect("GET /users/octocat", 2)
}

func TestNoCassette(t *testing.T) { tapedeck.New(t, tapedeck.Cassettes("none"), folder) }

func TestNearCassette(t *testing.T) { tapedeck.New(t, tapedeck.Cassettes("githup"), folder) }

func TestNamesNone(t *testing.T) { tapedeck.New(t, folder) }

func TestNoMode(t *testing.T) { tapedeck.New(t, folder, tapedeck.Mode("append")) }

func TestNoVariant(t *testing.T) {
	tapedeck.New(t, tapedeck.Cassettes("github"), folder, tapedeck.Select("user", "none"))
}

func TestNoCassettes(t *testing.T) {
	deck := tapedeck.New(t, tapedeck.Cassettes())
	get(t, deck, "https://api.github.example/users/octocat")
	deck.Select("user", "gone")
}

func TestNotCalled(t *testing.T) {
	tapedeck.New(t, tapedeck.Cassettes("github"), folder).Expect("POST /login", 1)
}

func TestBeside(t *testing.T) {
	t.Parallel()
	deck := tapedeck.New(t, tapedeck.Cassettes("github"), folder)
	get(t, deck, "https://api.github.example/users/octocat")
}

func get(t *testing.T, deck *tapedeck.Deck, url string) {
	response, err := deck.Client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
}
