#ifndef CCAIRO_H
#define CCAIRO_H
// PDF pages by cairo, which is loaded while the program runs. If it were linked, each start of a program would take
// a millisecond longer.
//
// A document and its fonts belong to one thread at a time. Lengths and positions are in points (1/72 inch) from the
// upper left corner of the page, with y downwards. Colours are 0xRRGGBBAA. The caller breaks lines and chooses
// fonts.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A PDF document that is being written.
typedef struct ccairo_pdf ccairo_pdf;
/// A font of a document. It has a FreeType face of its own, because cairo changes the size of the face that it
/// gets.
typedef struct ccairo_font ccairo_font;
/// An image that ccairo_pdf_show_image paints on pages.
typedef struct ccairo_image ccairo_image;

/// A glyph and its pen position on the baseline, with the layout of `cairo_glyph_t`.
typedef struct {
    unsigned long glyph;
    double x;
    double y;
} ccairo_glyph;

/// A piece of text and the glyphs that show it, with the layout of `cairo_text_cluster_t`. Either may be empty.
typedef struct {
    int32_t bytes;
    int32_t glyphs;
} ccairo_cluster;

/// A function that gets the bytes of the document; they are valid only during the call. If it returns false, no
/// more is written. It is called by the functions below, on their thread.
typedef bool (*ccairo_write)(void *_Nullable context, const uint8_t *bytes, size_t count);

/// Loads cairo at the first call. Returns false if it is not installed, or has no PDF support. Any thread.
bool ccairo_load(void);

/// Begins a document with pages of `width` by `height`. Returns null if there is no memory, or if cairo is not
/// loaded. The caller owns the result.
ccairo_pdf *_Nullable ccairo_pdf_create(double width, double height, ccairo_write write, void *_Nullable context);
/// Destroys a document. Writes nothing more, so the document is incomplete unless `ccairo_pdf_finish` was called.
/// Does nothing for null.
void ccairo_pdf_destroy(ccairo_pdf *_Nullable pdf);
/// Writes the end of the document. Returns false if writing has failed.
bool ccairo_pdf_finish(ccairo_pdf *pdf);
/// Ends a page and writes it. Returns false if the document has failed, now or before.
bool ccairo_pdf_show_page(ccairo_pdf *pdf);
/// Returns cairo's description of the failure, in English, which stays valid; null if nothing has failed.
const char *_Nullable ccairo_pdf_error(const ccairo_pdf *pdf);
/// Sets title and creator, as UTF-8. Call this before the first page is shown.
void ccairo_pdf_set_metadata(ccairo_pdf *pdf, const char *title, const char *creator);

/// Adds a rectangle to those that the next `ccairo_pdf_fill` fills.
void ccairo_pdf_add_rectangle(ccairo_pdf *pdf, double x, double y, double width, double height);
/// Fills the rectangles that were added.
void ccairo_pdf_fill(ccairo_pdf *pdf, uint32_t color);
/// Makes a rectangle of the page a link. The URI must be ASCII without control characters, apostrophes and
/// backslashes. A link with a URI of more than some 4,000 bytes is omitted.
void ccairo_pdf_add_link(ccairo_pdf *pdf, double x, double y, double width, double height, const char *uri);
/// Shows glyphs of one font, with the text that they stand for. The glyphs are in the order of their positions from
/// the left, and the text is in its logical order. If `backward` is true, the first cluster has the last glyphs.
/// All bytes and glyphs must belong to clusters, and the text must not have a zero byte. If a glyph is less than
/// 0.15 points away from the position that the font's own advances give, it is moved there: whole words are then
/// one string in the file.
void ccairo_pdf_show(ccairo_pdf *pdf, ccairo_font *font, ccairo_glyph *glyphs, int32_t count, const char *text,
                     int32_t bytes, const ccairo_cluster *clusters, int32_t cluster_count, bool backward, uint32_t color);
/// Shows blank glyphs for texts, one glyph and one cluster for each text. Each is `width` wide and as high as text
/// of the size `size`. Pass the same glyph number, below 2³¹, for equal texts, and another number for each other
/// text, because some text extractors only look at the glyphs.
void ccairo_pdf_show_blanks(ccairo_pdf *pdf, double width, double size, ccairo_glyph *glyphs, int32_t count, const char *text,
                            int32_t bytes, const ccairo_cluster *clusters);
/// Paints the picture of a colour font's glyph, with its pen at a point. Returns false if the glyph has no picture.
bool ccairo_pdf_show_picture(ccairo_pdf *pdf, ccairo_font *font, uint32_t glyph, double x, double y);

/// Opens the font of a resolved fontconfig pattern; if `file` is not null, from that file. Its size in points is
/// the pattern's size in pixels times `scale`. Returns null if the file cannot be opened. The caller owns the
/// result.
ccairo_font *_Nullable ccairo_font_create(const char *pattern, const char *_Nullable file, double scale);
/// Destroys a font. Does nothing for null.
void ccairo_font_destroy(ccairo_font *_Nullable font);

/// Creates an image from a copy of pixels. The rows start at the top and have no gaps. A pixel has alpha in the
/// highest byte, then red, green and blue, premultiplied. Images with the same number must be equal: the document
/// has them only once. Returns null if there is no memory. The caller owns the result, and may destroy it before
/// the page ends.
ccairo_image *_Nullable ccairo_image_create(const uint32_t *pixels, int32_t width, int32_t height, uint32_t number);
/// Destroys an image. Does nothing for null.
void ccairo_image_destroy(ccairo_image *_Nullable image);
/// Paints an image into a rectangle.
void ccairo_pdf_show_image(ccairo_pdf *pdf, ccairo_image *image, double x, double y, double width, double height);

#pragma clang assume_nonnull end
#endif
