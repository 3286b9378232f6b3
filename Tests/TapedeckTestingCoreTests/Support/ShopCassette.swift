import TapedeckTestingCore

/// The cassette of the engine's tests.
enum Shop {
    static let price = "https://shop.example/price"
    static let stock = "https://shop.example/stock"

    static let cassette = Cassette(state: ["shelf": "top"], profiles: ["sale": ["price": "half"]]) {
        ResponseSet("price", .get(Self.price)) {
            Variant(
                "cheap",
                .json(["amount": 1, "currency": "NOK"], headers: ["x-shop": "1", "content-length": "33"])
            )
            Variant("dear", .json(["amount": 100, "currency": "NOK"]))
            Variant("half", .text("half"))
            Variant("gone", .fault(.connectionReset))
        }
        ResponseSet("stock", .get(Self.stock)) {
            Variant("dwindling", .sequence([.text("2"), .text("1"), .text("0")]))
            Variant("any", .random([(1, .text("a")), (1, .text("b")), (1, .text("c"))]))
        }
        ResponseSet("order", .post("https://shop.example/orders").jsonSubset(["sku": "a1"])) {
            Variant("taken", .status(201).settingState("ordered", to: "yes"))
        }
    }
}

extension CassetteReference {
    static var shop: Self { .inMemory(Shop.cassette, name: "shop") }
}
