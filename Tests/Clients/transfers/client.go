// Sends files and forms, and downloads in ranges: client URL forward|backward. As client.py does.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"
)

const size = 300_000

func content(name string) []byte {
	one := []byte(strings.Repeat(name, 7))
	for byte := 0; byte < 256; byte++ {
		one = append(one, uint8(byte))
	}
	return bytes.Repeat(one, 40)
}

func ask(request *http.Request) []byte {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		panic(fmt.Sprint(err, response.Status, string(body)))
	}
	return body
}

func post(target, contentType string, body []byte) string {
	request, _ := http.NewRequest("POST", target, bytes.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	return string(ask(request))
}

func main() {
	base, isForward := os.Args[1], os.Args[2] == "forward"
	piece := 50_000
	if isForward {
		piece = 65_536
	}
	var lines []string
	pieces := map[int][]byte{}
	var jobs []func()
	for _, name := range []string{"a", "b", "c"} {
		name := name
		jobs = append(jobs, func() {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			file, _ := form.CreateFormFile("file", name+".bin")
			file.Write(content(name))
			form.WriteField("note", "of "+name)
			form.Close()
			lines = append(lines, "upload "+name+" "+post(base+"/upload", form.FormDataContentType(), body.Bytes()))
		}, func() {
			fields := []string{"name=" + name, "text=" + url.QueryEscape("naïve & more"), "tag=1", "tag=2"}
			if !isForward {
				fields = []string{"text=" + url.PathEscape("naïve & more"), "tag=1", "tag=2", "name=" + name}
				fields[0] = strings.ReplaceAll(fields[0], "&", "%26")
			}
			body := []byte(strings.Join(fields, "&"))
			lines = append(lines, "form "+name+" "+post(base+"/form", "application/x-www-form-urlencoded", body))
		})
	}
	for start := 0; start < size; start += piece {
		start, end := start, start+piece
		if end > size {
			end = size
		}
		jobs = append(jobs, func() {
			request, _ := http.NewRequest("GET", base+"/blob", nil)
			request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", start, end-1))
			pieces[start] = ask(request)
		})
	}
	for number := range jobs {
		if isForward {
			jobs[number]()
		} else {
			jobs[len(jobs)-1-number]()
		}
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
	var body []byte
	for start := 0; start < size; start += piece {
		body = append(body, pieces[start]...)
	}
	fmt.Printf("download %d %x\n", len(body), sha256.Sum256(body))
}
