#pragma once

/// What the reader of images needs of the system and Swift's module of the C library hides, since it is GNU's.

/// A pipe whose ends no other program inherits; -1 and errno where there is none to be had.
int image_pipe(int ends[2]);

/// An empty file in memory that no other program inherits; -1 and errno where there is none to be had.
int image_memory_file(void);

/// Path of the program or library that an address lies in, or nothing.
const char *image_object_path(const void *address);
