package tapedeck

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// cassette is a cassette's file.
type cassette struct {
	// name is the deck's name for it in its folder of cassettes, with the folders within; plain is the name without these.
	name, plain  string
	folder, file string
	exists       bool
	// isNamed is false for one that is named after its test.
	isNamed bool
}

var yamlEnding = regexp.MustCompile(`\.ya?ml$`)

func findCassette(name, folder string) cassette {
	whole := filepath.Join(folder, name)
	candidates := []string{whole + ".yaml", whole + ".yml"}
	if yamlEnding.MatchString(whole) {
		candidates = []string{whole}
	}
	found := cassette{file: candidates[0]}
	for _, candidate := range candidates {
		if _, err := os.Stat(candidate); err == nil {
			found = cassette{file: candidate, exists: true}
			break
		}
	}
	found.plain = yamlEnding.ReplaceAllString(filepath.Base(found.file), "")
	found.folder, found.name = filepath.Dir(found.file), found.plain
	if inside, err := filepath.Rel(folder, found.file); err == nil && !strings.HasPrefix(inside, "..") {
		found.folder, found.name = folder, yamlEnding.ReplaceAllString(filepath.ToSlash(inside), "")
	}
	return found
}

// bodyFile matches what names a body's file. What only looks like one does no harm: a file of that name beside the
// cassette is sent along.
var bodyFile = regexp.MustCompile(`\b(?:file|encoded)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"',}][^,}\n]*))`)

// filesToSend returns the names of cassettes for the deck, and those that the deck is sent, with the files of their bodies. A
// deck that is sent them needs no access to the disk of the tests. What it records, the first, it has in its own folder.
func filesToSend(cassettes []cassette, process *process, records bool) ([]string, map[string]any, error) {
	names, files := []string{}, map[string]any{}
	for index, one := range cassettes {
		if records && index == 0 {
			names = append(names, one.name)
			continue
		}
		if !one.exists {
			var known []string
			if !process.isOwn {
				known = process.cassettes()
			}
			if !contains(known, one.name) {
				return nil, nil, missing(one, process, known)
			}
			names = append(names, one.name)
			continue
		}
		// A file that is sent is in no folder, as its body files are beside it.
		if _, isThere := files[one.plain+".yaml"]; isThere || records && one.plain == names[0] {
			return nil, nil, fmt.Errorf("two cassettes are called %q; give them names of their own", one.plain)
		}
		names = append(names, one.plain)
		text, err := os.ReadFile(one.file)
		if err != nil {
			return nil, nil, err
		}
		files[one.plain+".yaml"] = sendable(text)
		for _, match := range bodyFile.FindAllStringSubmatch(string(text), -1) {
			name := filepath.Clean(strings.TrimSpace(match[1] + match[2] + match[3]))
			// One that leads elsewhere is left to the deck, which knows the line.
			if filepath.IsAbs(name) || strings.HasPrefix(name, "..") {
				continue
			}
			if body, err := os.ReadFile(filepath.Join(filepath.Dir(one.file), name)); err == nil {
				files[name] = sendable(body)
			}
		}
	}
	return names, files, nil
}

func missing(one cassette, process *process, known []string) error {
	text := "there is no cassette " + shown(one.file)
	if !process.isOwn {
		text += fmt.Sprintf(", and the deck at %s has no %q", process.control.url, one.name)
	}
	other := yamlEnding.ReplaceAllString(one.file, "")
	if info, err := os.Stat(other); err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s; %s is a file of another tool: tapedeck import makes a cassette of it", text, shown(other))
	}
	remedy := "record it by running the test with TAPEDECK_MODE=once"
	if isCI() {
		remedy = "record it on your own machine and commit it"
	}
	if near := one.nearest(known); near != "" {
		return fmt.Errorf("%s; did you mean %q? If not, %s", text, near, remedy)
	}
	return fmt.Errorf("%s; %s", text, remedy)
}

// nearest returns the cassette in the same folder, or of the deck, whose name is most like that of a missing one.
func (c cassette) nearest(known []string) string {
	if !c.isNamed {
		return ""
	}
	names := known
	beside, _ := os.ReadDir(filepath.Dir(c.file))
	for _, entry := range beside {
		if yamlEnding.MatchString(entry.Name()) {
			names = append(names, findCassette(filepath.Join(filepath.Dir(c.name), entry.Name()), c.folder).name)
		}
	}
	near, least := "", len(c.name)/3
	for _, name := range names {
		if steps := distance(c.name, name); steps <= least {
			near, least = name, steps-1
		}
	}
	return near
}

// shown returns a path from the working directory, where it is below that.
func shown(place string) string {
	if folder, err := os.Getwd(); err == nil {
		return strings.TrimPrefix(place, folder+string(filepath.Separator))
	}
	return place
}

// cassettes returns the names of those that a deck which runs elsewhere has in its own folder.
func (p *process) cassettes() []string {
	var listed struct {
		Cassettes []struct {
			Name string `json:"name"`
		} `json:"cassettes"`
	}
	if p.control.ask("GET", "/v1/cassettes", nil, &listed) != nil {
		return nil
	}
	var names []string
	for _, one := range listed.Cassettes {
		names = append(names, one.Name)
	}
	return names
}

func contains(names []string, name string) bool {
	for _, one := range names {
		if one == name {
			return true
		}
	}
	return false
}

func sendable(bytes []byte) any {
	if utf8.Valid(bytes) {
		return string(bytes)
	}
	return map[string]string{"base64": base64.StdEncoding.EncodeToString(bytes)}
}
