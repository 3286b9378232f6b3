package tapedeck

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// process is a deck that answers, and how clients reach it.
type process struct {
	control        *control
	isOwn          bool
	allowsDialling bool
	// proxy is the deck's HOST:PORT.
	proxy string
	tls   *tls.Config
	// input keeps a deck of this process alive: if it were collected as garbage, it would be closed, and the deck would end.
	input io.Closer
}

// opening is a deck that is asked for once, by whichever test comes first.
type opening struct {
	once    sync.Once
	process *process
	err     error
}

var (
	openings      = map[string]*opening{}
	openingsMutex sync.Mutex
)

// processFor returns the deck for tests: the one of TAPEDECK_URL, else one that this process starts; one for each folder
// that is recorded into and one for all else.
func processFor(binary, folder string) (*process, error) {
	url := os.Getenv("TAPEDECK_URL")
	if binary != "" {
		url = ""
	} else if binary = os.Getenv("TAPEDECK_BIN"); binary == "" {
		binary = "tapedeck"
	}
	key := binary + "\x00" + folder
	if url != "" {
		key = url
	}
	openingsMutex.Lock()
	found := openings[key]
	if found == nil {
		found = &opening{}
		openings[key] = found
	}
	openingsMutex.Unlock()
	found.once.Do(func() {
		if url != "" && !isHTTP(url) {
			found.err = fmt.Errorf("%q names no deck: write a URL such as http://127.0.0.1:4748", url)
		} else if url != "" {
			found.process, found.err = open(newControl(url, os.Getenv("TAPEDECK_TOKEN")), false, os.Getenv("TAPEDECK_PROXY"))
		} else {
			found.process, found.err = start(binary, folder)
		}
	})
	return found.process, found.err
}

func isHTTP(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Scheme == "http" && parsed.Host != ""
}

func open(control *control, isOwn bool, proxy string) (*process, error) {
	var model struct {
		ProxyURL       string `json:"proxyURL"`
		AllowsDialling bool   `json:"allowsDialling"`
	}
	if err := control.ask("GET", "/v1/deck", nil, &model); err != nil {
		return nil, err
	}
	if proxy == "" {
		proxy = model.ProxyURL
	}
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	address, err := url.Parse(proxy)
	if err != nil || address.Port() == "" {
		return nil, fmt.Errorf("the deck at %s has its proxy at %s, which is no HOST:PORT", control.url, proxy)
	}
	host := address.Hostname()
	if host == "0.0.0.0" || host == "::" {
		// A deck on all addresses is reached where its control API is.
		if base, err := url.Parse(control.url); err == nil {
			host = base.Hostname()
		}
	}
	authority, err := control.text("GET", "/v1/ca.pem", nil)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("the deck at %s gave no certificate at /v1/ca.pem", control.url)
	}
	return &process{
		control:        control,
		isOwn:          isOwn,
		allowsDialling: model.AllowsDialling,
		proxy:          net.JoinHostPort(host, address.Port()),
		tls:            &tls.Config{RootCAs: roots},
	}, nil
}

// start starts a deck that ends with this process: the command of the deck ends when its standard input does, whose other
// end is this process alone, and a deck ends with its command.
func start(binary, folder string) (*process, error) {
	path, err := exec.LookPath(binary)
	if err != nil {
		what := "there is no program " + binary
		if binary == "tapedeck" {
			what += "; install it as the README says"
		}
		return nil, fmt.Errorf("no deck: %s; name one with TAPEDECK_BIN or tapedeck.Binary, or a running deck with TAPEDECK_URL", what)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	token := hex.EncodeToString(random)
	arguments := []string{"serve", "--host", "127.0.0.1", "--port", "0", "--control-port", "0", "--sessions", "required"}
	if folder != "" {
		arguments = append(arguments, "--cassettes", folder)
	}
	arguments = append(arguments, "--", "/bin/sh", "-c", `echo "$TAPEDECK_URL"; exec cat >/dev/null`)
	command := exec.Command(path, arguments...)
	command.Env = append(os.Environ(), "TAPEDECK_TOKEN="+token)
	if folder != "" {
		// Decks that record one after the other know by the time that they are of one run, and add up.
		began, err := runBegan()
		if err != nil {
			return nil, err
		}
		command.Env = append(command.Env, "TAPEDECK_RUN_BEGAN="+began)
	}
	log := &firstBytes{}
	command.Stderr = log
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("the deck cannot be started: %s: %w", path, reason(err))
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		_ = command.Wait()
		said := log.String()
		if said == "" {
			said = "nothing"
		}
		return nil, fmt.Errorf("the deck cannot be started: %s serve said:\n%s", path, said)
	}
	deck, err := open(newControl(strings.TrimSpace(line), token), true, "")
	if err != nil {
		_ = input.Close()
		return nil, err
	}
	deck.input = input
	return deck, nil
}

// firstBytes keeps the first bytes of what a deck logs.
type firstBytes struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

const logLimit = 8000

func (b *firstBytes) Write(piece []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if room := logLimit - b.bytes.Len(); room > 0 {
		b.bytes.Write(piece[:min(room, len(piece))])
	}
	return len(piece), nil
}

func (b *firstBytes) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return strings.TrimSpace(b.bytes.String())
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
