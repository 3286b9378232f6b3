package tapedeck

import (
	"fmt"
	"strings"
)

var modes = []string{"replay", "once", "new", "all"}

// deckModes has what each mode is to a deck; once is that of a cassette which is missing.
var deckModes = map[string]string{"replay": "replay", "once": "record", "new": "append", "all": "record"}

// meant has words of other tools and of the deck, and the mode that means the same.
var meant = map[string]string{
	"none": "replay", "play": "replay", "new_episodes": "new", "append": "new", "record": "all", "rewrite": "all",
}

// checkMode returns an error unless word is a mode; source is where it was written, such as TAPEDECK_MODE.
func checkMode(word, source string) error {
	plain := strings.ToLower(strings.TrimSpace(word))
	near := meant[plain]
	for _, mode := range modes {
		if word == mode {
			return nil
		}
		if near == "" && distance(plain, mode) <= len(mode)/2 {
			near = mode
		}
	}
	message := fmt.Sprintf("%s is %q; it must be one of %s", source, word, strings.Join(modes, ", "))
	if near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%s", message)
}

// distance returns the number of bytes to insert, remove or replace (Levenshtein).
func distance(from, to string) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(from); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(to); j++ {
			replaced := diagonal
			if from[i-1] != to[j-1] {
				replaced++
			}
			diagonal = row[j]
			row[j] = min(replaced, min(row[j-1], row[j])+1)
		}
	}
	return row[len(to)]
}
