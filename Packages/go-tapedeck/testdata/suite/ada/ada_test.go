package ada

import (
	"testing"

	"go-tapedeck/testdata/suite/shop"
)

func TestUser(t *testing.T)  { shop.Asks(t, "ada") }
func TestStock(t *testing.T) { shop.HasStock(t) }
