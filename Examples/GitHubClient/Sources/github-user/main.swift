import Foundation
import GitHubClient

// Logs in and prints the name of a user, or the reason why there is none.
let api = ProcessInfo.processInfo.environment["GITHUB_API"] ?? "https://api.github.com"
let github = GitHub(api: api)
do {
    _ = try await github.login("octocat", password: "correct horse")
    let user = try await github.user("octocat")
    print(user.name ?? user.login)
} catch GitHub.Failure.invalidCredentials {
    print("The password is wrong.")
} catch GitHub.Failure.rateLimited(let retryAfter) {
    print("Too many requests; try again in \(retryAfter) seconds.")
} catch GitHub.Failure.status(let status) {
    print("There is no such user: the API answered with \(status).")
} catch {
    print("The API cannot be reached.")
}
