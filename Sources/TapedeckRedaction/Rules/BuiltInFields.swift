import TapedeckCore

/// The names of fields, parameters and headers whose values are secrets.
///
/// Names are those of RFC 6749, RFC 7009, RFC 7521, RFC 7523, RFC 7636, RFC 8628 and OpenID Connect Core; of the
/// documentation of AWS Signature Version 4, Google Cloud Storage and Azure Storage; and those that the sanitizers of
/// Azure's test proxy and the rules of gitleaks have in common.
enum BuiltInFields {
    struct Row: Sendable {
        var id: String
        var condition: FieldRule.Condition
        var places: [FieldRule.Place]
        /// In lower case, between spaces; `_` and `-` do not count.
        var names: String
    }

    private static let fields: [FieldRule.Place] = [.query, .form, .json, .assignment]

    static let rows: [Row] = [
        Row(
            id: "api-keys",
            condition: .any,
            places: [.header],
            names: """
                x-api-key api-key apikey x-apikey x-api-secret x-api-token x-auth-token x-auth-key x-auth-secret \
                x-access-token x-refresh-token x-id-token x-session-token x-client-secret x-app-token x-application-key \
                x-secret x-secret-key x-token x-password private-token job-token deploy-token x-gitlab-token \
                x-github-token x-vault-token x-consul-token x-nomad-token x-shopify-access-token circle-token dd-api-key \
                dd-application-key x-algolia-api-key x-rapidapi-key x-mashape-key x-subscription-token fastly-key \
                x-postmark-server-token x-postmark-account-token x-figma-token x-plex-token x-emby-token \
                x-redmine-api-key x-buildkite-token x-forwarded-access-token cf-access-client-secret cf-access-token \
                cf-access-jwt-assertion x-typesense-api-key x-n8n-api-key authentication
                """
        ),
        Row(id: "api-keys", condition: .tokenLike, places: [.header], names: "x-auth"),
        // Signatures of webhooks and of messages (RFC 9421).
        Row(
            id: "api-keys",
            condition: .any,
            places: [.header],
            names: """
                signature webhook-signature svix-signature stripe-signature x-hub-signature x-hub-signature-256 \
                x-slack-signature x-twilio-signature x-twilio-email-event-webhook-signature x-shopify-hmac-sha256 \
                x-line-signature x-signature x-signature-ed25519 x-signature-256 x-square-hmacsha256-signature x-zm-signature \
                x-webhook-signature paddle-signature linear-signature typeform-signature x-mailgun-signature \
                x-paypal-transmission-sig x-discourse-event-signature x-gitea-signature x-kick-event-signature \
                twitch-eventsub-message-signature x-tapfiliate-signature intuit-signature x-docusign-signature-1
                """
        ),
        Row(id: "csrf", condition: .any, places: [.header], names: "x-csrf-token x-xsrf-token csrf-token x-csrftoken"),
        Row(
            id: "aws",
            condition: .any,
            places: [.header],
            names: "x-amz-security-token x-amz-server-side-encryption-customer-key"
        ),
        Row(id: "gcp", condition: .any, places: [.header], names: "x-goog-api-key x-goog-iam-authorization-token"),
        Row(
            id: "azure",
            condition: .any,
            places: [.header],
            names: """
                ocp-apim-subscription-key x-functions-key x-ms-encryption-key x-ms-copy-source-authorization \
                x-ms-token-aad-access-token x-ms-token-aad-id-token x-ms-token-aad-refresh-token aeg-sas-key \
                aeg-sas-token x-zumo-auth
                """
        ),
        Row(
            id: "api-keys",
            condition: .any,
            places: Self.fields,
            names: """
                api_key apikey x_api_key api_secret app_secret secret_key subscription_key private_token \
                consumer_secret auth_key master_key signing_secret signing_key webhook_secret encryption_key \
                api_token app_token
                """
        ),
        Row(id: "api-keys", condition: .keyLike, places: [.query, .form], names: "key appid app_key license_key"),
        Row(id: "api-keys", condition: .drawnKey, places: [.json], names: "key"),
        Row(id: "api-keys", condition: .signature, places: [.json], names: "signature hmac"),
        Row(id: "api-keys", condition: .tokenLike, places: Self.fields, names: "secret"),
        Row(id: "api-keys", condition: .tokenLike, places: [.query, .form], names: "signature hmac hash_signature"),
        Row(
            id: "oauth",
            condition: .any,
            places: Self.fields,
            names: """
                access_token refresh_token id_token client_secret client_assertion assertion code_verifier device_code \
                id_token_hint logout_token subject_token actor_token oauth_token oauth_token_secret oauth_signature \
                oauth_verifier auth_token bearer_token session_token registration_access_token request_token \
                authorization_code
                """
        ),
        Row(id: "oauth", condition: .assertion, places: Self.fields, names: "samlresponse samlassertion"),
        Row(id: "oauth", condition: .inLines, places: [.json], names: "signaturevalue ciphervalue"),
        Row(id: "oauth", condition: .tokenLike, places: Self.fields, names: "token user_code auth"),
        Row(
            id: "oauth",
            condition: .tokenButNoID,
            places: Self.fields,
            names: """
                session_id session_key oob_code token_hash invite_code invitation_code activation_code activation_key \
                confirmation_code reset_code reset_key magic_code
                """
        ),
        Row(id: "oauth", condition: .exchange, places: Self.fields, names: "code ticket"),
        Row(id: "oauth", condition: .exchange, places: [.query, .form], names: "state nonce code_challenge"),
        Row(
            id: "passwords",
            condition: .any,
            places: [.query, .form, .json],
            names: """
                password passwd pwd passphrase passcode new_password old_password current_password \
                password_confirmation confirm_password user_password one_time_password otp mfa_code totp password1 password2 \
                new_password1 new_password2 password_confirm password_again password_repeat repeat_password plain_password pass1 \
                pass2 pwd1 pwd2 log_pwd totp_code otp_code security_code one_time_code
                """
        ),
        Row(
            id: "passwords",
            condition: .any,
            places: [.query, .form, .json],
            names: "security_answer secret_answer recovery_code backup_code verification_code sms_code two_factor_code"
        ),
        Row(id: "passwords", condition: .chosen, places: [.query, .form, .json, .assignment], names: "pass"),
        Row(id: "passwords", condition: .pin, places: [.form, .json], names: "pin"),
        Row(
            id: "passwords",
            condition: .word,
            places: [.assignment],
            names: "password passwd pwd passphrase passcode"
        ),
        Row(
            id: "csrf",
            condition: .any,
            places: [.query, .form, .json],
            names: "csrf_token csrfmiddlewaretoken authenticity_token xsrf_token csrf requestverificationtoken"
        ),
        Row(
            id: "aws",
            condition: .any,
            places: Self.fields,
            names: """
                x-amz-signature x-amz-credential x-amz-security-token secret_access_key aws_secret_access_key \
                aws_session_token
                """
        ),
        Row(
            id: "gcp",
            condition: .any,
            places: Self.fields,
            names: "x-goog-signature x-goog-credential x-goog-security-token private_key private_key_id"
        ),
        Row(id: "azure", condition: .sharedAccess, places: [.query, .form], names: "sig"),
        Row(
            id: "azure",
            condition: .any,
            places: [.json, .assignment],
            names: "account_key shared_access_key storage_account_key"
        ),
    ]

    /// Words at the end of a longer name: `db_password`, `githubToken`, `X-Tenant-Secret`.
    static let endings:
        [(id: String, words: [StaticString], condition: FieldRule.Condition, places: [FieldRule.Place])] = [
            ("passwords", SecretWord.words(in: .passwordField), .word, [.query, .form, .json, .assignment]),
            ("passwords", ["pass"], .chosen, [.query, .form, .json, .assignment]),
            ("api-keys", SecretWord.words(in: .keyField), .tokenLike, FieldRule.Place.allCases),
            ("oauth", SecretWord.words(in: .tokenField), .tokenButNoID, FieldRule.Place.allCases),
        ]

    /// Names that end like a secret's and are a position in a list, or tell repeated requests apart.
    static let positions: [StaticString] = [
        "pagetoken", "nextpagetoken", "nexttoken", "skiptoken", "deltatoken", "resumetoken", "hashedtoken",
        "continuationtoken", "synctoken", "cursortoken", "paginationtoken", "continuetoken",
        "nextkey", "canceltoken", "inputtoken", "outputtoken", "starttoken", "clienttoken", "clientrequesttoken",
        "idempotencytoken", "changetoken", "locktoken",
    ]
}
