// Only carries CXlib's pkg-config flags: the C shim that depends on it includes the real headers.
