package tapedeck

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

const (
	// sessionLimit is the maximum length of a session's name in characters: the deck's limit.
	sessionLimit = 200
	// fileLimit is the maximum length of a file's name without its ending, so that the names of files beside it are valid, too.
	fileLimit = 100
)

// packageFolder is the folder of the tested package within its module, where `go test` runs the tests.
var packageFolder = func() string {
	start, err := os.Getwd()
	if err != nil {
		return ""
	}
	for root := start; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			folder, _ := filepath.Rel(root, start)
			return filepath.ToSlash(folder)
		}
		if root == filepath.Dir(root) {
			return ""
		}
	}
}()

// sessionName returns the name of a test's session, which no other test of the module has.
func sessionName(test string) string {
	if packageFolder != "" && packageFolder != "." {
		test = packageFolder + "." + test
	}
	// A variant of a cassette may be named after the session, and the name of one has neither of these.
	name := []rune(strings.ReplaceAll(strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return ' '
		}
		return char
	}, test), "=", ":"))
	if string(name) == test && len(name) <= sessionLimit {
		return test
	}
	mark := " " + digest(test)
	if room := sessionLimit - len(mark); len(name) > room {
		// The end of a name tells more than its middle.
		name = append(append(append([]rune{}, name[:60]...), '…'), name[len(name)-room+61:]...)
	}
	return string(name) + mark
}

// ownCassette returns the name of a test's own cassette: tests of which it is a part are folders.
func ownCassette(test string) string {
	parts := strings.Split(test, "/")
	for index, part := range parts {
		parts[index] = fileName(part)
	}
	return path.Join(parts...)
}

var (
	notInFileNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
	// cassetteEnding matches what a cassette's files end with, and no name may seem to.
	cassetteEnding = regexp.MustCompile(`\.(?:ya?ml|journal)$`)
)

// fileName returns a file's name for something, which nothing else has, also on a disk that ignores case. It is the text as
// far as a file's name may be. Where that loses anything, has capital letters or is too long, a digest of the text follows.
func fileName(exact string) string {
	slug := strings.Trim(notInFileNames.ReplaceAllString(exact, "-"), "-.")
	if slug != "" && slug == exact && slug == strings.ToLower(slug) && len(slug) <= fileLimit && !cassetteEnding.MatchString(slug) {
		return slug
	}
	mark := digest(exact)
	start := strings.TrimRight(slug[:min(len(slug), fileLimit-len(mark)-1)], "-.")
	if start == "" {
		return mark
	}
	return start + "-" + mark
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:8]
}
