// Only carries CImdkit's pkg-config flags: the server includes the real headers.
