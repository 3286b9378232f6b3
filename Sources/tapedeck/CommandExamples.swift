/// Two examples for each command, at the end of its help. Held against the commands by a test.
enum CommandExamples {
    /// By the words of the command, without `tapedeck`.
    static let table: [String: [String]] = [
        "": [
            "tapedeck record github -- curl -s https://api.github.com/users/octocat",
            "tapedeck replay github -- ./run-tests",
        ],
        "record": [
            "tapedeck record github -- curl -s https://api.github.com/users/octocat",
            "tapedeck record shop --only api.example.com -- ./run-tests",
        ],
        "append": [
            "tapedeck append github -- ./run-tests",
            "tapedeck append shop github --unmatched fail -- ./run-tests",
        ],
        "replay": [
            "tapedeck replay github -- ./run-tests",
            "tapedeck replay shop --block '*.telemetry.example.com' -- ./run-tests",
        ],
        "passthrough": [
            "tapedeck passthrough -- ./run-tests",
            "tapedeck passthrough --port 4747 --verbose",
        ],
        "serve": [
            "tapedeck serve --port 4747",
            "tapedeck serve github --select 'users=not found'",
        ],
        "doctor": [
            "tapedeck doctor",
            "tapedeck doctor node php",
        ],
        "show": [
            "tapedeck show github",
            "tapedeck show github --json",
        ],
        "set": [
            "tapedeck set rename shop 'GET api.example.com/cart' cart",
            "tapedeck set move shop login logout --to accounts",
        ],
        "set rename": [
            "tapedeck set rename shop 'GET api.example.com/cart' cart",
            "tapedeck set rename shop login 'log in' --dry-run",
        ],
        "set remove": [
            "tapedeck set remove shop cart",
            "tapedeck set remove shop cart login --dry-run",
        ],
        "set move": [
            "tapedeck set move shop 'any item' --last",
            "tapedeck set move shop login logout --to accounts",
        ],
        "set copy": [
            "tapedeck set copy shop item --as 'any item'",
            "tapedeck set copy shop login --to accounts",
        ],
        "variant": [
            "tapedeck variant copy shop login recorded locked",
            "tapedeck variant default shop login locked",
        ],
        "variant rename": [
            "tapedeck variant rename shop login recorded success",
            "tapedeck variant rename shop cart empty 'no articles'",
        ],
        "variant remove": [
            "tapedeck variant remove shop login offline",
            "tapedeck variant remove shop cart full empty --dry-run",
        ],
        "variant copy": [
            "tapedeck variant copy shop login recorded locked",
            "tapedeck variant copy shop cart full empty",
        ],
        "variant default": [
            "tapedeck variant default shop login locked",
            "tapedeck variant default shop cart recorded",
        ],
        "take": [
            "tapedeck take remove shop status recorded 2 3",
            "tapedeck take remove shop status recorded 1 --dry-run",
        ],
        "take remove": [
            "tapedeck take remove shop status recorded 2 3",
            "tapedeck take remove shop status recorded 1 --dry-run",
        ],
        "merge": [
            "tapedeck merge shop login cart",
            "tapedeck merge shop login --remove",
        ],
        "split": [
            "tapedeck split shop",
            "tapedeck split shop --by set --remove",
        ],
        "edit": [
            "tapedeck edit shop login locked",
            "tapedeck edit shop status --take 2 --print",
        ],
        "import": [
            "tapedeck import traffic.har",
            "tapedeck import spec/cassettes --format vcr --out cassettes/",
        ],
        "export": [
            "tapedeck export github --format har -o github.har",
            "tapedeck export shop --format wiremock -o mappings/shop.json",
        ],
        "check": [
            "tapedeck check github shop",
            "tapedeck check cassettes/github.yaml --json",
        ],
        "schema": [
            "tapedeck schema > cassette.schema.json",
            "tapedeck schema --project",
        ],
        "explain": [
            "tapedeck explain github GET https://api.github.com/users/octocat",
            #"tapedeck explain shop POST https://api.example.com/orders --body '{"id": 1}'"#,
        ],
        "ca": [
            "tapedeck ca",
            #"eval "$(tapedeck ca env)""#,
        ],
        "ca about": [
            "tapedeck ca about",
            "tapedeck ca about | grep SHA-256",
        ],
        "ca path": [
            "tapedeck ca path",
            #"curl --cacert "$(tapedeck ca path)" https://api.example.com/"#,
        ],
        "ca print": [
            "tapedeck ca print",
            "tapedeck ca print > tapedeck.pem",
        ],
        "ca env": [
            "tapedeck ca env",
            #"eval "$(tapedeck ca env)""#,
        ],
        "config": [
            "tapedeck config",
            "tapedeck config replay",
        ],
        "health": [
            "tapedeck health",
            "tapedeck health --port 4800",
        ],
        "demo": [
            "tapedeck demo",
            "tapedeck demo | less",
        ],
        "refresh": [
            "tapedeck refresh github",
            "tapedeck refresh github --only-set users --dry-run",
        ],
        "drift": [
            "tapedeck drift github",
            "tapedeck drift github --json",
        ],
        "diff": [
            "tapedeck diff github github-new",
            "tapedeck diff old.yaml new.yaml --json",
        ],
        "ignore": [
            "tapedeck ignore shop query:page 'json:$.order.time'",
            "tapedeck ignore shop form:nonce xml://Timestamp",
        ],
        "suggest": [
            "tapedeck suggest shop shop-again",
            "tapedeck suggest shop shop-again --apply",
        ],
        "prune": [
            "tapedeck prune --report report.json",
            "tapedeck prune github --report reports --check",
        ],
        "matrix": [
            "tapedeck matrix github -- ./run-tests",
            "tapedeck matrix shop --built-in --junit matrix.xml -- ./run-tests",
        ],
        "coverage": [
            "tapedeck coverage --report reports",
            "tapedeck coverage shop --report reports --check --markdown",
        ],
        "scan": [
            "tapedeck scan",
            "tapedeck scan cassettes/github.yaml --json",
        ],
        "scrub": [
            "tapedeck scrub github --dry-run",
            "tapedeck scrub github",
        ],
        "pull": [
            "tapedeck pull --deck http://deck.example.com:4748",
            "tapedeck pull github",
        ],
        "push": [
            "tapedeck push github",
            "tapedeck push --deck http://deck.example.com:4748",
        ],
        "session": [
            "tapedeck session create github",
            "tapedeck session list",
        ],
        "session create": [
            "tapedeck session create github --name login",
            "tapedeck session create shop --mode append --port 0",
        ],
        "session list": [
            "tapedeck session list",
            "tapedeck session list --json",
        ],
        "session end": [
            "tapedeck session end login-4f2a",
            "tapedeck session end login-4f2a --json",
        ],
        "sets": [
            "tapedeck sets",
            "tapedeck sets --search users --json",
        ],
        "select": [
            "tapedeck select 'users=not found'",
            "tapedeck select users=slow orders=offline --session login-4f2a",
        ],
        "profile": [
            "tapedeck profile list",
            "tapedeck profile apply offline",
        ],
        "profile apply": [
            "tapedeck profile apply offline",
            "tapedeck profile apply slow --only https://api.github.com",
        ],
        "profile revert": [
            "tapedeck profile revert offline",
            "tapedeck profile revert slow --session login-4f2a",
        ],
        "profile list": [
            "tapedeck profile list",
            "tapedeck profile list --json",
        ],
        "state": [
            "tapedeck state",
            "tapedeck state user=ada cart=",
        ],
        "reset": [
            "tapedeck reset",
            "tapedeck reset users",
        ],
        "journal": [
            "tapedeck journal --follow",
            "tapedeck journal --outcome unmatched --json",
        ],
        "report": [
            "tapedeck report",
            "tapedeck report --session login-4f2a --json",
        ],
        "recording": [
            "tapedeck recording start github",
            "tapedeck recording stop",
        ],
        "recording start": [
            "tapedeck recording start github",
            "tapedeck recording start github --mode record",
        ],
        "recording stop": [
            "tapedeck recording stop",
            "tapedeck recording stop --json",
        ],
        "recording keep": [
            "tapedeck recording keep 7 --variant 'out of stock'",
            #"tapedeck recording keep --variant gone --matching '{"method": "DELETE"}'"#,
        ],
        "recording snapshot": [
            "tapedeck recording snapshot github",
            #"tapedeck recording snapshot shop --matching '{"method": "GET"}'"#,
        ],
    ]
}
