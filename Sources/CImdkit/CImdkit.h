// Declares nothing: the module CImdkit only carries pkg-config flags, and the server includes the real headers.
