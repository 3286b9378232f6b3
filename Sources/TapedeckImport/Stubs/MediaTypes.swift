/// The media types of files by their endings, as `mime-types` of Node has them.
enum MediaTypes {
    /// Returns the type of a file; `nil` for an ending that is not known.
    static func type(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return self.types[name.lowercased()] }
        return self.types[name[dot...].dropFirst().lowercased()]
    }

    /// The types of files that Mockoon takes for templates.
    static let mockoonTemplates: Set<String> = [
        "application/json", "text/html", "text/css", "text/csv", "application/javascript", "application/typescript",
        "text/plain", "application/xhtml+xml", "application/xml", "text/x-handlebars-template",
    ]

    private static let types: [String: String] = [
        "json": "application/json", "map": "application/json", "html": "text/html", "htm": "text/html",
        "css": "text/css", "csv": "text/csv", "js": "application/javascript", "mjs": "application/javascript",
        "txt": "text/plain", "text": "text/plain", "log": "text/plain", "xml": "application/xml",
        "xsd": "application/xml", "xsl": "application/xml", "xhtml": "application/xhtml+xml",
        "yaml": "text/yaml", "yml": "text/yaml", "md": "text/markdown", "svg": "image/svg+xml", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp",
        "ico": "image/vnd.microsoft.icon", "tif": "image/tiff", "tiff": "image/tiff", "avif": "image/avif",
        "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar",
        "bin": "application/octet-stream", "wasm": "application/wasm", "mp3": "audio/mpeg", "wav": "audio/wav",
        "mp4": "video/mp4", "webm": "video/webm", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf",
        "otf": "font/otf", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "handlebars": "text/x-handlebars-template", "hbs": "text/x-handlebars-template",
    ]
}
