#include "CTapedeckAssets.h"

#include <string.h>

// The C compiler copies the files into the program as they are, which takes no time, and builds this file anew when one of
// them changes. An array literal of Swift with the same bytes takes a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Files of text, so a zero ends each.
#define FILE(path) {path, (const unsigned char[]){
#define END , 0}, 0},

static const struct tapedeck_asset assets[] = {
FILE("TapedeckControlServer/openapi.json")
#embed "../TapedeckControlServer/openapi.json"
END
FILE("TapedeckControlServer/Page/index.html")
#embed "../TapedeckControlServer/Page/index.html"
END
FILE("TapedeckControlServer/Page/actions.js")
#embed "../TapedeckControlServer/Page/actions.js"
END
FILE("TapedeckControlServer/Page/answers.js")
#embed "../TapedeckControlServer/Page/answers.js"
END
FILE("TapedeckControlServer/Page/api.js")
#embed "../TapedeckControlServer/Page/api.js"
END
FILE("TapedeckControlServer/Page/bodies.js")
#embed "../TapedeckControlServer/Page/bodies.js"
END
FILE("TapedeckControlServer/Page/bodyview.js")
#embed "../TapedeckControlServer/Page/bodyview.js"
END
FILE("TapedeckControlServer/Page/connect.js")
#embed "../TapedeckControlServer/Page/connect.js"
END
FILE("TapedeckControlServer/Page/copies.js")
#embed "../TapedeckControlServer/Page/copies.js"
END
FILE("TapedeckControlServer/Page/detail.js")
#embed "../TapedeckControlServer/Page/detail.js"
END
FILE("TapedeckControlServer/Page/dom.js")
#embed "../TapedeckControlServer/Page/dom.js"
END
FILE("TapedeckControlServer/Page/failing.js")
#embed "../TapedeckControlServer/Page/failing.js"
END
FILE("TapedeckControlServer/Page/files.js")
#embed "../TapedeckControlServer/Page/files.js"
END
FILE("TapedeckControlServer/Page/foldable.js")
#embed "../TapedeckControlServer/Page/foldable.js"
END
FILE("TapedeckControlServer/Page/icon.svg")
#embed "../TapedeckControlServer/Page/icon.svg"
END
FILE("TapedeckControlServer/Page/maker.js")
#embed "../TapedeckControlServer/Page/maker.js"
END
FILE("TapedeckControlServer/Page/markup.js")
#embed "../TapedeckControlServer/Page/markup.js"
END
FILE("TapedeckControlServer/Page/names.js")
#embed "../TapedeckControlServer/Page/names.js"
END
FILE("TapedeckControlServer/Page/newsession.js")
#embed "../TapedeckControlServer/Page/newsession.js"
END
FILE("TapedeckControlServer/Page/page.css")
#embed "../TapedeckControlServer/Page/page.css"
END
FILE("TapedeckControlServer/Page/page.js")
#embed "../TapedeckControlServer/Page/page.js"
END
FILE("TapedeckControlServer/Page/reader.js")
#embed "../TapedeckControlServer/Page/reader.js"
END
FILE("TapedeckControlServer/Page/sessions.js")
#embed "../TapedeckControlServer/Page/sessions.js"
END
FILE("TapedeckControlServer/Page/sets.js")
#embed "../TapedeckControlServer/Page/sets.js"
END
FILE("TapedeckControlServer/Page/splitter.js")
#embed "../TapedeckControlServer/Page/splitter.js"
END
FILE("TapedeckControlServer/Page/steering.js")
#embed "../TapedeckControlServer/Page/steering.js"
END
FILE("TapedeckControlServer/Page/traffic.js")
#embed "../TapedeckControlServer/Page/traffic.js"
END
FILE("TapedeckControlServer/Page/trust.html")
#embed "../TapedeckControlServer/Page/trust.html"
END
FILE("TapedeckControlServer/Page/variants.js")
#embed "../TapedeckControlServer/Page/variants.js"
END
FILE("TapedeckControlServer/Page/words.js")
#embed "../TapedeckControlServer/Page/words.js"
END
FILE("TapedeckDeck/ClientFiles/Hooks/preload.cjs")
#embed "../TapedeckDeck/ClientFiles/Hooks/preload.cjs"
END
FILE("TapedeckDeck/ClientFiles/Hooks/prepend.php")
#embed "../TapedeckDeck/ClientFiles/Hooks/prepend.php"
END
FILE("TapedeckDeck/ClientFiles/Hooks/routing.cjs")
#embed "../TapedeckDeck/ClientFiles/Hooks/routing.cjs"
END
FILE("TapedeckDeck/ClientFiles/Hooks/tunnel.cjs")
#embed "../TapedeckDeck/ClientFiles/Hooks/tunnel.cjs"
END
FILE("docs/cassette-format.md")
#embed "../../docs/cassette-format.md"
END
FILE("docs/cassette-reference.md")
#embed "../../docs/cassette-reference.md"
END
FILE("docs/ci.md")
#embed "../../docs/ci.md"
END
FILE("docs/coming-from-other-tools.md")
#embed "../../docs/coming-from-other-tools.md"
END
FILE("docs/coming-from-recorders.md")
#embed "../../docs/coming-from-recorders.md"
END
FILE("docs/coming-from-swift-tools.md")
#embed "../../docs/coming-from-swift-tools.md"
END
FILE("docs/configuration.md")
#embed "../../docs/configuration.md"
END
FILE("docs/control-api.md")
#embed "../../docs/control-api.md"
END
FILE("docs/editing.md")
#embed "../../docs/editing.md"
END
FILE("docs/getting-started.md")
#embed "../../docs/getting-started.md"
END
FILE("docs/glossary.md")
#embed "../../docs/glossary.md"
END
FILE("docs/grpc.md")
#embed "../../docs/grpc.md"
END
FILE("docs/http2.md")
#embed "../../docs/http2.md"
END
FILE("docs/import-and-export.md")
#embed "../../docs/import-and-export.md"
END
FILE("docs/isolation.md")
#embed "../../docs/isolation.md"
END
FILE("docs/json-output.md")
#embed "../../docs/json-output.md"
END
FILE("docs/json-output.schema.json")
#embed "../../docs/json-output.schema.json"
END
FILE("docs/life-of-a-request.md")
#embed "../../docs/life-of-a-request.md"
END
FILE("docs/limitations.md")
#embed "../../docs/limitations.md"
END
FILE("docs/limits.md")
#embed "../../docs/limits.md"
END
FILE("docs/live-page.md")
#embed "../../docs/live-page.md"
END
FILE("docs/macos-and-ios.md")
#embed "../../docs/macos-and-ios.md"
END
FILE("docs/merging.md")
#embed "../../docs/merging.md"
END
FILE("docs/operations.md")
#embed "../../docs/operations.md"
END
FILE("docs/pull-and-push.md")
#embed "../../docs/pull-and-push.md"
END
FILE("docs/recording.md")
#embed "../../docs/recording.md"
END
FILE("docs/redaction.md")
#embed "../../docs/redaction.md"
END
FILE("docs/response-sets.md")
#embed "../../docs/response-sets.md"
END
FILE("docs/scan-and-scrub.md")
#embed "../../docs/scan-and-scrub.md"
END
FILE("docs/sessions.md")
#embed "../../docs/sessions.md"
END
FILE("docs/sharing.md")
#embed "../../docs/sharing.md"
END
FILE("docs/staying-true.md")
#embed "../../docs/staying-true.md"
END
FILE("docs/testing-in-go.md")
#embed "../../docs/testing-in-go.md"
END
FILE("docs/testing-in-java.md")
#embed "../../docs/testing-in-java.md"
END
FILE("docs/testing-in-node.md")
#embed "../../docs/testing-in-node.md"
END
FILE("docs/testing-in-python.md")
#embed "../../docs/testing-in-python.md"
END
FILE("docs/testing-in-swift.md")
#embed "../../docs/testing-in-swift.md"
END
FILE("docs/testing-with-playwright.md")
#embed "../../docs/testing-with-playwright.md"
END
FILE("docs/transparent.md")
#embed "../../docs/transparent.md"
END
FILE("docs/troubleshooting.md")
#embed "../../docs/troubleshooting.md"
END
FILE("docs/trusting-the-ca.md")
#embed "../../docs/trusting-the-ca.md"
END
FILE("docs/upstream.md")
#embed "../../docs/upstream.md"
END
FILE("docs/variants.md")
#embed "../../docs/variants.md"
END
FILE("docs/what-varies.md")
#embed "../../docs/what-varies.md"
END
FILE("docs/your-first-test-suite.md")
#embed "../../docs/your-first-test-suite.md"
END
{NULL, NULL, 0},
};

struct tapedeck_asset tapedeck_asset(size_t index) {
    struct tapedeck_asset asset = assets[index];
    if (asset.path) asset.size = strlen((const char *)asset.bytes);
    return asset;
}
