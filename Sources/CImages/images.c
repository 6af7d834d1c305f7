#include <dlfcn.h>
#include <png.h>
#include <pthread.h>
#include <string.h>

#include "CImages.h"

static void *find(const char *library) { return dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

// MARK: PNG, by libpng's simplified interface, which returns errors instead of calling longjmp

static struct {
    __typeof__(png_image_begin_read_from_memory) *begin;
    __typeof__(png_image_finish_read) *finish;
    __typeof__(png_image_write_to_memory) *write;
    __typeof__(png_image_free) *free;
    bool is_loaded;
} png;

static void load_png(void) {
    void *library = find("libpng16.so.16");
    if (!library) return;
    *(void **)&png.begin = dlsym(library, "png_image_begin_read_from_memory");
    *(void **)&png.finish = dlsym(library, "png_image_finish_read");
    *(void **)&png.write = dlsym(library, "png_image_write_to_memory");
    *(void **)&png.free = dlsym(library, "png_image_free");
    png.is_loaded = png.begin && png.finish && png.write && png.free;
}

static bool has_png(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_png);
    return png.is_loaded;
}

cimages_result cimages_decode_png(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t *pixels) {
    if (!has_png()) return CIMAGES_NO_LIBRARY;
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png.begin(&image, bytes, count)) return CIMAGES_BROKEN;
    bool is_read = false;
    if (image.width == (png_uint_32)width && image.height == (png_uint_32)height) {
        image.format = PNG_FORMAT_BGRA;
        is_read = png.finish(&image, NULL, pixels, 0, NULL);
    }
    png.free(&image);
    return is_read ? CIMAGES_OK : CIMAGES_BROKEN;
}

cimages_result cimages_encode_png(const uint8_t *pixels, int32_t width, int32_t height, uint8_t *bytes, size_t *count) {
    if (!has_png()) return CIMAGES_NO_LIBRARY;
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = PNG_FORMAT_BGRA;
    image.flags = PNG_IMAGE_FLAG_FAST;
    png_alloc_size_t room = *count;
    bool is_written = png.write(&image, bytes, &room, 0, pixels, 0, NULL);
    png.free(&image);
    *count = room;
    return is_written ? CIMAGES_OK : CIMAGES_BROKEN;
}

// MARK: JPEG, by TurboJPEG, whose handles are opaque

enum { SAMPLES_BGRA = 8, SAMPLES_CMYK = 11, SPACE_CMYK = 3, SPACE_YCCK = 4, LIMIT_SCANS = 32768 };

static struct {
    void *(*create)(void);
    int (*read_header)(void *handle, const unsigned char *bytes, unsigned long count, int *width, int *height, int *sampling,
                       int *space);
    int (*decode)(void *handle, const unsigned char *bytes, unsigned long count, unsigned char *pixels, int width, int pitch,
                  int height, int format, int flags);
    int (*error)(void *handle);
    int (*destroy)(void *handle);
    bool is_loaded;
} jpeg;

static void load_jpeg(void) {
    void *library = find("libturbojpeg.so.0");
    if (!library) return;
    *(void **)&jpeg.create = dlsym(library, "tjInitDecompress");
    *(void **)&jpeg.read_header = dlsym(library, "tjDecompressHeader3");
    *(void **)&jpeg.decode = dlsym(library, "tjDecompress2");
    *(void **)&jpeg.error = dlsym(library, "tjGetErrorCode");
    *(void **)&jpeg.destroy = dlsym(library, "tjDestroy");
    jpeg.is_loaded = jpeg.create && jpeg.read_header && jpeg.decode && jpeg.error && jpeg.destroy;
}

// Converts CMYK to BGRA. The CMYK values are inverted, as programs write them to JPEG files: 255 means no ink.
static void convert_inks(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += 4) {
        uint8_t cyan = pixels[0], magenta = pixels[1], yellow = pixels[2], black = pixels[3];
        pixels[0] = (uint8_t)(yellow * black / 255);
        pixels[1] = (uint8_t)(magenta * black / 255);
        pixels[2] = (uint8_t)(cyan * black / 255);
        pixels[3] = 255;
    }
}

cimages_result cimages_decode_jpeg(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t eighths,
                                   uint8_t *pixels) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_jpeg);
    if (!jpeg.is_loaded) return CIMAGES_NO_LIBRARY;
    void *handle = jpeg.create();
    if (!handle) return CIMAGES_BROKEN;
    int found_width = 0, found_height = 0, sampling = 0, space = 0;
    bool is_read = false;
    if (!jpeg.read_header(handle, bytes, count, &found_width, &found_height, &sampling, &space) && found_width == width &&
        found_height == height) {
        int shown_width = (int)(((int64_t)width * eighths + 7) / 8), shown_height = (int)(((int64_t)height * eighths + 7) / 8);
        bool is_inks = space == SPACE_CMYK || space == SPACE_YCCK;
        // Accept a failure with the error code 0: that is only a warning, and a part of the image was decoded.
        is_read = !jpeg.decode(handle, bytes, count, pixels, shown_width, 0, shown_height, is_inks ? SAMPLES_CMYK : SAMPLES_BGRA,
                               LIMIT_SCANS) ||
                  jpeg.error(handle) == 0;
        if (is_read && is_inks) convert_inks(pixels, (size_t)shown_width * (size_t)shown_height);
    }
    jpeg.destroy(handle);
    return is_read ? CIMAGES_OK : CIMAGES_BROKEN;
}

// MARK: WebP

static struct {
    int (*read_header)(const uint8_t *bytes, size_t count, int *width, int *height);
    uint8_t *(*decode)(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t room, int pitch);
    bool is_loaded;
} webp;

static void load_webp(void) {
    void *library = find("libwebp.so.7");
    if (!library) return;
    *(void **)&webp.read_header = dlsym(library, "WebPGetInfo");
    *(void **)&webp.decode = dlsym(library, "WebPDecodeBGRAInto");
    webp.is_loaded = webp.read_header && webp.decode;
}

cimages_result cimages_decode_webp(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t *pixels) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_webp);
    if (!webp.is_loaded) return CIMAGES_NO_LIBRARY;
    int found_width = 0, found_height = 0;
    if (!webp.read_header(bytes, count, &found_width, &found_height)) return CIMAGES_BROKEN;
    if (found_width != width || found_height != height) return CIMAGES_BROKEN;
    size_t room = (size_t)width * (size_t)height * 4;
    return webp.decode(bytes, count, pixels, room, 4 * width) ? CIMAGES_OK : CIMAGES_BROKEN;
}
