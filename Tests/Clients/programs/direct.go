// Prints what a URL answers, without a look at proxy variables.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	client := http.Client{Transport: &http.Transport{}}
	response, err := client.Get(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
}
