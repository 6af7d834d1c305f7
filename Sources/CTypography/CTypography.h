// Declares nothing: the module CTypography only carries pkg-config flags, and the C shim that depends on it includes the real headers.
