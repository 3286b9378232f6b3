package names

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	tapedeck "go-tapedeck"
)

func Test(t *testing.T) {
	names := []string{
		"plain", "Plain", "a b", "a-b", "a:b", "😀", "😁", strings.Repeat("x", 300), strings.Repeat("x", 299) + "y", "a.yaml",
		"a/b",
	}
	for index, name := range names {
		path := fmt.Sprintf("/%d", index)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deck := tapedeck.New(t, tapedeck.Folder(os.Getenv("FOLDER")))
			response, err := deck.Client.Get(os.Getenv("ORIGIN") + path)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err != nil || string(body) != "shop "+path {
				t.Errorf("got %s %v", body, err)
			}
		})
	}
}
