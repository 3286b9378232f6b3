package tapedeck

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// lacked reports whether a cassette was missing when a test of this run first used it, and notes that it was. A run is one
// command, such as `go test ./...`, which has a process for each package. cassette is its place, and exists whether it is
// there now.
func lacked(cassette string, exists func() bool) (bool, error) {
	folder, err := runFolder()
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256([]byte(cassette))
	note := filepath.Join(folder, hex.EncodeToString(sum[:]))
	// The order matters: a process makes its note before it makes the cassette. So if another process of the run has made
	// the cassette that is found here, its note is found, too.
	if exists() {
		_, err := os.Stat(note)
		return err == nil, nil
	}
	return true, os.WriteFile(note, nil, 0o600)
}

// beginning is the name of the file that is written first.
const beginning = "began"

// runBegan returns the time at which this run first asked for a cassette to record (RFC 3339). What was recorded since is of
// this run.
func runBegan() (string, error) {
	folder, err := runFolder()
	if err != nil {
		return "", err
	}
	found, err := os.Stat(filepath.Join(folder, beginning))
	if err != nil {
		return "", err
	}
	return found.ModTime().UTC().Format("2006-01-02T15:04:05.000Z"), nil
}

// runFolder returns the folder of the notes of this run.
func runFolder() (string, error) {
	all, err := notes()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(all, runOf(runner()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	file, err := os.OpenFile(filepath.Join(folder, beginning), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return folder, nil
	}
	if err != nil {
		return "", err
	}
	return folder, file.Close()
}

// runner returns the process that the run begins and ends with: the go command that started this one, else this one.
func runner() int {
	parent := os.Getppid()
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	if err != nil {
		name, _ = exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(parent)).Output()
	}
	if filepath.Base(strings.TrimSpace(string(name))) == "go" {
		return parent
	}
	return os.Getpid()
}

var notInRunNames = regexp.MustCompile(`\W+`)

// runOf returns a name that no other process has, even if the system uses its number again.
func runOf(pid int) string {
	return fmt.Sprintf("%d-%s", pid, began(pid))
}

func began(pid int) string {
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		// proc(5): the 22nd field; the second one may have spaces.
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) < 20 {
			return "ended"
		}
		return fields[19]
	}
	text, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "ended"
	}
	return notInRunNames.ReplaceAllString(string(text), "-")
}

// notes returns this user's folder of notes, without those of runs that have ended.
func notes() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder to note which cassettes are recorded: %w", err)
	}
	folder = filepath.Join(folder, "go-tapedeck", "runs")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	found, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, one := range found {
		number, _, _ := strings.Cut(one.Name(), "-")
		if pid, err := strconv.Atoi(number); err != nil || one.Name() != runOf(pid) {
			// Another process may remove it, too.
			_ = os.RemoveAll(filepath.Join(folder, one.Name()))
		}
	}
	return folder, nil
}
