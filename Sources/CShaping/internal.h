#ifndef CSHAPING_INTERNAL_H
#define CSHAPING_INTERNAL_H
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>
#include <sys/stat.h>

#include "CShaping.h"

// The file of a font, which is held open: even if another file takes its place on the disk, all users read the one
// that was opened. The process shares it. Any thread.
typedef struct font_file {
    struct font_file *next;
    struct stat status;
    int descriptor;
    // The name by which libraries open the file: that of the descriptor in /proc; without /proc, its path.
    char *name;
    int users;
} font_file;

// Opens a file. Returns null if that fails. A file that has changed since it was opened counts as another one.
font_file *font_file_open(const char *path);
// Releases a file. Does nothing for null.
void font_file_release(font_file *file);

// The maximum number of language tags that a context keeps. A further tag counts as no language.
#define LANGUAGE_CAPACITY 128

struct cshaping_context {
    // The number of references: one of the context's creator and one of each font, because fonts may exist longer than
    // the context.
    int references;
    FT_Library library;
    hb_buffer_t *buffer;
    // The memory for the glyphs of the last call, and the number of glyphs for which it has room.
    cshaping_glyph *glyphs;
    unsigned capacity;
    // The tags of the languages used so far, HarfBuzz's values for them, and the index of the one used last.
    char *language_tags[LANGUAGE_CAPACITY];
    hb_language_t languages[LANGUAGE_CAPACITY];
    int language_count, last_language;
    // The faces of the files from which fonts are open: one face for all sizes of a file.
    struct shared_face *shared;
};

typedef struct shared_face {
    struct shared_face *next;
    // The file of the face; the fonts that use the face hold it open.
    const font_file *file;
    // FreeType's index of the face in the file, with the number of a named instance in the upper 16 bits.
    int index;
    FT_Face face;
    // The font whose size and transform are currently set on the shared face; null for none.
    const struct cshaping_font *active;
    // HarfBuzz's face. Null for a file that HarfBuzz reads through FreeType; such a face belongs to one font alone.
    hb_face_t *tables;
    int users;
} shared_face;

// Whether the matrix of a pattern keeps glyphs of a size within the limits of rasterization.
bool cshaping_matrix_is_sane(const FcMatrix *matrix, double size);

// Advances and ink are cached for pages of glyphs: fonts for Chinese, Japanese and Korean have 65,535 glyphs, of
// which a text uses some hundred.
#define PAGE_BITS 7
#define PAGE_SIZE (1 << PAGE_BITS)
#define PAGE_COUNT (65536 >> PAGE_BITS)
// An advance, or the first value of an ink, that was not computed yet.
#define UNKNOWN INT16_MIN

typedef struct {
    int16_t advance[PAGE_SIZE];
    int16_t ink[PAGE_SIZE][4];
} glyph_page;

// The number of plans that a font keeps. A further plan takes the place of the oldest.
#define PLAN_CAPACITY 16

// HarfBuzz's plan for shaping text of a script, direction and language with some features.
typedef struct {
    hb_segment_properties_t props;
    hb_feature_t *features;
    unsigned feature_count;
    hb_shape_plan_t *plan;
} shape_plan;

// Releases the content of a plan, which is empty afterwards. Does nothing for an empty one.
void shape_plan_release(shape_plan *plan);

struct cshaping_font {
    cshaping_context *context;
    // The next four members are null in a font without glyphs.
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
