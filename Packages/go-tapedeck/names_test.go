package tapedeck

import (
	"strings"
	"testing"
)

func TestNamesOfFilesAreTheSameEverywhere(t *testing.T) {
	// In repositories of users: these never change.
	for exact, wanted := range map[string]string{
		"test_login":             "test_login",
		"TestLogin":              "TestLogin-92886090",
		"a b":                    "a-b-c8687a08",
		"😀":                      "f0443a34",
		strings.Repeat("x", 300): strings.Repeat("x", 91) + "-0d4e2ca9",
	} {
		if name := fileName(exact); name != wanted {
			t.Errorf("%s is in %s", exact, name)
		}
	}
}

func TestNamesOfSessionsAreValidAndDifferent(t *testing.T) {
	long := strings.Repeat("x", 400)
	names := map[string]bool{}
	for _, test := range []string{"TestA", "TestA/b=c", "TestA/b:c", "TestA/b\tc", "TestA/" + long, "TestA/" + long + "y"} {
		name := sessionName(test)
		if len([]rune(name)) > 200 || strings.ContainsAny(name, "=\t") || names[name] {
			t.Errorf("%q is called %q", test, name)
		}
		names[name] = true
	}
}
