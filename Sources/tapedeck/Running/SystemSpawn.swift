import TapedeckPlatform

/// Values of `posix_spawn(3)` before they are initialised: pointers on Apple's systems, structures on others.
enum SystemSpawn {
    #if canImport(Darwin)
    static var attributes: posix_spawnattr_t? { nil }
    static var fileActions: posix_spawn_file_actions_t? { nil }
    #else
    static var attributes: posix_spawnattr_t { posix_spawnattr_t() }
    static var fileActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    #endif
}
