#ifndef CSHAPING_INTERNAL_H
#define CSHAPING_INTERNAL_H
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>
#include <sys/stat.h>

#include "CShaping.h"

// A font's file, held open: whatever takes its place on the disk, all read the one that was opened. Shared by the process, any thread.
typedef struct font_file {
    struct font_file *next;
    struct stat status;
    int descriptor;
    // A name of the open file for those that open it again.
    char *name;
    int users;
} font_file;

// Null if the file cannot be opened. A file that has changed since it was opened is another.
font_file *font_file_open(const char *path);
// Accepts null.
void font_file_release(font_file *file);

#define LANGUAGE_CAPACITY 128

struct cshaping_context {
    // The creator's reference and one for each font: fonts may outlive it.
    int references;
    FT_Library library;
    hb_buffer_t *buffer;
    cshaping_glyph *glyphs;
    unsigned capacity;
    char *language_tags[LANGUAGE_CAPACITY];
    hb_language_t languages[LANGUAGE_CAPACITY];
    int language_count, last_language;
    // The files that fonts are open of: one face for all sizes of a file.
    struct shared_face *shared;
};

typedef struct shared_face {
    struct shared_face *next;
    // Held open by the fonts that use the face.
    const font_file *file;
    // FreeType's, with a named instance in the upper half.
    int index;
    FT_Face face;
    // The font whose size and transform the face has.
    const struct cshaping_font *active;
    // Null for files that HarfBuzz reads through FreeType, which one font has for itself.
    hb_face_t *tables;
    int users;
} shared_face;

// Whether a pattern's matrix keeps a font of a size within what is rasterized.
bool cshaping_matrix_is_sane(const FcMatrix *matrix, double size);

// Ink and advance are cached by pages of glyphs, because CJK fonts have 65,535 and a text uses some hundred.
#define PAGE_BITS 7
#define PAGE_SIZE (1 << PAGE_BITS)
#define PAGE_COUNT (65536 >> PAGE_BITS)
#define UNKNOWN INT16_MIN

typedef struct {
    int16_t advance[PAGE_SIZE];
    int16_t ink[PAGE_SIZE][4];
} glyph_page;

#define PLAN_CAPACITY 16

// How HarfBuzz shapes text of a script, direction and language with some features.
typedef struct {
    hb_segment_properties_t props;
    hb_feature_t *features;
    unsigned feature_count;
    hb_shape_plan_t *plan;
} shape_plan;

// Leaves it empty. Accepts an empty one.
void shape_plan_release(shape_plan *plan);

struct cshaping_font {
    cshaping_context *context;
    // All four null in a font without glyphs.
    font_file *file;
    FT_Face face;
    FT_Size size;
    shared_face *shared;
    hb_font_t *hb;
    int load_flags;
    bool embolden;
    bool fixed_pitch;
    bool transform;
    bool color;
    FT_Matrix matrix;
    int32_t ascent, descent, height, max_advance;
    glyph_page *pages[PAGE_COUNT];
    shape_plan plans[PLAN_CAPACITY];
    int plan_count, next_plan;
    int plain_latin;  // -1 not yet known
};
#endif
