package bob

import (
	"testing"

	"go-tapedeck/testdata/suite/shop"
)

func TestUser(t *testing.T)    { shop.Asks(t, "bob") }
func TestSoldOut(t *testing.T) { shop.IsSoldOut(t) }
