extension ServiceToken.Row {
    /// Of two rows with the same beginning, the one for the longer token comes first.
    static let all = Self.code + Self.clouds + Self.models + Self.money + Self.messages + Self.data

    /// Code, packages and builds.
    private static let code: [Self] = [
        // GitHub, "About authentication to GitHub".
        .init("gh(p|o|u|r)_[A-Za-z0-9]{36,255}", "github_token"),
        .init("ghs_[A-Za-z0-9_.-]{36,1024}", "github_token"),
        .init("github_pat_[A-Za-z0-9_]{36,255}", "github_token"),
        // GitLab, "Token overview".
        .init("glpat-[A-Za-z0-9_-]{20,300}.[0-9a-z]{2}.[0-9a-z]{7,9}", "gitlab_token"),
        .init("gl(pat|rt)-[A-Za-z0-9_-]{27,300}.[0-9a-z]{9}", "gitlab_token"),
        .init("gl(pat|dt|ft|soat|rt|rtr|ffct|ptt|wt)-[A-Za-z0-9_-]{20,64}", "gitlab_token"),
        .init("glimt-[A-Za-z0-9_-]{25}", "gitlab_token"),
        .init("glagent-[A-Za-z0-9_-]{50}", "gitlab_token"),
        .init("glcbt-[A-Za-z0-9]{1,5}_[A-Za-z0-9_-]{20,64}", "gitlab_token"),
        .init("gloas-[A-Za-z0-9_-]{64}", "gitlab_secret"),
        .init("GR1348941[A-Za-z0-9_-]{20}", "gitlab_token"),
        // Packages: npm, PyPI, RubyGems, crates.io, Clojars, Artifactory, Docker, Octopus Deploy.
        .init("npm_[A-Za-z0-9]{36}", "npm_token"),
        .init("pypi-AgE[A-Za-z0-9_-]{32,1024}", "pypi_token"),
        .init("rubygems_[0-9a-f]{48}", "rubygems_key"),
        .init("cio[A-Za-z0-9]{32}", "crates_token", isWeak: true),
        .init("CLOJARS_[A-Za-z0-9]{60}", "clojars_token"),
        .init("AKCp[A-Za-z0-9]{69}", "artifactory_key"),
        .init("cmVmd[A-Za-z0-9]{59}", "artifactory_token"),
        .init("dckr_(pat|oat)_[A-Za-z0-9_-]{24,64}", "docker_token"),
        .init("API-[A-Z0-9]{26}", "octopus_key"),
        .init("oy2[a-z0-9]{43}", "nuget_key", isWeak: true),
        .init("ovsxat_[A-Za-z0-9_-]{36,64}", "openvsx_token"),
        .init("snyk_(uat|sat).[0-9a-f]{8}.[A-Za-z0-9_-]{40,80}", "snyk_token"),
        // Builds and deployments: CircleCI, Buildkite, Harness, Prefect, Pulumi, Infracost, Scalingo, Netlify, Render.
        .init("CCI(PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}", "circleci_token"),
        .init("bkua_[0-9a-f]{40}", "buildkite_token"),
        .init("(pat|sat).[A-Za-z0-9_-]{22}.[A-Za-z0-9]{24}.[A-Za-z0-9]{20}", "harness_key"),
        .init("pn(u|b)_[A-Za-z0-9]{36}", "prefect_token"),
        .init("pul-[0-9a-f]{40}", "pulumi_token"),
        .init("ico-[A-Za-z0-9]{32}", "infracost_key"),
        .init("tk-us-[A-Za-z0-9_-]{48}", "scalingo_token"),
        .init("nf(p|c|o|u)_[A-Za-z0-9]{36}", "netlify_token"),
        .init("rnd_[A-Za-z0-9]{28}", "render_key", isWeak: true),
        // Quality: SonarQube, Sourcegraph, Sentry, Postman, ReadMe.
        .init("sq(u|p|a)_[0-9a-f]{40}", "sonar_token"),
        .init("sgp_([0-9a-fA-F]{16}|local)_[0-9a-fA-F]{40}", "sourcegraph_token"),
        .init("sgp_[0-9a-fA-F]{40}", "sourcegraph_token"),
        .init("sntrys_[A-Za-z0-9+/]{32,400}[=]{0,2}_[A-Za-z0-9+/]{43}", "sentry_token"),
        .init("sntry(u|a|i)_[0-9a-f]{64}", "sentry_token"),
        .init("PMAK-[0-9a-f]{24}-[0-9a-f]{34}", "postman_key"),
        .init("rdme_[a-z0-9]{70}", "readme_key"),
    ]

    /// Clouds, hosting, networks and vaults.
    private static let clouds: [Self] = [
        // AWS, "IAM identifiers", unique id prefixes; Bedrock.
        .init("A(KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}", "aws_access_key_id", rule: "aws"),
        .init("ABSK[A-Za-z0-9+/]{109,269}[=]{0,2}", "bedrock_key", rule: "aws"),
        .init("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/]{16,4096}[=]{0,2}", "bedrock_key", rule: "aws"),
        // Google Cloud, "API keys"; Google Identity, token formats.
        .init("AIza[A-Za-z0-9_-]{35}", "google_api_key", rule: "gcp"),
        .init("ya29.[A-Za-z0-9_.-]{20,2048}", "google_token", rule: "gcp"),
        .init("GOCSPX-[A-Za-z0-9_-]{28}", "google_client_secret", rule: "gcp"),
        .init("1//0[A-Za-z0-9_-]{40,200}", "google_refresh_token", rule: "gcp"),
        // Microsoft Entra ID.
        .init("[A-Za-z0-9_~.]{3}[0-9]Q^~[A-Za-z0-9_~.-]{31,34}", "azure_client_secret", rule: "azure"),
        // Alibaba, DigitalOcean, Fly.io, Heroku, Databricks, Yandex, Cloudflare, Fastly, Tailscale, Defined Networking.
        .init("LTAI[A-Za-z0-9]{20}", "alibaba_access_key_id"),
        .init("do(p|o|r)_v1_[0-9a-f]{64}", "digitalocean_token"),
        .init("fo1_[A-Za-z0-9_-]{40,64}", "fly_token"),
        .init("fm(1a|1r|2)_[A-Za-z0-9+/]{100,2048}[=]{0,3}", "fly_token"),
        .init("HRKU-AA[A-Za-z0-9_-]{58}", "heroku_key"),
        .init("dapi[0-9a-f]{32}-[0-9]", "databricks_token"),
        .init("dapi[0-9a-f]{32}", "databricks_token"),
        .init("t1.[A-Za-z0-9_-]{20,400}[=]{0,2}.[A-Za-z0-9_-]{86}[=]{0,2}", "yandex_token"),
        .init("AQVN[A-Za-z0-9_-]{35,38}", "yandex_key", isWeak: true),
        .init("YC[A-Za-z0-9_-]{38}", "yandex_secret", near: "yandex", isWeak: true),
        .init("v1.0-[0-9a-f]{24}-[0-9a-f]{146}", "cloudflare_ca_key"),
        .init("tskey-(auth|api|client|scim|webhook)-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{16,64}", "tailscale_key"),
        .init("dnkey-[A-Za-z0-9_=-]{26}-[A-Za-z0-9_=-]{52}", "defined_key"),
        // HashiCorp Vault and Terraform, 1Password, Doppler, age, OpenShift, Okta, Authress, intra 42.
        .init("hv(s|b|r).[A-Za-z0-9_-]{24,300}", "vault_token"),
        .init("s.[A-Za-z0-9]{24}", "vault_token", near: "vault", isWeak: true),
        .init("[A-Za-z0-9]{14}.^atlasv1.[A-Za-z0-9_=-]{60,70}", "terraform_token"),
        .init("ops_eyJ[A-Za-z0-9+/]{250,2048}[=]{0,3}", "onepassword_token"),
        .init("A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", "onepassword_key"),
        .init("A3-[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", "onepassword_key"),
        .init("dp.(pt|ct|sa|scim|audit).[A-Za-z0-9]{40,44}", "doppler_token"),
        .init("dp.st.[A-Za-z0-9_-]{2,35}.[A-Za-z0-9]{40,44}", "doppler_token"),
        .init("AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", "age_key"),
        .init("sha256~[A-Za-z0-9_-]{43}", "openshift_token"),
        .init("00[A-Za-z0-9_=-]{40}", "okta_token", near: "okta", isWeak: true),
        .init(
            "(sc|ext|scauth|authress)_[a-z0-9]{5,30}.[a-z0-9]{4,6}.acc(-|_)[a-z0-9-]{10,32}.[A-Za-z0-9+/_=-]{30,120}",
            "authress_key"
        ),
        .init("s-s4t2(ud|af)-[0-9a-f]{64}", "intra42_secret"),
        // Supabase, Neon, PlanetScale, ClickHouse, Vercel.
        .init("sb(p|_secret)_[A-Za-z0-9_]{31,48}", "supabase_token"),
        .init("napi_[a-z0-9]{64}", "neon_key"),
        .init("pscale_(tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,64}", "planetscale_token"),
        .init("4b1d[A-Za-z0-9]{38}", "clickhouse_key", isWeak: true),
        .init("vc(p|i|a|r|k)_[A-Za-z0-9]{50,64}", "vercel_token"),
        // Heroku, Vercel's files, Cloudflare, Tencent, Volcengine.
        .init("HRKU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "heroku_key"),
        .init("vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}", "vercel_token"),
        .init("cf(ut|at|k)_[A-Za-z0-9]{40}[0-9a-f]{8}", "cloudflare_token"),
        .init("AKID[A-Za-z0-9]{32}", "tencent_id", isWeak: true),
        .init("AKLT[A-Za-z0-9_-]{44,60}", "volcengine_id", isWeak: true),
    ]

    /// Language models.
    private static let models: [Self] = [
        .init("sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{80,120}", "anthropic_key"),
        .init("sk-ant-[A-Za-z0-9_-]{24,255}", "anthropic_key"),
        .init("sk-(proj|svcacct|admin|None)-[A-Za-z0-9_-]{24,255}", "openai_key"),
        .init("sk-or-v1-[0-9a-f]{64}", "openrouter_key"),
        .init("(sk|pk)-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "langfuse_key"),
        .init("sk-[A-Za-z0-9]{32,64}", "openai_key", isWeak: true),
        .init("lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", "langsmith_key"),
        .init("hf_[A-Za-z0-9]{34}", "huggingface_token", isWeak: true),
        .init("api_org_[A-Za-z0-9]{34}", "huggingface_token"),
        .init("gsk_[A-Za-z0-9]{52}", "groq_key"),
        .init("r8_[A-Za-z0-9]{37}", "replicate_token", isWeak: true),
        .init("xai-[A-Za-z0-9]{80}", "xai_key"),
        .init("pplx-[A-Za-z0-9]{48}", "perplexity_key"),
        .init("sk_[0-9a-f]{48}", "elevenlabs_key"),
        .init("nvapi-[A-Za-z0-9_-]{60,70}", "nvidia_key"),
        // Search, vectors and memory: Tavily, Pinecone, Jina, Firecrawl, Brave, Mem0, LlamaCloud, Supermemory.
        .init("tvly-(dev-|prod-|)[A-Za-z0-9]{32}", "tavily_key"),
        .init("pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,70}", "pinecone_key"),
        .init("jina_[A-Za-z0-9_-]{56,64}", "jina_key"),
        .init("fc-[0-9a-f]{32}", "firecrawl_key"),
        .init("BSA[A-Za-z0-9_-]{28}", "brave_key", near: "brave", isWeak: true),
        .init("m0-[A-Za-z0-9]{40}", "mem0_key"),
        .init("llx-[A-Za-z0-9]{48}", "llamacloud_key"),
        .init("sm_[A-Za-z0-9]{20,24}_[A-Za-z0-9]{40,64}", "supermemory_key"),
        // Models: Fireworks, Together, Cerebras, Voyage, RunPod, Modal, Cartesia, Windsurf, Cursor, Gemini.
        .init("fw_[A-Za-z0-9]{22,24}", "fireworks_key", near: "fireworks", isWeak: true),
        .init("tgp_v1_[A-Za-z0-9_-]{43}", "together_key"),
        .init("csk-[a-z0-9]{48}", "cerebras_key"),
        .init("pa-[A-Za-z0-9_-]{43}", "voyage_key", near: "voyage", isWeak: true),
        .init("rpa_[A-Za-z0-9]{44,52}", "runpod_key"),
        .init("(ak|as)-[A-Za-z0-9]{22}", "modal_token", near: "modal", isWeak: true),
        .init("sk_car_[A-Za-z0-9]{22}", "cartesia_key"),
        .init("sk-ws-[0-9]{2}-[A-Za-z0-9_-]{40,120}", "windsurf_key"),
        .init("key_[0-9a-f]{128}", "runway_key"),
        .init("(crsr|key)_[0-9a-f]{64}", "cursor_key"),
        .init("AQ.Ab[A-Za-z0-9_-]{46,64}", "google_api_key", rule: "gcp"),
        // Sandboxes, traces and experiments: E2B, Browserbase, Weights & Biases, Logfire, LangSmith, Arize.
        .init("e2b_[0-9a-f]{40}", "e2b_key"),
        .init("bb_live_[A-Za-z0-9_-]{27}", "browserbase_key"),
        .init("wandb_v1_[A-Za-z0-9]{20,32}_[A-Za-z0-9]{40,64}", "wandb_key"),
        .init("pylf_v1_(us|eu)_[A-Za-z0-9]{40,48}", "logfire_token"),
        .init("ls__[0-9a-f]{32}", "langsmith_key"),
        .init("ak-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-[A-Za-z0-9]{32}", "arize_key"),
    ]

    /// Payments, shops and shipping.
    private static let money: [Self] = [
        .init("(sk|rk)_(live|test|prod)_[A-Za-z0-9]{10,255}", "stripe_key"),
        .init("whsec_[A-Za-z0-9+/]{24,255}[=]{0,2}", "webhook_secret"),
        .init("shp(at|ss|ca|pa)_[0-9a-fA-F]{32}", "shopify_token"),
        .init("sq0(csp|atp|idp)-[A-Za-z0-9_-]{22,60}", "square_token"),
        .init("EAAA[A-Za-z0-9_-]{60}", "square_token", near: "square", isWeak: true),
        .init(
            "access-(sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "plaid_token"
        ),
        .init("FLW(SECK|PUBK)(_TEST|)-[0-9a-h]{32}-X", "flutterwave_key"),
        .init("FLWSECK_TEST-[0-9a-h]{12}", "flutterwave_key"),
        .init("EZ(AK|TK)[A-Za-z0-9]{54}", "easypost_key"),
        .init("shippo_(live|test)_[0-9a-fA-F]{40}", "shippo_token"),
        .init("duffel_(live|test)_[A-Za-z0-9_=-]{43}", "duffel_token"),
        .init("live_[A-Za-z0-9_=-]{40}", "gocardless_token", near: "gocardless"),
        .init("(live|test)_[0-9a-f]{35}", "lob_key"),
        .init("(live|test)_pub_[0-9a-f]{31}", "lob_key"),
        .init("sm_(aat|pat|sat)_[A-Za-z0-9]{16}", "settlemint_token"),
        // Braintree, Razorpay, Paddle, Polar, Stripe's organisations, Svix.
        .init("access_token$production$[0-9a-z]{16}$[0-9a-f]{32}", "braintree_token"),
        .init("rzp_(live|test)_[A-Za-z0-9]{14}", "razorpay_key", isWeak: true),
        .init("pdl_(live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}", "paddle_key"),
        .init("polar_oat_[A-Za-z0-9]{40,48}", "polar_token"),
        .init("sk_org_(live|test)_[A-Za-z0-9]{24,120}", "stripe_key"),
        .init("(testsk|sk)_[A-Za-z0-9_-]{32}.(us|eu|ca|au|in)", "svix_key"),
    ]

    /// Messages, mail and social networks.
    private static let messages: [Self] = [
        // Slack, "Token types", incoming webhooks.
        .init("xox(a|b|c|o|p|r|s|e)-[A-Za-z0-9-]{11,400}", "slack_token"),
        .init("xoxd-[A-Za-z0-9%+/]{40,400}[=]{0,2}", "slack_token"),
        .init("xoxe.xox(b|p)-[A-Za-z0-9-]{20,400}", "slack_token"),
        .init("xapp-[A-Za-z0-9-]{20,255}", "slack_token"),
        .init("services/!T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}", "slack_webhook"),
        .init("(workflows|triggers)/!T[A-Z0-9]{8,12}/[A-Za-z0-9/]{16,80}", "slack_webhook", near: "slack"),
        // Microsoft Teams, Discord, Telegram.
        .init(
            "webhookb2/[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12}@[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}"
                + "-[0-9a-z]{4}-[0-9a-z]{12}/IncomingWebhook/[0-9a-z]{32}/[0-9a-z-]{36}",
            "teams_webhook"
        ),
        .init("webhooks/[0-9]{17,20}/![A-Za-z0-9_-]{60,80}", "discord_webhook"),
        .init("(bot|)([0-9]{10}|[0-9]{9}|[0-9]{8}):^AA[A-Za-z0-9_-]{33}", "telegram_token"),
        // SendGrid, Brevo, Mailgun, Mailchimp, MailerSend, Resend, Twilio.
        .init("SG.[A-Za-z0-9_-]{22}.[A-Za-z0-9_-]{43}", "sendgrid_key"),
        .init("x(keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}", "brevo_key"),
        .init("(pub|)key-[0-9a-f]{32}", "mailgun_key", near: "mailgun", isWeak: true),
        .init("[0-9a-f]{32}-^us[0-9]{1,2}", "mailchimp_key", isWeak: true),
        .init("mlsn.[0-9a-f]{64}", "mailersend_key"),
        .init("re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", "resend_key", isWeak: true),
        .init("SK[0-9a-f]{32}", "twilio_key", isWeak: true),
        .init("AC[0-9a-f]{32}", "twilio_account", near: "twilio", isWeak: true),
        // Facebook, X.
        .init("EAA[B-Z][A-Za-z0-9]{100,400}", "facebook_token", isWeak: true),
        .init("IG(QV|QW|QZ|AA)[A-Za-z0-9_-]{100,400}", "instagram_token", isWeak: true),
        .init("AAAAAAAAAAAAAAAAAAAA[A-Za-z0-9]{8,40}%2B[A-Za-z0-9%]{40,100}", "twitter_token"),
    ]

    /// Data, documents, maps and measurements.
    private static let data: [Self] = [
        // Atlassian, Linear, Notion, Figma, Airtable, Typeform, Contentful, Adobe.
        .init("AT(ATT|CTT|BTT)3[A-Za-z0-9_=-]{60,255}", "atlassian_token"),
        .init("lin_(api|oauth)_[A-Za-z0-9]{40,64}", "linear_key"),
        .init("ntn_[A-Za-z0-9]{40,60}", "notion_token"),
        .init("secret_[A-Za-z0-9]{43}", "notion_token", near: "notion"),
        .init("fig(d|o|u|or)_[A-Za-z0-9_-]{32,80}", "figma_token"),
        .init("pat[A-Za-z0-9]{14}.[0-9a-f]{64}", "airtable_token"),
        .init("tfp_[A-Za-z0-9_.=-]{40,64}", "typeform_token"),
        .init("CFPAT-[A-Za-z0-9_-]{43}", "contentful_token"),
        .init("p8e-[A-Za-z0-9]{32}", "adobe_secret"),
        .init("fio-u-[A-Za-z0-9_=-]{64}", "frameio_token"),
        .init("b_[a-z0-9_=-]{44}", "beamer_key", near: "beamer", isWeak: true),
        // Maps and networks of addresses: Mapbox, MaxMind.
        .init("(sk|tk|pk).eyJ[A-Za-z0-9_-]{40,400}.[A-Za-z0-9_-]{22}", "mapbox_token"),
        .init("pk.[A-Za-z0-9]{60}.[A-Za-z0-9]{22}", "mapbox_token"),
        .init("[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_^mmk", "maxmind_key"),
        // Measurements: Grafana, New Relic, Dynatrace, LaunchDarkly; files: Dropbox.
        .init("glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", "grafana_token"),
        .init("glc_[A-Za-z0-9+/]{32,400}[=]{0,3}", "grafana_token"),
        .init("eyJrIjoi[A-Za-z0-9]{70,400}[=]{0,3}", "grafana_key"),
        .init("NRAK-[A-Z0-9]{27}", "newrelic_key"),
        .init("NRII-[A-Za-z0-9-]{32}", "newrelic_key"),
        .init("NRJS-[0-9a-f]{19}", "newrelic_key"),
        .init("dt0c01.[A-Za-z0-9]{24}.[A-Za-z0-9]{64}", "dynatrace_token"),
        .init(
            "(api|sdk|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "launchdarkly_key",
            near: "launchdarkly"
        ),
        .init("sl.[A-Za-z0-9_=.-]{130,1400}", "dropbox_token"),
        // Measurements: PostHog, Honeycomb, Axiom, Segment, Statsig, WakaTime.
        .init("phx_[A-Za-z0-9_]{40,60}", "posthog_key"),
        .init("hc(a|b|x)(ik|lk|ic|mk)_[a-z0-9]{58}", "honeycomb_key"),
        .init("xa(at|pt)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "axiom_token"),
        .init("sgp_[A-Za-z0-9]{64}", "segment_token", isWeak: true),
        .init("secret-[A-Za-z0-9]{43}", "statsig_secret", near: "statsig"),
        .init("waka_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "wakatime_key"),
        // Work and calendars: HubSpot, Trello, Bitbucket, Cal.com, Zapier, ClickUp, Dub.
        .init("pat-(na|eu|ap)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "hubspot_token"),
        .init("ATTA[0-9a-f]{64}[0-9A-F]{8}", "trello_token"),
        .init("ATBB[A-Za-z0-9]{24}[0-9A-F]{8}", "bitbucket_password", isWeak: true),
        .init("cal_live_[0-9a-f]{32}", "cal_key"),
        .init("nla-[A-Za-z0-9]{32}", "zapier_key"),
        .init("pk_[0-9]{6,9}_[A-Z0-9]{32}", "clickup_token"),
        .init("dub_[A-Za-z0-9]{24}", "dub_key", isWeak: true),
        // Databases: Neon, Aiven, MongoDB Atlas, Elastic, Confluent, Xata, Convex, Tinybird.
        .init("AVNS_[A-Za-z0-9_-]{19}", "aiven_password"),
        .init("mdb_sa_sk_[A-Za-z0-9_-]{40}", "mongodb_secret"),
        .init("essu_[A-Za-z0-9+/]{40,400}[=]{0,2}", "elastic_key"),
        .init("cflt[A-Za-z0-9+/]{60}", "confluent_secret"),
        .init("xau_[A-Za-z0-9]{38,44}", "xata_key"),
        .init("npg_[A-Za-z0-9]{12}", "neon_password", near: "neon", isWeak: true),
        // Identities and jobs: Stytch, Inngest, Trigger.dev, Apify, 1Password.
        .init("secret-(live|test)-[A-Za-z0-9_=-]{36,48}", "stytch_secret"),
        .init("signkey-(prod|test|branch)-[0-9a-f]{64}", "inngest_key"),
        .init("tr_(prod|dev|stg)_[A-Za-z0-9]{20,24}", "trigger_key", isWeak: true),
        .init("apify_api_[A-Za-z0-9]{36}", "apify_token"),
        .init("ops_ey[A-Za-z0-9_-]{150,2000}", "onepassword_token"),
    ]
}
