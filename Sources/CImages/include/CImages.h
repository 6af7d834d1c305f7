#ifndef CIMAGES_H
#define CIMAGES_H
// Decodes PNG, JPEG and WebP images, and encodes PNG, by libraries that are loaded when the first image of their
// kind is decoded or encoded.
//
// All functions may be called on any thread. Pointers are used only during the call. Pixels have four bytes: blue,
// green, red and alpha, not premultiplied. They are stored in rows from the top, without gaps.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The result of decoding or encoding.
typedef enum {
    CIMAGES_OK,
    /// The library is not installed.
    CIMAGES_NO_LIBRARY,
    /// The bytes are not an image of this kind, or its size is not the given one.
    CIMAGES_BROKEN,
} cimages_result;

/// Decodes a PNG image of `width` by `height` pixels. If the image is truncated, nothing of it is usable.
cimages_result cimages_decode_png(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t *pixels);
/// Encodes pixels as a PNG image into `bytes`, if there is enough room. On entry, `count` is the size of `bytes`; on
/// return, the size of the image.
cimages_result cimages_encode_png(const uint8_t *pixels, int32_t width, int32_t height, uint8_t *bytes, size_t *count);
/// Decodes a JPEG image of `width` by `height` pixels, at a size of `eighths` (1 to 8) eighths of that, rounded up.
/// Of a truncated image, decodes the part that there is.
cimages_result cimages_decode_jpeg(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t eighths,
                                   uint8_t *pixels);
/// Decodes a WebP image of `width` by `height` pixels that is not an animation.
cimages_result cimages_decode_webp(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t *pixels);

#pragma clang assume_nonnull end
#endif
