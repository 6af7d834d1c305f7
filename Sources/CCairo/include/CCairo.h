#ifndef CCAIRO_H
#define CCAIRO_H
// PDF pages by cairo, which is loaded while the program runs: linked, it would cost every start of a program a millisecond.
//
// A document and its fonts belong to one thread at a time. Lengths are points (1/72 inch) from the page's top left corner, y downwards.
// Colours are 0xRRGGBBAA. Nothing here breaks lines or chooses fonts: the caller does.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A PDF document that is being written.
typedef struct ccairo_pdf ccairo_pdf;
/// A font of a document, with a FreeType face of its own: cairo changes the size of the face that it is given.
typedef struct ccairo_font ccairo_font;
/// Pixels that pages show.
typedef struct ccairo_image ccairo_image;

/// A glyph and its pen position on the baseline: the layout of `cairo_glyph_t`.
typedef struct {
    unsigned long glyph;
    double x;
    double y;
} ccairo_glyph;

/// A piece of text and the glyphs that show it; either may be empty. The layout of `cairo_text_cluster_t`.
typedef struct {
    int32_t bytes;
    int32_t glyphs;
} ccairo_cluster;

/// Takes bytes of the document, which are borrowed for the call; false ends the document. Called within the functions below, on their thread.
typedef bool (*ccairo_write)(void *_Nullable context, const uint8_t *bytes, size_t count);

/// Loads cairo, the first time; false if there is none, or one without PDF. Any thread.
bool ccairo_load(void);

/// Begins a document whose pages are `width` by `height`; null if memory is out or cairo was not loaded. Owned by the caller.
ccairo_pdf *_Nullable ccairo_pdf_create(double width, double height, ccairo_write write, void *_Nullable context);
/// Accepts null. Nothing is written from here on: without `ccairo_pdf_finish` before, the document is not whole.
void ccairo_pdf_destroy(ccairo_pdf *_Nullable pdf);
/// Writes the end of the document. Returns false if it failed.
bool ccairo_pdf_finish(ccairo_pdf *pdf);
/// Ends a page and writes it. Returns false if the document failed, now or before.
bool ccairo_pdf_show_page(ccairo_pdf *pdf);
/// cairo's words on the failure, in English and borrowed for ever; null if there was none.
const char *_Nullable ccairo_pdf_error(const ccairo_pdf *pdf);
/// Sets title and creator as UTF-8. To be called before the first page is shown.
void ccairo_pdf_set_metadata(ccairo_pdf *pdf, const char *title, const char *creator);

/// Adds a rectangle to those that are filled next.
void ccairo_pdf_add_rectangle(ccairo_pdf *pdf, double x, double y, double width, double height);
/// Fills the rectangles that were added.
void ccairo_pdf_fill(ccairo_pdf *pdf, uint32_t color);
/// Makes a rectangle of the page a link. The URI is ASCII without control characters, apostrophes and backslashes; a link with a longer one
/// than 3,900 bytes is left out.
void ccairo_pdf_add_link(ccairo_pdf *pdf, double x, double y, double width, double height, const char *uri);
/// Shows glyphs of one font in the order of their positions from the left, with the text that they stand for, in its own order. With
/// `backward` the first cluster has the last glyphs. All bytes and glyphs are in clusters; the text has no NUL. Glyphs that stand within 0.15
/// points of where the font's own advances lead are moved there, so that whole words are one string in the file.
void ccairo_pdf_show(ccairo_pdf *pdf, ccairo_font *font, ccairo_glyph *glyphs, int32_t count, const char *text,
                     int32_t bytes, const ccairo_cluster *clusters, int32_t cluster_count, bool backward, uint32_t color);
/// Shows nothing that is seen, for texts, one for each glyph and cluster: `width` wide and as high as text of a size. The same text has the
/// same number as glyph each time, below 2³¹, and no other text has it: extractors that look at glyphs alone tell texts apart by it.
void ccairo_pdf_show_blanks(ccairo_pdf *pdf, double width, double size, ccairo_glyph *glyphs, int32_t count, const char *text,
                            int32_t bytes, const ccairo_cluster *clusters);
/// Paints the picture that a glyph of a colour font is, with its pen at a point; false if the glyph is none.
bool ccairo_pdf_show_picture(ccairo_pdf *pdf, ccairo_font *font, uint32_t glyph, double x, double y);

/// Opens the font of a resolved fontconfig pattern, from `file` if it is not null; its size in pixels times `scale` is the size in points.
/// Null if the file cannot be opened. Owned by the caller.
ccairo_font *_Nullable ccairo_font_create(const char *pattern, const char *_Nullable file, double scale);
/// Accepts null.
void ccairo_font_destroy(ccairo_font *_Nullable font);

/// Copies pixels: rows from the top without gaps, alpha in the highest byte, then red, green and blue, premultiplied. Images with one number
/// are one image, which the document has once. Null if memory is out. Owned by the caller, who may destroy it before the page ends.
ccairo_image *_Nullable ccairo_image_create(const uint32_t *pixels, int32_t width, int32_t height, uint32_t number);
/// Accepts null.
void ccairo_image_destroy(ccairo_image *_Nullable image);
/// Paints an image into a rectangle.
void ccairo_pdf_show_image(ccairo_pdf *pdf, ccairo_image *image, double x, double y, double width, double height);

#pragma clang assume_nonnull end
#endif
