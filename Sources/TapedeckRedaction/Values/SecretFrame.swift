/// The numbers of bytes in front of a secret and behind it that belong to its value and are no secret: groups of base64 hold them
/// together. The made-up value has the same length.
struct SecretFrame: Sendable {
    var start = 0
    var end = 0
}
