#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo/cairo-ft.h>
#include <cairo/cairo-pdf.h>
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

#include "CCairo.h"

// The functions of cairo that are used.
#define FUNCTIONS(F) \
    F(cairo_create) F(cairo_destroy) F(cairo_status) F(cairo_status_to_string) F(cairo_save) F(cairo_restore) F(cairo_translate) \
    F(cairo_scale) F(cairo_set_source_rgba) F(cairo_set_source_surface) F(cairo_paint) F(cairo_rectangle) F(cairo_fill) \
    F(cairo_show_page) F(cairo_set_font_face) F(cairo_set_font_matrix) F(cairo_set_font_options) F(cairo_show_text_glyphs) \
    F(cairo_font_options_create) F(cairo_font_options_destroy) F(cairo_font_options_set_hint_style) \
    F(cairo_font_options_set_hint_metrics) F(cairo_font_face_destroy) F(cairo_font_face_status) F(cairo_font_face_set_user_data) \
    F(cairo_ft_font_face_create_for_ft_face) F(cairo_ft_font_face_set_synthesize) F(cairo_surface_finish) \
    F(cairo_surface_destroy) F(cairo_surface_status) F(cairo_surface_flush) F(cairo_surface_mark_dirty) \
    F(cairo_surface_set_mime_data) F(cairo_image_surface_create) F(cairo_image_surface_get_data) \
    F(cairo_image_surface_get_stride) F(cairo_pdf_surface_create_for_stream) F(cairo_pdf_surface_set_metadata) \
    F(cairo_tag_begin) F(cairo_tag_end) F(cairo_user_font_face_create) F(cairo_user_font_face_set_render_glyph_func)

static struct {
#define DECLARE(name) __typeof__(name) *name;
    FUNCTIONS(DECLARE)
} lib;
static bool is_loaded;

static void load(void) {
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return;
    is_loaded = true;
#define LOAD(name) \
    *(void **)&lib.name = dlsym(library, #name); \
    if (!lib.name) is_loaded = false;
    FUNCTIONS(LOAD)
}

bool ccairo_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

struct ccairo_pdf {
    cairo_surface_t *surface;
    cairo_t *cairo;
    // A font whose glyphs are all blank and half an em wide.
    cairo_font_face_t *blanks;
    ccairo_write write;
    void *context;
    bool is_closed;
};

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes, unsigned int count) {
    ccairo_pdf *pdf = closure;
    if (pdf->is_closed) return CAIRO_STATUS_WRITE_ERROR;
    if (pdf->write(pdf->context, bytes, count)) return CAIRO_STATUS_SUCCESS;
    pdf->is_closed = true;
    return CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t render_blank(cairo_scaled_font_t *font, unsigned long glyph, cairo_t *cairo, cairo_text_extents_t *extents) {
    (void)font, (void)glyph, (void)cairo;
    // poppler assumes that the size of a font without letters is twice the width of its first glyph.
    extents->x_advance = 0.5;
    return CAIRO_STATUS_SUCCESS;
}

ccairo_pdf *ccairo_pdf_create(double width, double height, ccairo_write write, void *context) {
    if (!ccairo_load()) return NULL;
    ccairo_pdf *pdf = calloc(1, sizeof *pdf);
    if (!pdf) return NULL;
    pdf->write = write;
    pdf->context = context;
    pdf->surface = lib.cairo_pdf_surface_create_for_stream(write_bytes, pdf, width, height);
    pdf->cairo = lib.cairo_create(pdf->surface);
    pdf->blanks = lib.cairo_user_font_face_create();
    lib.cairo_user_font_face_set_render_glyph_func(pdf->blanks, render_blank);
    cairo_font_options_t *options = lib.cairo_font_options_create();
    lib.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    lib.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    lib.cairo_set_font_options(pdf->cairo, options);
    lib.cairo_font_options_destroy(options);
    return pdf;
}

void ccairo_pdf_destroy(ccairo_pdf *pdf) {
    if (!pdf) return;
    pdf->is_closed = true;
    lib.cairo_destroy(pdf->cairo);
    lib.cairo_surface_destroy(pdf->surface);
    lib.cairo_font_face_destroy(pdf->blanks);
    free(pdf);
}

static cairo_status_t status(const ccairo_pdf *pdf) {
    cairo_status_t status = lib.cairo_status(pdf->cairo);
    return status ? status : lib.cairo_surface_status(pdf->surface);
}

const char *ccairo_pdf_error(const ccairo_pdf *pdf) {
    cairo_status_t failure = status(pdf);
    return failure ? lib.cairo_status_to_string(failure) : NULL;
}

bool ccairo_pdf_finish(ccairo_pdf *pdf) {
    if (!status(pdf)) lib.cairo_surface_finish(pdf->surface);
    // Check the surface too: once it is finished, cairo's context does not report the surface's errors any more.
    return !pdf->is_closed && !lib.cairo_surface_status(pdf->surface);
}

bool ccairo_pdf_show_page(ccairo_pdf *pdf) {
    lib.cairo_show_page(pdf->cairo);
    return !pdf->is_closed && !status(pdf);
}

void ccairo_pdf_set_metadata(ccairo_pdf *pdf, const char *title, const char *creator) {
    lib.cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_TITLE, title);
    lib.cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_CREATOR, creator);
}

static void set_color(ccairo_pdf *pdf, uint32_t color) {
    lib.cairo_set_source_rgba(pdf->cairo, (color >> 24) / 255.0, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                              (color & 255) / 255.0);
}

void ccairo_pdf_add_rectangle(ccairo_pdf *pdf, double x, double y, double width, double height) {
    lib.cairo_rectangle(pdf->cairo, x, y, width, height);
}

void ccairo_pdf_fill(ccairo_pdf *pdf, uint32_t color) {
    set_color(pdf, color);
    lib.cairo_fill(pdf->cairo);
}

void ccairo_pdf_add_link(ccairo_pdf *pdf, double x, double y, double width, double height, const char *uri) {
    // Format the numbers as in the C locale, as cairo expects, whatever the locale of the program is.
    char attributes[4096];
    const double values[] = {x, y, width, height};
    int at = snprintf(attributes, sizeof attributes, "rect=[");
    for (int i = 0; i < 4; i++) {
        long hundredths = lround(fmax(0, fmin(values[i], 1e6)) * 100);
        at += snprintf(attributes + at, sizeof attributes - (size_t)at, "%ld.%02ld ", hundredths / 100, hundredths % 100);
    }
    int length = snprintf(attributes + at, sizeof attributes - (size_t)at, "] uri='%s'", uri);
    if (length < 0 || (size_t)length >= sizeof attributes - (size_t)at) return;
    lib.cairo_tag_begin(pdf->cairo, CAIRO_TAG_LINK, attributes);
    lib.cairo_tag_end(pdf->cairo, CAIRO_TAG_LINK);
}

// MARK: Fonts

// The number of pictures of glyphs that each font keeps, for fonts with coloured pictures such as emoji.
#define PICTURES 64

typedef struct {
    cairo_surface_t *surface;
    uint32_t glyph;
    // The distances of the picture from the pen, in pixels: of its left edge to the right, of its top edge up.
    int left, top;
} picture;

// A face with a FreeType library of its own. cairo keeps a face for some time after its last use, and releases it
// on any thread, so faces must not share a library.
typedef struct {
    FT_Library library;
    FT_Face face;
} own_face;

struct ccairo_font {
    own_face *own;
    // A number that is unique among all fonts of this process, also destroyed ones.
    unsigned number;
    cairo_font_face_t *cairo;
    cairo_matrix_t matrix;
    // The font's own advances by glyph, in ems; negative until they are read. Null if cairo uses other advances.
    float *advances;
    // The pictures of the glyphs drawn last. The index is the glyph's number modulo the size.
    picture pictures[PICTURES];
};

static void destroy_face(void *data) {
    own_face *own = data;
    if (own->face) FT_Done_Face(own->face);
    if (own->library) FT_Done_FreeType(own->library);
    free(own);
}

static const cairo_user_data_key_t face_key;
static atomic_uint font_count;

ccairo_font *ccairo_font_create(const char *text, const char *file, double scale) {
    if (!ccairo_load()) return NULL;
    FcPattern *pattern = FcNameParse((const FcChar8 *)text);
    if (!pattern) return NULL;
    FcChar8 *name = NULL;
    int index = 0;
    double size = 0, aspect = 1;
    FcMatrix *matrix = NULL, identity = {1, 0, 0, 1};
    FcBool embolden = FcFalse;
    FcPatternGetString(pattern, FC_FILE, 0, &name);
    FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    FcPatternGetDouble(pattern, FC_PIXEL_SIZE, 0, &size);
    FcPatternGetDouble(pattern, FC_ASPECT, 0, &aspect);
    if (FcPatternGetMatrix(pattern, FC_MATRIX, 0, &matrix) != FcResultMatch || !matrix) matrix = &identity;
    FcPatternGetBool(pattern, FC_EMBOLDEN, 0, &embolden);
    if (!(aspect >= 0.01)) aspect = 1;
    if (!file) file = (const char *)name;
    ccairo_font *font = calloc(1, sizeof *font);
    own_face *own = calloc(1, sizeof *own);
    if (!font || !own || !file || !(size > 0) || FT_Init_FreeType(&own->library) ||
        FT_New_Face(own->library, file, index & 0x7fffffff, &own->face))
        goto failed;
    font->own = own;
    font->number = atomic_fetch_add(&font_count, 1);
    font->cairo = lib.cairo_ft_font_face_create_for_ft_face(own->face, FT_LOAD_NO_HINTING);
    if (lib.cairo_font_face_status(font->cairo) ||
        lib.cairo_font_face_set_user_data(font->cairo, &face_key, own, destroy_face)) {
        lib.cairo_font_face_destroy(font->cairo);
        goto failed;
    }
    if (embolden) lib.cairo_ft_font_face_set_synthesize(font->cairo, CAIRO_FT_SYNTHESIZE_BOLD);
    // Fontconfig's y axis points upwards, and cairo's downwards.
    size *= scale;
    font->matrix = (cairo_matrix_t){size * aspect * matrix->xx, -size * aspect * matrix->yx, -size * matrix->xy, size * matrix->yy, 0, 0};
    if (!embolden && FT_IS_SCALABLE(own->face) && own->face->num_glyphs > 0 && own->face->units_per_EM > 0)
        font->advances = malloc((size_t)own->face->num_glyphs * sizeof *font->advances);
    if (font->advances)
        for (FT_Long i = 0; i < own->face->num_glyphs; i++) font->advances[i] = -1;
    FcPatternDestroy(pattern);
    return font;
failed:
    if (own) destroy_face(own);
    free(font);
    FcPatternDestroy(pattern);
    return NULL;
}

void ccairo_font_destroy(ccairo_font *font) {
    if (!font) return;
    for (int i = 0; i < PICTURES; i++) lib.cairo_surface_destroy(font->pictures[i].surface);
    lib.cairo_font_face_destroy(font->cairo);
    free(font->advances);
    free(font);
}

// Returns the font's own advance of a glyph in points; 0 if it is not known.
static double advance(ccairo_font *font, unsigned long glyph) {
    if (!font->advances || glyph >= (unsigned long)font->own->face->num_glyphs) return 0;
    if (font->advances[glyph] < 0) {
        FT_Fixed units = 0;
        if (FT_Get_Advance(font->own->face, (FT_UInt)glyph, FT_LOAD_NO_SCALE, &units) || units < 0) units = 0;
        font->advances[glyph] = (float)units / (float)font->own->face->units_per_EM;
    }
    return font->advances[glyph] * font->matrix.xx;
}

void ccairo_pdf_show(ccairo_pdf *pdf, ccairo_font *font, ccairo_glyph *glyphs, int32_t count, const char *text,
                     int32_t bytes, const ccairo_cluster *clusters, int32_t cluster_count, bool backward, uint32_t color) {
    _Static_assert(sizeof(ccairo_cluster) == sizeof(cairo_text_cluster_t), "clusters are cairo's");
    _Static_assert(offsetof(ccairo_cluster, glyphs) == offsetof(cairo_text_cluster_t, num_glyphs), "clusters are cairo's");
    _Static_assert(sizeof(ccairo_glyph) == sizeof(cairo_glyph_t), "glyphs are cairo's");
    _Static_assert(offsetof(ccairo_glyph, x) == offsetof(cairo_glyph_t, x), "glyphs are cairo's");
    double pen = count > 0 ? glyphs[0].x : 0;
    for (int32_t i = 0; i < count; i++) {
        if (fabs(glyphs[i].x - pen) < 0.15) glyphs[i].x = pen;
        pen = glyphs[i].x + advance(font, glyphs[i].glyph);
    }
    lib.cairo_set_font_face(pdf->cairo, font->cairo);
    lib.cairo_set_font_matrix(pdf->cairo, &font->matrix);
    set_color(pdf, color);
    lib.cairo_show_text_glyphs(pdf->cairo, text, bytes, (const cairo_glyph_t *)glyphs, count,
                               (const cairo_text_cluster_t *)clusters, cluster_count,
                               backward ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : 0);
}

// Returns a coordinate that is not on the edge of a pixel. cairo omits a glyph that covers no pixel, and a point on an
// edge covers none.
static double off_edge(double place) {
    double fraction = place - floor(place);
    return fraction < 0.02 || fraction > 0.98 ? place + 0.04 : place;
}

void ccairo_pdf_show_blanks(ccairo_pdf *pdf, double width, double size, ccairo_glyph *glyphs, int32_t count, const char *text,
                            int32_t bytes, const ccairo_cluster *clusters) {
    cairo_matrix_t matrix = {2 * (width > size / 100 ? width : size / 100), 0, 0, size, 0, 0};
    lib.cairo_set_font_face(pdf->cairo, pdf->blanks);
    lib.cairo_set_font_matrix(pdf->cairo, &matrix);
    set_color(pdf, 0xff);
    for (int32_t i = 0; i < count; i++) {
        glyphs[i].x = off_edge(glyphs[i].x);
        glyphs[i].y = off_edge(glyphs[i].y);
    }
    lib.cairo_show_text_glyphs(pdf->cairo, text, bytes, (const cairo_glyph_t *)glyphs, count,
                               (const cairo_text_cluster_t *)clusters, count, 0);
}

// MARK: Pictures

// Sets the size at which pictures of a face are read. Returns the pixels of an em at this size; 0 if there is none.
static double set_picture_size(FT_Face face) {
    if (FT_IS_SCALABLE(face)) {
        FT_Set_Pixel_Sizes(face, 0, 128);
        return 128;
    }
    int best = 0;
    for (int i = 1; i < face->num_fixed_sizes; i++)
        if (face->available_sizes[i].y_ppem > face->available_sizes[best].y_ppem) best = i;
    if (face->num_fixed_sizes == 0 || FT_Select_Size(face, best)) return 0;
    return (double)face->available_sizes[best].y_ppem / 64;
}

static bool read_picture(ccairo_font *font, uint32_t glyph, picture *read) {
    if (FT_Load_Glyph(font->own->face, glyph, FT_LOAD_COLOR | FT_LOAD_RENDER)) return false;
    FT_GlyphSlot slot = font->own->face->glyph;
    const FT_Bitmap *bitmap = &slot->bitmap;
    if (bitmap->pixel_mode != FT_PIXEL_MODE_BGRA) return false;
    cairo_surface_t *surface = lib.cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)bitmap->width, (int)bitmap->rows);
    unsigned char *data = lib.cairo_image_surface_get_data(surface);
    if (lib.cairo_surface_status(surface) || (!data && bitmap->rows)) {
        lib.cairo_surface_destroy(surface);
        return false;
    }
    lib.cairo_surface_flush(surface);
    for (unsigned row = 0; row < bitmap->rows; row++)
        memcpy(data + row * (size_t)lib.cairo_image_surface_get_stride(surface), bitmap->buffer + (ptrdiff_t)row * bitmap->pitch,
               4 * (size_t)bitmap->width);
    lib.cairo_surface_mark_dirty(surface);
    // Give the surface an identifier, so that the document has each picture only once, even if it is read again.
    // The address of the font is no identifier, because another font may have it later.
    char *name = malloc(64);
    if (name) {
        int length = snprintf(name, 64, "%u-%u", font->number, glyph);
        if (lib.cairo_surface_set_mime_data(surface, CAIRO_MIME_TYPE_UNIQUE_ID, (unsigned char *)name, (unsigned long)length, free, name))
            free(name);
    }
    *read = (picture){surface, glyph, slot->bitmap_left, slot->bitmap_top};
    return true;
}

bool ccairo_pdf_show_picture(ccairo_pdf *pdf, ccairo_font *font, uint32_t glyph, double x, double y) {
    double em = set_picture_size(font->own->face);
    if (em <= 0) return false;
    picture *kept = &font->pictures[glyph % PICTURES];
    if (!kept->surface || kept->glyph != glyph) {
        picture read;
        if (!read_picture(font, glyph, &read)) return false;
        lib.cairo_surface_destroy(kept->surface);
        *kept = read;
    }
    double scale = font->matrix.yy / em;
    lib.cairo_save(pdf->cairo);
    lib.cairo_translate(pdf->cairo, x + kept->left * scale, y - kept->top * scale);
    lib.cairo_scale(pdf->cairo, scale, scale);
    lib.cairo_set_source_surface(pdf->cairo, kept->surface, 0, 0);
    lib.cairo_paint(pdf->cairo);
    lib.cairo_restore(pdf->cairo);
    return true;
}

struct ccairo_image {
    cairo_surface_t *surface;
    int width, height;
};

ccairo_image *ccairo_image_create(const uint32_t *pixels, int32_t width, int32_t height, uint32_t number) {
    if (!ccairo_load()) return NULL;
    ccairo_image *image = calloc(1, sizeof *image);
    if (!image) return NULL;
    *image = (ccairo_image){lib.cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height), width, height};
    unsigned char *data = lib.cairo_image_surface_get_data(image->surface);
    char *name = malloc(32);
    if (lib.cairo_surface_status(image->surface) || !data || !name) {
        free(name);
        ccairo_image_destroy(image);
        return NULL;
    }
    lib.cairo_surface_flush(image->surface);
    for (int32_t row = 0; row < height; row++)
        memcpy(data + row * (size_t)lib.cairo_image_surface_get_stride(image->surface), pixels + row * (size_t)width,
               4 * (size_t)width);
    lib.cairo_surface_mark_dirty(image->surface);
    int length = snprintf(name, 32, "image-%u", number);
    if (lib.cairo_surface_set_mime_data(image->surface, CAIRO_MIME_TYPE_UNIQUE_ID, (unsigned char *)name, (unsigned long)length,
                                        free, name))
        free(name);
    return image;
}

void ccairo_image_destroy(ccairo_image *image) {
    if (!image) return;
    lib.cairo_surface_destroy(image->surface);
    free(image);
}

void ccairo_pdf_show_image(ccairo_pdf *pdf, ccairo_image *image, double x, double y, double width, double height) {
    lib.cairo_save(pdf->cairo);
    lib.cairo_translate(pdf->cairo, x, y);
    lib.cairo_scale(pdf->cairo, width / image->width, height / image->height);
    lib.cairo_set_source_surface(pdf->cairo, image->surface, 0, 0);
    lib.cairo_paint(pdf->cairo);
    lib.cairo_restore(pdf->cairo);
}
