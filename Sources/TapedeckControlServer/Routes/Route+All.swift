extension Route {
    /// Every route there is.
    static let all: [Route] =
        DeckRoutes.all + CassetteRoutes.all + ArchiveRoutes.all + ForeignFileRoutes.all + SessionRoutes.all
        + SelectionRoutes.all + EditingRoutes.all + AddedSetRoutes.all + HeldRoutes.all + JournalRoutes.all
        + EventRoutes.all + RecordingRoutes.all + MetricsRoutes.all + PageRoutes.all
}
