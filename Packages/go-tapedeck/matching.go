package tapedeck

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Shape is a matcher in the shape of a cassette's request, such as Shape{"method": "GET", "urlTemplate": "/users/{id}"}.
type Shape map[string]any

var textMatcher = regexp.MustCompile(`^(?:([A-Za-z]+)\s+)?(\S+)$`)

// shapeOf returns the shape of "POST /login", of "/login" for any method, or of a Shape itself.
func shapeOf(matcher any) (Shape, error) {
	switch matcher := matcher.(type) {
	case Shape:
		return matcher, nil
	case string:
		parts := textMatcher.FindStringSubmatch(strings.TrimSpace(matcher))
		if parts == nil {
			break
		}
		shape := Shape{}
		if parts[1] != "" {
			shape["method"] = strings.ToUpper(parts[1])
		}
		switch url := parts[2]; {
		case strings.Contains(url, "{"):
			shape["urlTemplate"] = url
		case strings.Contains(url, "?"):
			shape["url"] = url
		default:
			shape["url"], shape["otherQuery"] = url, "allowed"
		}
		return shape, nil
	}
	return nil, fmt.Errorf("%v is no matcher; write one such as \"GET /users\" or tapedeck.Shape{\"url\": \"/users\"}", matcher)
}

func textOf(matcher any) string {
	if text, ok := matcher.(string); ok {
		return text
	}
	text, err := json.Marshal(matcher)
	if err != nil {
		return fmt.Sprint(matcher)
	}
	return string(text)
}

func requests(count int) string {
	if count == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", count)
}
