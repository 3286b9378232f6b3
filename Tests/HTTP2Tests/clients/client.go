// Asks for each path, all at the same time. Prints the version, status and body of each answer.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

func main() {
	base, ca, paths := os.Args[1], os.Args[2], os.Args[3:]
	pem, err := os.ReadFile(ca)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
	}}
	lines := make([]string, len(paths))
	var group sync.WaitGroup
	for index, path := range paths {
		group.Add(1)
		go func(index int, path string) {
			defer group.Done()
			method, target, body := "GET", path, io.Reader(nil)
			if strings.Contains(path, " ") {
				method, target, body = "POST", strings.Split(path, " ")[1], strings.NewReader("abc")
			}
			request, err := http.NewRequest(method, base+target, body)
			if err != nil {
				panic(err)
			}
			answer, err := client.Do(request)
			if err != nil {
				panic(err)
			}
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				panic(err)
			}
			lines[index] = fmt.Sprintf("%d %d %s", answer.ProtoMajor, answer.StatusCode, text)
		}(index, path)
	}
	group.Wait()
	fmt.Println(strings.Join(lines, "\n"))
}
