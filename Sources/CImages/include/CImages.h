#ifndef CIMAGES_H
#define CIMAGES_H
// Pixels of PNG, JPEG and WebP images, by libraries that are loaded when the first image of their kind is decoded.
//
// All functions may be called on any thread. Bytes are borrowed for the call. Pixels are four bytes, blue, green, red and alpha, not
// premultiplied, in rows from the top without gaps; the caller owns them.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// What came of decoding.
typedef enum {
    CIMAGES_OK,
    /// The library is not installed.
    CIMAGES_NO_LIBRARY,
    /// The bytes are no such image, or one of another extent.
    CIMAGES_BROKEN,
} cimages_result;

/// Decodes a PNG image of `width` by `height` pixels. Interlaced or not, nothing is to be used of one that is cut.
cimages_result cimages_decode_png(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t *pixels);
/// Encodes pixels as a PNG image into `bytes`, if there is room; `count` is the room and becomes the length.
cimages_result cimages_encode_png(const uint8_t *pixels, int32_t width, int32_t height, uint8_t *bytes, size_t *count);
/// Decodes a JPEG image of `width` by `height` pixels, scaled to `eighths` of them, rounded up, in 1…8. Of one that is cut, what came.
cimages_result cimages_decode_jpeg(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t eighths,
                                   uint8_t *pixels);
/// Decodes a WebP image of `width` by `height` pixels, which is no animation.
cimages_result cimages_decode_webp(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t *pixels);

#pragma clang assume_nonnull end
#endif
