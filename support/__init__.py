"""The foundation, which knows no game: errors, files, parsing, progress, Ray, hardware."""

if __name__ == "support":
    raise ImportError("this package is called stichwerk.support: `import stichwerk.support.errors`")
