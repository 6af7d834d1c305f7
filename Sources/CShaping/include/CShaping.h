#ifndef CSHAPING_H
#define CSHAPING_H
// HarfBuzz, FreeType and fontconfig behind opaque handles and plain values.
//
// A context and all objects created from it belong to the thread that uses the context. Contexts are independent of
// each other. Strings are UTF-8 and end with a zero byte, unless there is a length. The caller chooses fonts and
// styles. Positions are in pixels with 26.6 fixed points, with y upwards as in HarfBuzz, unless another unit is
// stated.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A FreeType library and a HarfBuzz buffer. Each thread that shapes text needs a context of its own.
typedef struct cshaping_context cshaping_context;
/// A sorted list of candidate fonts for a style and a language (`FcFontSort`), the best first.
typedef struct cshaping_fontlist cshaping_fontlist;
/// A font, opened from a resolved pattern, with a size of its own and cached advances.
typedef struct cshaping_font cshaping_font;

/// A shaped glyph. `cluster` is an index into the text that was shaped. The advance, and the distances from the
/// pen, are at most 2¹⁵ pixels.
typedef struct {
    uint32_t glyph;
    int32_t cluster;
    int32_t advance;
    int32_t dx;
    int32_t dy;
    /// Bit 0: a line must not be broken before this glyph's cluster without shaping anew, because the shapes on both
    /// sides depend on each other.
    uint32_t flags;
} cshaping_glyph;

/// The metrics of a font, as Xft computes them. They are in whole pixels; the descent is positive downwards.
typedef struct {
    int32_t ascent;
    int32_t descent;
    int32_t height;
    int32_t max_advance;
    /// The distance of the underline's top below the baseline, and the underline's thickness, in 26.6. The
    /// thickness is 0 if the font defines none.
    int32_t underline_offset;
    int32_t underline_thickness;
    /// The height of the strikethrough's middle above the baseline, in 26.6.
    int32_t strike_offset;
    /// The height of the letter x, in 26.6; 0 if it is not known.
    int32_t x_height;
    /// Whether the pattern defines that all glyphs have the same width (`FC_SPACING` ≥ `FC_MONO`).
    bool fixed_pitch;
    bool color;
    /// Whether printable ASCII needs no shaping: the font has no ligatures, kerning or contextual forms for it.
    bool plain_latin;
} cshaping_metrics;

/// An OpenType feature for a whole run: the tag as four bytes in big-endian order, and the value.
typedef struct {
    uint32_t tag;
    uint32_t value;
} cshaping_feature;

/// Creates a context. Returns null if FreeType cannot start. The caller owns the result.
cshaping_context *cshaping_context_create(void);
/// Destroys a context; does nothing for null. Fonts created from it stay usable, and keep what they need of it.
void cshaping_context_destroy(cshaping_context *context);

/// Sorts all fonts for a style, and returns the list. `family` is the name of a family; if `is_pattern` is true, it
/// is any fontconfig pattern (`"DejaVu Sans:weight=200"`). `pixel_size` must be greater than 0. `weight` and
/// `slant` are numbers of fontconfig; a negative number leaves the value to the pattern. `language` is a BCP 47 tag
/// or null. `settings` is a pattern or null (`":antialias=true:hintstyle=1"`): its values are used if neither
/// `family` nor the configuration sets them.
///
/// Returns null if there is no font, or if the pattern cannot be parsed. The caller owns the result. Lists that
/// differ only in the size are sorted only once as long as one of them exists, unless they contain bitmap fonts or
/// fonts designed for certain sizes. Any thread.
cshaping_fontlist *cshaping_fontlist_create(const char *family, bool is_pattern, double pixel_size, double weight,
                                            int slant, const char *language, const char *settings);
/// Whether fontconfig can parse a pattern (`FcNameParse`).
bool cshaping_pattern_is_valid(const char *pattern);
/// Destroys a list. Does nothing for null.
void cshaping_fontlist_destroy(cshaping_fontlist *list);
/// Whether this list shares its order of fonts with another existing list: their requests differ at most in the size.
bool cshaping_fontlist_is_shared(const cshaping_fontlist *list);
/// Returns the number of candidates.
int32_t cshaping_fontlist_count(const cshaping_fontlist *list);
/// Whether the candidate at `index` has a glyph for `scalar`, by fontconfig's coverage.
bool cshaping_fontlist_covers(const cshaping_fontlist *list, int32_t index, uint32_t scalar);
/// Whether the candidate at `index` has coloured glyphs.
bool cshaping_fontlist_is_color(const cshaping_fontlist *list, int32_t index);
/// Whether one of the languages for which the list is sorted is written in a script, which is a tag of four bytes
/// in big-endian order. The letters that fontconfig lists for the language decide.
bool cshaping_fontlist_writes(const cshaping_fontlist *list, uint32_t script);
/// Returns the resolved pattern of the candidate at `index`, in the form of `FcNameUnparse`: all that is needed for
/// rendering, without charset and languages. Free it by `cshaping_free`. Null if there is no memory.
char *cshaping_fontlist_pattern(cshaping_fontlist *list, int32_t index);
/// Returns the PostScript name of the candidate at `index`; null if it has none. The list owns the string.
const char *cshaping_fontlist_name(const cshaping_fontlist *list, int32_t index);
/// Whether a font of a family is installed (`FcFontList`); if `is_pattern` is true, whether a font of one of the
/// pattern's families is. Aliases such as `monospace` are no families.
bool cshaping_family_exists(const char *family, bool is_pattern);
/// Returns the installed families, one in each line, in the form that patterns have. A family may be there several
/// times. Free the string by `cshaping_free`. Null if there is no memory.
char *cshaping_families(void);
/// Whether fontconfig has a language with exactly this name (`FcGetLangs`), in lower case such as `pt-br`.
bool cshaping_language_is_known(const char *language);
/// Loads fontconfig's configuration and its lists of fonts, unless that is done. Returns false if it has failed.
/// Any thread. Other threads that call this, or a function of this header that needs the fonts, wait until it is
/// done.
bool cshaping_fonts_prepare(void);
/// From now on, makes missing pages of mapped files read as zeros. Pages are missing if a file has become shorter,
/// for example because `cp` overwrites it, or if its disk fails. FreeType, HarfBuzz, Xft and fontconfig map the
/// files of fonts. This applies to the whole process, by a handler of SIGBUS, which passes other bus errors to the
/// previous handler. Further calls have no effect.
void cshaping_tolerate_truncation(void);
/// Returns fontconfig's version as a number (`FcGetVersion`), without reading its configuration.
int cshaping_fonts_version(void);
/// Returns the files of the configuration, and the directories of configurations and fonts that it names, whether
/// they exist or not, one in each line. Free the string by `cshaping_free`. Null if there is no memory.
char *cshaping_fonts_sources(void);
/// Frees a string that a function of this header has returned. Does nothing for null.
void cshaping_free(char *string);

/// Opens the font that a resolved pattern names. The size and the metrics are clamped, and a matrix beyond what
/// FreeType can rasterize is ignored. Returns null if the pattern has no file or no size, or if the file cannot be
/// opened. The caller owns the result.
cshaping_font *cshaping_font_create(cshaping_context *context, const char *pattern);
/// Creates a font without glyphs, with the metrics of a common font, for a system without fonts. Returns null if
/// there is no memory. The caller owns the result.
cshaping_font *cshaping_font_create_empty(cshaping_context *context, double size);
/// Destroys a font. Does nothing for null.
void cshaping_font_destroy(cshaping_font *font);
/// Fills `out` with the metrics of a font.
void cshaping_font_metrics(cshaping_font *font, cshaping_metrics *out);
/// Returns a name by which the font's file can be opened as long as the font exists, even if another file takes its
/// place on the disk: the name of an open descriptor. If /proc is missing, the path. The font owns the string. Null
/// for a font without glyphs.
const char *cshaping_font_file(const cshaping_font *font);
/// Returns the glyph of a scalar, without shaping; 0 if there is none.
uint32_t cshaping_font_glyph(cshaping_font *font, uint32_t scalar);
/// Whether a lookup for a script may contain the glyph of the space, so that words cannot be shaped one by one. The
/// script is a tag of four bytes in big-endian order.
bool cshaping_font_shapes_space(cshaping_font *font, uint32_t script);
/// Returns Xft's advance of a glyph, in whole pixels.
int32_t cshaping_font_advance(cshaping_font *font, uint32_t glyph);
/// Gets the ink of a glyph relative to its origin, in whole pixels rounded outwards: left, top (upwards), right and
/// bottom (upwards). All are 0 if there is no ink.
void cshaping_font_ink(cshaping_font *font, uint32_t glyph, int16_t out[4]);
/// Gets the distances by which glyphs on one baseline extend above and below it, in whole pixels; neither is
/// negative. Glyphs that are more than `limit` pixels away from the baseline are not included. For a glyph without
/// ink, the position of its pen counts.
void cshaping_font_reach(cshaping_font *font, const cshaping_glyph *glyphs, int32_t count, int32_t limit,
                         int32_t *above, int32_t *below);
/// Gets the positions of carets within a ligature, in 26.6 from its left edge. Writes at most `capacity` of them.
/// Returns the number that the font has.
int32_t cshaping_font_ligature_carets(cshaping_font *font, uint32_t glyph, bool rtl, int32_t *out, int32_t capacity);

/// Shapes the `count` UTF-16 units at `offset` of a text of `length` units. The rest of the text is context.
/// `script` is an ISO 15924 tag as four bytes in big-endian order; `language` may be null. Clusters are indices
/// into the text. The glyphs are in visual order, and belong to the context until the next call. Returns their
/// number.
int32_t cshaping_shape(cshaping_context *context, cshaping_font *font, const uint16_t *text, int32_t length,
                       int32_t offset, int32_t count, uint32_t script, bool rtl, const char *language,
                       const cshaping_feature *features, int32_t feature_count, const cshaping_glyph **out);

/// Returns the ISO 15924 tag of a scalar's script as four bytes in big-endian order. `Zyyy` is common, `Zinh`
/// inherited, and `Zzzz` unknown.
uint32_t cshaping_script(uint32_t scalar);
/// Whether a script is written from right to left.
bool cshaping_script_is_rtl(uint32_t script);
/// Whether a scalar is a mark (Mn, Mc, Me) or a format character (Cf).
bool cshaping_is_mark(uint32_t scalar);
/// Whether a scalar is a mark without a width of its own (Mn, Me).
bool cshaping_is_nonspacing(uint32_t scalar);
/// Whether a scalar is a virama (canonical combining class 9), which joins the consonants around it.
bool cshaping_is_virama(uint32_t scalar);
/// Returns the composition of two scalars (the pairs of NFC); 0 if they do not compose.
uint32_t cshaping_compose(uint32_t a, uint32_t b);
#endif
