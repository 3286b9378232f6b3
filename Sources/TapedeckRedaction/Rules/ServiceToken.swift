import TapedeckCore

/// What the tokens of a service look like: a beginning that nothing else has, and so many characters of an alphabet.
///
/// Each is as the service documents it; where it does not, as the rules of gitleaks (config/gitleaks.toml) and GitHub's
/// list of supported secret scanning patterns have it.
struct ServiceToken: Sendable {
    enum Alphabet: Int, Sendable {
        case lettersAndDigits
        case word
        case url
        case hex
        case digits
        case upper
        case dotted

        func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39: true
            case 0x61...0x66: self != .digits && self != .upper
            case 0x67...0x7A: self != .digits && self != .upper && self != .hex
            case 0x41...0x46: self != .digits
            case 0x47...0x5A: self != .digits && self != .hex
            case 0x5F: self == .word || self == .url || self == .dotted
            case 0x2D: self == .url || self == .dotted
            case 0x2E: self == .dotted
            default: false
            }
        }

        var shape: String {
            switch self {
            case .hex: "[0-9a-f]"
            case .digits: "[0-9]"
            case .upper: "[A-Z0-9]"
            default: "[A-Za-z0-9]"
            }
        }
    }

    var start: String
    var alphabet: Alphabet
    /// How many characters follow the start.
    var count: ClosedRange<Int>
    /// What a secret of this kind is called.
    var name: String
    /// The id of the rule that it belongs to.
    var rule = "tokens"

    init(_ start: String, _ alphabet: Alphabet, _ count: ClosedRange<Int>, _ name: String, rule: String = "tokens") {
        self.start = start
        self.alphabet = alphabet
        self.count = count
        self.name = name
        self.rule = rule
    }

    /// Where the runs of characters end that were looked at last, by alphabet, so that none is gone over twice.
    struct RunEnds {
        private var places = [Range<Int>](repeating: 0..<0, count: 7)

        mutating func end(of alphabet: Alphabet, in text: UnsafeRawBufferPointer, from start: Int) -> Int {
            let place = self.places[alphabet.rawValue]
            guard !place.contains(start) else { return place.upperBound }
            var end = start
            while end < text.count, alphabet.contains(text[end]) { end += 1 }
            self.places[alphabet.rawValue] = start..<end
            return end
        }
    }

    private static func exactly(_ count: Int) -> ClosedRange<Int> { count...count }

    static let all: [ServiceToken] = [
        // docs.github.com, "About authentication to GitHub", GitHub's token formats.
        .init("ghp_", .lettersAndDigits, 36...255, "github_token"),
        .init("gho_", .lettersAndDigits, 36...255, "github_token"),
        .init("ghu_", .lettersAndDigits, 36...255, "github_token"),
        .init("ghs_", .dotted, 36...1024, "github_token"),
        .init("ghr_", .lettersAndDigits, 36...255, "github_token"),
        .init("github_pat_", .word, 36...255, "github_token"),
        // docs.gitlab.com, "Token overview", token prefixes.
        .init("glpat-", .dotted, 20...300, "gitlab_token"),
        .init("gldt-", .url, 20...64, "gitlab_token"),
        .init("glrt-", .dotted, 20...300, "gitlab_token"),
        .init("glptt-", .url, 20...64, "gitlab_token"),
        .init("glcbt-", .url, 20...80, "gitlab_token"),
        .init("gloas-", .url, 20...80, "gitlab_secret"),
        // api.slack.com, "Token types".
        .init("xoxb-", .url, 20...255, "slack_token"),
        .init("xoxp-", .url, 20...255, "slack_token"),
        .init("xoxa-", .url, 20...255, "slack_token"),
        .init("xoxr-", .url, 20...255, "slack_token"),
        .init("xoxs-", .url, 20...255, "slack_token"),
        .init("xoxe.", .dotted, 20...400, "slack_token"),
        .init("xoxe-", .url, 20...400, "slack_token"),
        .init("xapp-", .url, 20...255, "slack_token"),
        // docs.stripe.com, "API keys", "Webhooks".
        .init("sk_live_", .lettersAndDigits, 10...255, "stripe_key"),
        .init("sk_test_", .lettersAndDigits, 10...255, "stripe_key"),
        .init("rk_live_", .lettersAndDigits, 10...255, "stripe_key"),
        .init("rk_test_", .lettersAndDigits, 10...255, "stripe_key"),
        .init("whsec_", .lettersAndDigits, 24...255, "webhook_secret"),
        // OpenAI and Anthropic: GitHub's supported secret scanning patterns.
        .init("sk-ant-", .url, 24...255, "anthropic_key"),
        .init("sk-proj-", .url, 24...255, "openai_key"),
        .init("sk-svcacct-", .url, 24...255, "openai_key"),
        .init("sk-", .lettersAndDigits, 32...128, "openai_key"),
        // docs.npmjs.com, "About access tokens"; pypi.org/help, "API tokens"; guides.rubygems.org; crates.io.
        .init("npm_", .lettersAndDigits, exactly(36), "npm_token"),
        .init("pypi-AgE", .url, 32...1024, "pypi_token"),
        .init("rubygems_", .hex, exactly(48), "rubygems_key"),
        .init("cio", .lettersAndDigits, exactly(32), "crates_token"),
        // docs.sendgrid.com, "API keys": two parts behind `SG`.
        .init("SG.", .dotted, exactly(66), "sendgrid_key"),
        // twilio.com/docs, "API keys", "Account SID".
        .init("SK", .hex, exactly(32), "twilio_key"),
        .init("AC", .hex, exactly(32), "twilio_account"),
        // documentation.mailgun.com; mailchimp.com/developer (the data center stands behind the key).
        .init("key-", .hex, exactly(32), "mailgun_key"),
        // AWS IAM user guide, "IAM identifiers", unique id prefixes.
        .init("AKIA", .upper, exactly(16), "aws_access_key_id", rule: "aws"),
        .init("ASIA", .upper, exactly(16), "aws_access_key_id", rule: "aws"),
        // cloud.google.com, "API keys"; developers.google.com/identity, token formats.
        .init("AIza", .url, exactly(35), "google_api_key", rule: "gcp"),
        .init("ya29.", .dotted, 20...2048, "google_token", rule: "gcp"),
        .init("GOCSPX-", .url, exactly(28), "google_client_secret", rule: "gcp"),
        .init("1//0", .url, 40...200, "google_refresh_token", rule: "gcp"),
        // digitalocean.com, shopify.dev, docs.databricks.com, huggingface.co, developer.atlassian.com.
        .init("dop_v1_", .hex, exactly(64), "digitalocean_token"),
        .init("doo_v1_", .hex, exactly(64), "digitalocean_token"),
        .init("dor_v1_", .hex, exactly(64), "digitalocean_token"),
        .init("shpat_", .hex, exactly(32), "shopify_token"),
        .init("shpss_", .hex, exactly(32), "shopify_secret"),
        .init("shpca_", .hex, exactly(32), "shopify_token"),
        .init("shppa_", .hex, exactly(32), "shopify_token"),
        .init("dapi", .hex, exactly(32), "databricks_token"),
        .init("hf_", .lettersAndDigits, 34...40, "huggingface_token"),
        .init("ATATT3", .url, 60...255, "atlassian_token"),
        .init("ATCTT3", .url, 60...255, "atlassian_token"),
        // developer.hashicorp.com, Vault and Terraform; grafana.com/docs; docs.newrelic.com; linear.app; sentry.io.
        .init("hvs.", .url, 24...255, "vault_token"),
        .init("hvb.", .url, 24...300, "vault_token"),
        .init("glsa_", .word, 32...64, "grafana_token"),
        .init("glc_", .lettersAndDigits, 32...400, "grafana_token"),
        .init("NRAK-", .upper, exactly(27), "newrelic_key"),
        .init("lin_api_", .lettersAndDigits, exactly(40), "linear_key"),
        .init("sntrys_", .word, 32...400, "sentry_token"),
        .init("sntryu_", .hex, exactly(64), "sentry_token"),
        // notion.so, figma.com, doppler.com, postman.com, planetscale.com, pulumi.com, supabase.com, docker.com, fly.io.
        .init("ntn_", .lettersAndDigits, 40...60, "notion_token"),
        .init("figd_", .url, 32...80, "figma_token"),
        .init("dp.pt.", .lettersAndDigits, 40...44, "doppler_token"),
        .init("PMAK-", .url, 40...80, "postman_key"),
        .init("pscale_tkn_", .dotted, 32...64, "planetscale_token"),
        .init("pscale_pw_", .dotted, 32...64, "planetscale_password"),
        .init("pul-", .hex, exactly(40), "pulumi_token"),
        .init("sbp_", .hex, exactly(40), "supabase_token"),
        .init("dckr_pat_", .url, 24...64, "docker_token"),
        .init("fo1_", .url, 40...64, "fly_token"),
        .init("EAAA", .url, exactly(60), "square_token"),
        .init("sq0csp-", .url, exactly(43), "square_secret"),
        .init("sq0atp-", .url, exactly(22), "square_token"),
    ]

    /// The length of the token that begins at `index`, if one does.
    func length(in text: UnsafeRawBufferPointer, at index: Int) -> Int? {
        var ends = RunEnds()
        return self.length(in: text, at: index, &ends)
    }

    func length(in text: UnsafeRawBufferPointer, at index: Int, _ ends: inout RunEnds) -> Int? {
        let start = self.start.utf8
        guard index + start.count + self.count.lowerBound <= text.count,
            text[index..<(index + start.count)].elementsEqual(start)
        else { return nil }
        var end = ends.end(of: self.alphabet, in: text, from: index + start.count)
        // A full stop at the end belongs to the sentence.
        guard end - index - start.count <= self.count.upperBound + 64 else { return nil }
        while end > index, text[end - 1] == 0x2E { end -= 1 }
        let length = end - index - start.count
        guard self.count.contains(length), end == text.count || !Alphabet.lettersAndDigits.contains(text[end]) else {
            return nil
        }
        // `sk-` and others could begin a word of prose: letters alone are none.
        let rest = text[(index + start.count)..<end]
        return rest.contains { (0x30...0x39).contains($0) } || length >= 32 ? end - index : nil
    }
}
