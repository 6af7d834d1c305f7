#ifndef CSHAPING_H
#define CSHAPING_H
// HarfBuzz, FreeType and fontconfig behind opaque handles and plain values.
//
// Everything made from one context belongs to the thread that uses that context; contexts are independent of each
// other. Strings are UTF-8 and null-terminated unless a length is given. Nothing here chooses a font or a style: the
// caller does. Positions are 26.6 fixed point pixels unless said otherwise, y upwards as HarfBuzz has it.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A FreeType library and a HarfBuzz buffer: one per thread that shapes. Swift cannot hold FreeType's macros' values.
typedef struct cshaping_context cshaping_context;
/// A sorted list of candidate fonts for one style and language (`FcFontSort`), best first.
typedef struct cshaping_fontlist cshaping_fontlist;
/// One font opened from a resolved pattern, with its own FreeType face and cached advances.
typedef struct cshaping_font cshaping_font;

/// A shaped glyph. `cluster` is an index into the text that was shaped. Its advance and its distances from the pen are at most 2¹⁵ pixels.
typedef struct {
    uint32_t glyph;
    int32_t cluster;
    int32_t advance;
    int32_t dx;
    int32_t dy;
    /// Bit 0: unsafe to break before this glyph's cluster.
    uint32_t flags;
} cshaping_glyph;

/// Measures of a font, as Xft computes them: whole pixels, descent downwards and positive.
typedef struct {
    int32_t ascent;
    int32_t descent;
    int32_t height;
    int32_t max_advance;
    /// Distance of the underline's top below the baseline and its thickness; 26.6, 0 thickness if the font says nothing.
    int32_t underline_offset;
    int32_t underline_thickness;
    /// Height of the strikethrough's middle above the baseline; 26.6.
    int32_t strike_offset;
    /// Height of x; 26.6, 0 if unknown.
    int32_t x_height;
    /// Whether the pattern says that all glyphs are of one width (`FC_SPACING` ≥ `FC_MONO`).
    bool fixed_pitch;
    bool color;
    /// Whether printable ASCII needs no shaping at all: no ligatures, no kerning, no contextual forms.
    bool plain_latin;
} cshaping_metrics;

/// An OpenType feature for a whole run: tag as four bytes big-endian, and its value.
typedef struct {
    uint32_t tag;
    uint32_t value;
} cshaping_feature;

/// Returns null when FreeType cannot start. Owned by the caller.
cshaping_context *cshaping_context_create(void);
/// Accepts null. Fonts made from the context may live on; it goes with the last of them.
void cshaping_context_destroy(cshaping_context *context);

/// Sorts all fonts for a style. `family` is a name, or with `is_pattern` any fontconfig pattern (`"DejaVu Sans:weight=200"`);
/// `pixel_size` > 0;
/// `weight` and `slant` are fontconfig's numbers, negative to leave them to the pattern; `language` is a BCP 47 tag or
/// null; `settings` is a pattern of what is added where neither the family nor the configuration sets it
/// (`":antialias=true:hintstyle=1"`), or null.
/// Returns null if there is no font at all, or the pattern cannot be parsed. Owned by the caller. Lists that differ in nothing but the
/// size are sorted once, as long as one of them lives, unless fonts of bitmaps or designs for some sizes are among them. Any thread.
cshaping_fontlist *cshaping_fontlist_create(const char *family, bool is_pattern, double pixel_size, double weight,
                                            int slant, const char *language, const char *settings);
/// Whether fontconfig can parse a pattern (`FcNameParse`).
bool cshaping_pattern_is_valid(const char *pattern);
/// Accepts null.
void cshaping_fontlist_destroy(cshaping_fontlist *list);
/// Whether another list that lives was sorted together with this one.
bool cshaping_fontlist_is_shared(const cshaping_fontlist *list);
/// Number of candidates.
int32_t cshaping_fontlist_count(const cshaping_fontlist *list);
/// Whether candidate `index` has a glyph for `scalar`, by fontconfig's coverage.
bool cshaping_fontlist_covers(const cshaping_fontlist *list, int32_t index, uint32_t scalar);
/// Whether candidate `index` has coloured glyphs.
bool cshaping_fontlist_is_color(const cshaping_fontlist *list, int32_t index);
/// Whether a language that the list is sorted for is written in a script (tag as four bytes big-endian), by the letters
/// that fontconfig says it needs.
bool cshaping_fontlist_writes(const cshaping_fontlist *list, uint32_t script);
/// The fully resolved pattern of candidate `index` with what rendering needs and no charset or languages, as
/// `FcNameUnparse` writes it. To be freed with `cshaping_free`. Null if out of memory.
char *cshaping_fontlist_pattern(cshaping_fontlist *list, int32_t index);
/// The PostScript name of candidate `index`, borrowed from the list; null if it has none.
const char *cshaping_fontlist_name(const cshaping_fontlist *list, int32_t index);
/// Whether a font of a family is installed (`FcFontList`), or with `is_pattern` of one of a pattern's families; aliases such as
/// `monospace` are none.
bool cshaping_family_exists(const char *family, bool is_pattern);
/// The families that are installed, each on a line of its own as patterns write it; some come several times. Null if memory is out;
/// freed with `cshaping_free`.
char *cshaping_families(void);
/// Whether fontconfig has a language under exactly this name (`FcGetLangs`), in lower case such as `pt-br`.
bool cshaping_language_is_known(const char *language);
/// Loads fontconfig's configuration and lists of fonts, unless that was done; false if it failed. Any thread: the others
/// that call this, or a function here that needs them, wait until it is done.
bool cshaping_fonts_prepare(void);
/// Has pages of mapped files that are gone, because the file has got shorter or its disk fails, read as zeros from now on: FreeType,
/// HarfBuzz, Xft and fontconfig map the files of fonts, and `cp` writes over a file in place. Process-wide, by a handler of SIGBUS, which
/// leaves other bus errors to what was there before. Further calls do nothing.
void cshaping_tolerate_truncation(void);
/// fontconfig's version as one number (`FcGetVersion`); does not read its configuration.
int cshaping_fonts_version(void);
/// The configuration's files, and the directories of configurations and of fonts that it names, there or not: one a line.
/// To be freed with `cshaping_free`. Null if out of memory.
char *cshaping_fonts_sources(void);
/// Frees a string that this shim handed out. Accepts null.
void cshaping_free(char *string);

/// Opens the font that a resolved pattern names; null if the file cannot be opened. Sizes, matrices and measures are clamped to
/// what FreeType rasterizes. Owned by the caller.
cshaping_font *cshaping_font_create(cshaping_context *context, const char *pattern);
/// A font without glyphs and with the measures of a common one, for a system without fonts. Null if memory is out. Owned by the
/// caller.
cshaping_font *cshaping_font_create_empty(cshaping_context *context, double size);
/// Accepts null.
void cshaping_font_destroy(cshaping_font *font);
/// Fills `out`.
void cshaping_font_metrics(cshaping_font *font, cshaping_metrics *out);
/// The name that the font's file can be opened by as long as the font lives, whatever takes its place on the disk meanwhile: that of an
/// open descriptor. Borrowed from the font; null for one without glyphs.
const char *cshaping_font_file(const cshaping_font *font);
/// Glyph of a scalar without shaping; 0 if there is none.
uint32_t cshaping_font_glyph(cshaping_font *font, uint32_t scalar);
/// Whether a lookup for a script (tag as four bytes big-endian) has the space glyph in it, so that words cannot be shaped
/// one by one.
bool cshaping_font_shapes_space(cshaping_font *font, uint32_t script);
/// Xft's advance of a glyph in whole pixels.
int32_t cshaping_font_advance(cshaping_font *font, uint32_t glyph);
/// Ink of a glyph relative to its origin in whole pixels, rounded outwards: left, top (upwards), right, bottom
/// (upwards). All 0 if there is no ink.
void cshaping_font_ink(cshaping_font *font, uint32_t glyph, int16_t out[4]);
/// How far glyphs on one baseline reach above and below it, in whole pixels, both positive away from it and not negative; without those
/// that are set off from it by more than `limit` pixels. The pen of a glyph without ink counts.
void cshaping_font_reach(cshaping_font *font, const cshaping_glyph *glyphs, int32_t count, int32_t limit,
                         int32_t *above, int32_t *below);
/// Caret positions inside a ligature glyph, 26.6 from its left edge; returns how many the font gives (at most
/// `capacity` are written).
int32_t cshaping_font_ligature_carets(cshaping_font *font, uint32_t glyph, bool rtl, int32_t *out, int32_t capacity);

/// Shapes `count` units of UTF-16 at `offset` of a text of `length` units; the rest of the text is context.
/// `script` is an ISO 15924 tag as four bytes big-endian; `language` may be null. Clusters are indices into the text.
/// The glyphs are in visual order and belong to the context until the next call. Returns their number.
int32_t cshaping_shape(cshaping_context *context, cshaping_font *font, const uint16_t *text, int32_t length,
                       int32_t offset, int32_t count, uint32_t script, bool rtl, const char *language,
                       const cshaping_feature *features, int32_t feature_count, const cshaping_glyph **out);

/// ISO 15924 tag (four bytes big-endian) of a scalar's script: `Zyyy` common, `Zinh` inherited, `Zzzz` unknown.
uint32_t cshaping_script(uint32_t scalar);
/// Whether a script is written from right to left.
bool cshaping_script_is_rtl(uint32_t script);
/// Whether the scalar is invisible when a font has no glyph for it (general category Cf and variation selectors, by
/// HarfBuzz's own rule) or a mark (Mn, Mc, Me).
bool cshaping_is_mark(uint32_t scalar);
/// Whether the scalar is a mark that takes no room of its own (Mn, Me).
bool cshaping_is_nonspacing(uint32_t scalar);
/// Whether the scalar is a virama (canonical combining class 9), which joins the consonants around it.
bool cshaping_is_virama(uint32_t scalar);
/// The composition of two scalars, 0 if they do not compose (NFC's pairs).
uint32_t cshaping_compose(uint32_t a, uint32_t b);
#endif
