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
{NULL, NULL, 0},
};

struct tapedeck_asset tapedeck_asset(size_t index) {
    struct tapedeck_asset asset = assets[index];
    if (asset.path) asset.size = strlen((const char *)asset.bytes);
    return asset;
}
