#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_SIZES_H
#include FT_SYNTHESIS_H
#include FT_OUTLINE_H
#include FT_TRUETYPE_TABLES_H
#include <hb-ft.h>
#include <hb-ot.h>
#include <hb.h>

#include "internal.h"

cshaping_context *cshaping_context_create(void) {
    cshaping_context *context = calloc(1, sizeof *context);
    if (!context) return NULL;
    if (FT_Init_FreeType(&context->library)) {
        free(context);
        return NULL;
    }
    context->references = 1;
    context->buffer = hb_buffer_create();
    // Let marks have clusters of their own. The positions of carets depend on grapheme clusters, not on these.
    hb_buffer_set_cluster_level(context->buffer, HB_BUFFER_CLUSTER_LEVEL_MONOTONE_CHARACTERS);
    return context;
}

void cshaping_context_destroy(cshaping_context *context) {
    if (!context || --context->references > 0) return;
    hb_buffer_destroy(context->buffer);
    FT_Done_FreeType(context->library);
    free(context->glyphs);
    for (int i = 0; i < context->language_count; i++) free(context->language_tags[i]);
    free(context);
}

static bool get_bool(const FcPattern *p, const char *object, bool otherwise) {
    FcBool value;
    return FcPatternGetBool(p, object, 0, &value) == FcResultMatch ? value : otherwise;
}

static int get_int(const FcPattern *p, const char *object, int otherwise) {
    int value;
    return FcPatternGetInteger(p, object, 0, &value) == FcResultMatch ? value : otherwise;
}

// Returns the load flags that Xft passes to FT_Load_Glyph for the same pattern (libXft, XftFontInfoFill).
static int load_flags(const FcPattern *p, bool transform) {
    bool antialias = get_bool(p, FC_ANTIALIAS, true);
    int style = get_int(p, FC_HINT_STYLE, FC_HINT_FULL);
    int flags = FT_LOAD_DEFAULT | FT_LOAD_COLOR;
    if ((!get_bool(p, FC_EMBEDDED_BITMAP, false) && antialias) || transform) flags |= FT_LOAD_NO_BITMAP;
    if (!get_bool(p, FC_HINTING, true) || style == FC_HINT_NONE) flags |= FT_LOAD_NO_HINTING;
    if (!antialias) {
        flags |= FT_LOAD_TARGET_MONO;
    } else if (style == FC_HINT_SLIGHT || style == FC_HINT_MEDIUM) {
        flags |= FT_LOAD_TARGET_LIGHT;
    } else {
        switch (get_int(p, FC_RGBA, FC_RGBA_UNKNOWN)) {
        case FC_RGBA_RGB:
        case FC_RGBA_BGR: flags |= FT_LOAD_TARGET_LCD; break;
        case FC_RGBA_VRGB:
        case FC_RGBA_VBGR: flags |= FT_LOAD_TARGET_LCD_V; break;
        default: break;
        }
    }
    if (get_bool(p, FC_AUTOHINT, false)) flags |= FT_LOAD_FORCE_AUTOHINT;
    if (!get_bool(p, FC_GLOBAL_ADVANCE, true)) flags |= FT_LOAD_IGNORE_GLOBAL_ADVANCE_WIDTH;
    return flags;
}

// Sets the size of a face. A bitmap font only supports its own sizes: uses the one with the nearest height, as
// XftSetFace does.
static bool set_size(FT_Face face, FT_F26Dot6 xsize, FT_F26Dot6 ysize) {
    if (FT_IS_SCALABLE(face)) return FT_Set_Char_Size(face, xsize, ysize, 0, 0) == 0;
    if (face->num_fixed_sizes == 0) return false;
    int best = 0;
    for (int i = 1; i < face->num_fixed_sizes; i++) {
        long ours = labs(ysize - face->available_sizes[i].y_ppem), its = labs(ysize - face->available_sizes[best].y_ppem);
        if (ours < its || (ours == its && labs(xsize - face->available_sizes[i].x_ppem) <
                                              labs(xsize - face->available_sizes[best].x_ppem)))
            best = i;
    }
    return FT_Select_Size(face, best) == 0;
}

static glyph_page *page_of(cshaping_font *font, uint32_t glyph) {
    uint32_t number = glyph >> PAGE_BITS;
    if (number >= PAGE_COUNT) return NULL;
    glyph_page *page = font->pages[number];
    if (page) return page;
    page = malloc(sizeof *page);
    if (!page) return NULL;
    for (int i = 0; i < PAGE_SIZE; i++) {
        page->advance[i] = UNKNOWN;
        page->ink[i][0] = UNKNOWN;
    }
    font->pages[number] = page;
    return page;
}

// Sets the size and transform of a font on the face that it shares with other fonts.
static void activate(cshaping_font *font) {
    if (font->shared->active == font) return;
    FT_Activate_Size(font->size);
    FT_Set_Transform(font->face, font->transform ? &font->matrix : NULL, NULL);
    font->shared->active = font;
}

static bool load(cshaping_font *font, uint32_t glyph) {
    FT_Face face = font->face;
    if (!face) return false;
    activate(font);
    if (FT_Load_Glyph(face, glyph, font->load_flags)) {
        // Colour glyphs exist only as bitmaps. Like Xft, load them even if a transform forbids other bitmaps.
        if (!(font->load_flags & FT_LOAD_NO_BITMAP) ||
            FT_Load_Glyph(face, glyph, font->load_flags & ~FT_LOAD_NO_BITMAP))
            return false;
    }
    if (font->embolden) FT_GlyphSlot_Embolden(face->glyph);
    return true;
}

static int16_t clamp16(long value) {
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < -INT16_MAX ? -INT16_MAX : value);
}

static int16_t measure(cshaping_font *font, uint32_t glyph) {
    if (!load(font, glyph)) return 0;
    FT_GlyphSlot slot = font->face->glyph;
    if (font->transform && slot->format == FT_GLYPH_FORMAT_BITMAP) {
        // Scaled bitmaps have an advance of their own, whatever pitch the font declares. FreeType has already
        // transformed that advance.
        return clamp16((slot->advance.x + 32) >> 6);
    }
    if (font->fixed_pitch) {
        // Xft gives each glyph of a fixed-pitch font a full cell, even a combining mark. The advance of marks must
        // stay 0.
        return slot->advance.x == 0 ? 0 : clamp16(font->max_advance);
    }
    return clamp16((slot->advance.x + 32) >> 6);
}

int32_t cshaping_font_advance(cshaping_font *font, uint32_t glyph) {
    glyph_page *page = page_of(font, glyph);
    if (!page) return 0;
    int16_t *advance = &page->advance[glyph & (PAGE_SIZE - 1)];
    if (*advance == UNKNOWN) *advance = measure(font, glyph);
    return *advance;
}

void cshaping_font_ink(cshaping_font *font, uint32_t glyph, int16_t out[4]) {
    glyph_page *page = page_of(font, glyph);
    if (!page) {
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    int16_t *ink = page->ink[glyph & (PAGE_SIZE - 1)];
    if (ink[0] == UNKNOWN) {
        memset(ink, 0, 4 * sizeof *ink);
        if (load(font, glyph)) {
            FT_GlyphSlot slot = font->face->glyph;
            FT_BBox box = {0, 0, 0, 0};
            if (slot->format == FT_GLYPH_FORMAT_OUTLINE) {
                FT_Outline_Get_CBox(&slot->outline, &box);
            } else {
                FT_Vector a = {slot->bitmap_left * 64, slot->bitmap_top * 64};
                FT_Vector b = {a.x + (FT_Pos)slot->bitmap.width * 64, a.y - (FT_Pos)slot->bitmap.rows * 64};
                if (font->transform) {
                    FT_Vector_Transform(&a, &font->matrix);
                    FT_Vector_Transform(&b, &font->matrix);
                }
                box = (FT_BBox){a.x, b.y, b.x, a.y};
            }
            if (box.xMin != box.xMax && box.yMin != box.yMax) {
                // Add a pixel on each side, because anti-aliasing and LCD filters extend the ink.
                ink[0] = clamp16((box.xMin >> 6) - 1);
                ink[1] = clamp16(((box.yMax + 63) >> 6) + 1);
                ink[2] = clamp16(((box.xMax + 63) >> 6) + 1);
                ink[3] = clamp16((box.yMin >> 6) - 1);
            }
        }
    }
    memcpy(out, ink, 4 * sizeof *out);
}

void cshaping_font_reach(cshaping_font *font, const cshaping_glyph *glyphs, int32_t count, int32_t limit,
                         int32_t *above, int32_t *below) {
    int32_t high = 0, low = 0;
    const glyph_page *page = NULL;
    uint32_t number = UINT32_MAX;
    for (int32_t i = 0; i < count; i++) {
        uint32_t glyph = glyphs[i].glyph;
        if (glyph >> PAGE_BITS != number) {
            number = glyph >> PAGE_BITS;
            page = page_of(font, glyph);
        }
        if (!page) continue;
        const int16_t *ink = page->ink[glyph & (PAGE_SIZE - 1)];
        int32_t dy = 0;
        if (glyphs[i].dy != 0) {
            dy = (int32_t)(((int64_t)glyphs[i].dy + 32) >> 6);
            if (dy > limit || dy < -limit) continue;
        }
        if (ink[0] == UNKNOWN) {
            int16_t measured[4];
            cshaping_font_ink(font, glyph, measured);
        }
        if (ink[1] + dy > high) high = ink[1] + dy;
        if (-ink[3] - dy > low) low = -ink[3] - dy;
    }
    *above = high;
    *below = low;
}

static hb_position_t h_advance(hb_font_t *hb, void *data, hb_codepoint_t glyph, void *user) {
    (void)hb;
    (void)user;
    return cshaping_font_advance(data, glyph) * 64;
}

static void h_advances(hb_font_t *hb, void *data, unsigned count, const hb_codepoint_t *glyph, unsigned glyph_stride,
                       hb_position_t *advance, unsigned advance_stride, void *user) {
    (void)hb;
    (void)user;
    cshaping_font *font = data;
    for (unsigned i = 0; i < count; i++) {
        *advance = cshaping_font_advance(font, *glyph) * 64;
        glyph = (const hb_codepoint_t *)((const char *)glyph + glyph_stride);
        advance = (hb_position_t *)((char *)advance + advance_stride);
    }
}

// Returns the callbacks by which HarfBuzz gets glyph advances, in a table that all fonts share. Two threads may both
// create the table at first; one of the two tables is then destroyed.
static hb_font_funcs_t *advance_functions(void) {
    static hb_font_funcs_t *shared;
    hb_font_funcs_t *known = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    if (known) return known;
    hb_font_funcs_t *made = hb_font_funcs_create();
    hb_font_funcs_set_glyph_h_advance_func(made, h_advance, NULL, NULL);
    hb_font_funcs_set_glyph_h_advances_func(made, h_advances, NULL, NULL);
    hb_font_funcs_make_immutable(made);
    if (__atomic_compare_exchange_n(&shared, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
    hb_font_funcs_destroy(made);
    return known;
}

typedef struct {
    void *start;
    size_t length;
} mapping;

static void unmap(void *data) {
    mapping *mapped = data;
    munmap(mapped->start, mapped->length);
    free(mapped);
}

static uint32_t number_at(FT_Face face, FT_Long offset, FT_ULong bytes) {
    FT_Byte read[4] = {0, 0, 0, 0};
    if (FT_Load_Sfnt_Table(face, 0, offset, read + 4 - bytes, &bytes)) return 0;
    return (uint32_t)read[0] << 24 | (uint32_t)read[1] << 16 | (uint32_t)read[2] << 8 | read[3];
}

// Maps the pages of a file that contain a table, without a copy. Returns null if there is no such table.
static hb_blob_t *map_table(const shared_face *shared, hb_tag_t tag) {
    FT_Long base = 0;
    if (number_at(shared->face, 0, 4) == HB_TAG('t', 't', 'c', 'f'))
        base = number_at(shared->face, 12 + 4 * (FT_Long)(shared->index & 0xffff), 4);
    uint32_t count = number_at(shared->face, base + 4, 2);
    for (uint32_t i = 0; i < count; i++) {
        FT_Long entry = base + 12 + 16 * (FT_Long)i;
        if (number_at(shared->face, entry, 4) != tag) continue;
        size_t offset = number_at(shared->face, entry + 8, 4), length = number_at(shared->face, entry + 12, 4);
        size_t before = offset % (size_t)sysconf(_SC_PAGESIZE);
        if (length == 0 || offset + length > (size_t)shared->file->status.st_size) return NULL;
        mapping *mapped = malloc(sizeof *mapped);
        if (!mapped) return NULL;
        mapped->length = before + length;
        mapped->start = mmap(NULL, mapped->length, PROT_READ, MAP_PRIVATE, shared->file->descriptor,
                             (off_t)(offset - before));
        if (mapped->start == MAP_FAILED) {
            free(mapped);
            return NULL;
        }
        return hb_blob_create((const char *)mapped->start + before, (unsigned)length, HB_MEMORY_MODE_READONLY, mapped,
                              unmap);
    }
    return NULL;
}

// Returns a copy of a table. HarfBuzz checks a table only once and then trusts it, but the file may be overwritten.
// The table of colour bitmaps, which has some megabytes, is mapped instead: HarfBuzz trusts nothing in it, because
// the positions of the bitmaps are in another table.
static hb_blob_t *copy_table(hb_face_t *face, hb_tag_t tag, void *data) {
    (void)face;
    shared_face *shared = data;
    FT_ULong length = 0;
    if (tag == HB_TAG('C', 'B', 'D', 'T')) return map_table(shared, tag);
    if (tag == HB_TAG_NONE || FT_Load_Sfnt_Table(shared->face, tag, 0, NULL, &length) || length == 0) return NULL;
    FT_Byte *copy = malloc(length);
    if (!copy || FT_Load_Sfnt_Table(shared->face, tag, 0, copy, &length)) {
        free(copy);
        return NULL;
    }
    return hb_blob_create((const char *)copy, (unsigned)length, HB_MEMORY_MODE_READONLY, copy, free);
}

// Returns the face of a file, which is shared by all sizes. Null if the file is no font, or if there is no memory.
static shared_face *share_face(cshaping_context *context, const font_file *file, int index) {
    for (shared_face *known = context->shared; known; known = known->next) {
        if (known->index == index && known->file == file && known->tables) {
            known->users++;
            return known;
        }
    }
    shared_face *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    if (FT_New_Face(context->library, file->name, index, &made->face)) {
        free(made);
        return NULL;
    }
    made->file = file;
    if (FT_IS_SFNT(made->face)) {
        made->tables = hb_face_create_for_tables(copy_table, made, NULL);
        hb_face_set_index(made->tables, (unsigned)index & 0xffff);
    }
    made->index = index;
    made->users = 1;
    made->next = context->shared;
    context->shared = made;
    return made;
}

static void unshare_face(cshaping_context *context, shared_face *shared) {
    if (!shared || --shared->users > 0) return;
    for (shared_face **at = &context->shared; *at; at = &(*at)->next) {
        if (*at != shared) continue;
        *at = shared->next;
        break;
    }
    hb_face_destroy(shared->tables);
    FT_Done_Face(shared->face);
    free(shared);
}

static hb_font_t *make_hb_font(cshaping_font *font, int index, double size, double xx) {
    hb_font_t *parent = NULL;
    if (font->shared->tables) {
        parent = hb_font_create(font->shared->tables);
        hb_ot_font_set_funcs(parent);
        int scale = (int)lround(size * xx * 64);
        hb_font_set_scale(parent, scale, scale);
        if (index >> 16) hb_font_set_var_named_instance(parent, (unsigned)(index >> 16) - 1);
    } else {
        parent = hb_ft_font_create_referenced(font->face);
        hb_ft_font_set_load_flags(parent, font->load_flags);
    }
    hb_font_t *hb = hb_font_create_sub_font(parent);
    hb_font_destroy(parent);
    hb_font_set_funcs(hb, advance_functions(), font, NULL);
    return hb;
}

// The largest extent of a glyph, in pixels, to which a font is set. FreeType does not rasterize larger glyphs.
#define LARGEST_SIZE 4000.0

bool cshaping_matrix_is_sane(const FcMatrix *matrix, double size) {
    const double parts[] = {matrix->xx, matrix->xy, matrix->yx, matrix->yy};
    for (int i = 0; i < 4; i++)
        if (!isfinite(parts[i]) || fabs(parts[i]) * fmax(size, 1) > 4 * LARGEST_SIZE) return false;
    // A matrix without an area shows nothing and has no inverse.
    return fabs(matrix->xx * matrix->yy - matrix->xy * matrix->yx) > 1e-6;
}

// Limits a measure of a font in pixels, so that the sum of the heights of all lines of a paragraph fits into 32
// bits.
static int32_t clamp_measure(long pixels) {
    const long most = 1 << 14;
    return (int32_t)(pixels > most ? most : pixels < -most ? -most : pixels);
}

// Limits a measure of a font in 1/64 pixel, so that the sum of the heights of all lines of a paragraph fits into 32
// bits.
static int32_t clamp_26_6(long measure) {
    const long most = 1 << 20;
    return (int32_t)(measure > most ? most : measure < -most ? -most : measure);
}

static cshaping_font *make_font(cshaping_context *context) {
    cshaping_font *font = calloc(1, sizeof *font);
    if (!font) return NULL;
    font->context = context;
    context->references++;
    font->plain_latin = -1;
    font->matrix = (FT_Matrix){0x10000, 0, 0, 0x10000};
    return font;
}

cshaping_font *cshaping_font_create_empty(cshaping_context *context, double size) {
    cshaping_font *font = make_font(context);
    if (!font) return NULL;
    if (!(size >= 1)) size = 1;
    if (size > LARGEST_SIZE) size = LARGEST_SIZE;
    font->plain_latin = 0;
    font->ascent = (int32_t)lround(size * 0.8);
    font->descent = (int32_t)lround(size * 0.2);
    font->height = font->ascent + font->descent;
    font->max_advance = (int32_t)lround(size * 0.6);
    font->hb = hb_font_create_sub_font(hb_font_get_empty());
    hb_font_set_funcs(font->hb, advance_functions(), font, NULL);
    return font;
}

cshaping_font *cshaping_font_create(cshaping_context *context, const char *text) {
    FcPattern *p = FcNameParse((const FcChar8 *)text);
    if (!p) return NULL;
    FcChar8 *file;
    double size = 0, aspect = 1;
    FcMatrix *matrix = NULL;
    int index = get_int(p, FC_INDEX, 0);
    cshaping_font *font = NULL;
    if (FcPatternGetString(p, FC_FILE, 0, &file) != FcResultMatch) goto done;
    if (FcPatternGetDouble(p, FC_PIXEL_SIZE, 0, &size) != FcResultMatch || !(size > 0)) goto done;
    if (size > LARGEST_SIZE) size = LARGEST_SIZE;
    FcPatternGetDouble(p, FC_ASPECT, 0, &aspect);
    if (!(aspect >= 0.01 && aspect * size <= LARGEST_SIZE)) aspect = 1;
    font = make_font(context);
    if (!font) goto done;
    font->file = font_file_open((const char *)file);
    if (font->file) font->shared = share_face(context, font->file, index & 0x7fffffff);
    if (!font->shared || FT_New_Size(font->shared->face, &font->size)) {
        unshare_face(context, font->shared);
        font_file_release(font->file);
        free(font);
        context->references--;
        font = NULL;
        goto done;
    }
    if (FcPatternGetMatrix(p, FC_MATRIX, 0, &matrix) == FcResultMatch && matrix &&
        !cshaping_matrix_is_sane(matrix, size))
        matrix = NULL;
    if (matrix) {
        font->matrix = (FT_Matrix){(FT_Fixed)(0x10000 * matrix->xx), (FT_Fixed)(0x10000 * matrix->xy),
                                   (FT_Fixed)(0x10000 * matrix->yx), (FT_Fixed)(0x10000 * matrix->yy)};
        font->transform = matrix->xx != 1 || matrix->xy != 0 || matrix->yx != 0 || matrix->yy != 1;
    }
    font->load_flags = load_flags(p, font->transform);
    font->embolden = get_bool(p, FC_EMBOLDEN, false);
    font->color = get_bool(p, FC_COLOR, false);
    font->fixed_pitch = get_int(p, FC_SPACING, FC_PROPORTIONAL) >= FC_MONO;
    font->face = font->shared->face;
    activate(font);
    set_size(font->face, (FT_F26Dot6)(size * aspect * 64), (FT_F26Dot6)(size * 64));

    const FT_Size_Metrics *m = &font->size->metrics;
    FT_Vector up = {0, m->ascender}, down = {0, m->descender}, step = {0, m->height}, widest = {m->max_advance, 0};
    if (font->transform) {
        FT_Vector_Transform(&up, &font->matrix);
        FT_Vector_Transform(&down, &font->matrix);
        FT_Vector_Transform(&step, &font->matrix);
        FT_Vector_Transform(&widest, &font->matrix);
    }
    font->ascent = clamp_measure(up.y >> 6);
    font->descent = clamp_measure(-(down.y >> 6));
    font->height = get_bool(p, FC_MINSPACE, false) ? font->ascent + font->descent : clamp_measure(step.y >> 6);
    font->max_advance = clamp_measure(get_int(p, FC_CHAR_WIDTH, clamp_measure(widest.x >> 6)));
    if (font->max_advance < 0) font->max_advance = 0;
    font->hb = make_hb_font(font, index, size, matrix ? matrix->xx : 1);
done:
    FcPatternDestroy(p);
    return font;
}

void cshaping_font_destroy(cshaping_font *font) {
    if (!font) return;
    for (int i = 0; i < font->plan_count; i++) shape_plan_release(&font->plans[i]);
    hb_font_destroy(font->hb);
    if (font->shared) {
        if (font->shared->active == font) font->shared->active = NULL;
        FT_Done_Size(font->size);
        unshare_face(font->context, font->shared);
    }
    font_file_release(font->file);
    for (int i = 0; i < PAGE_COUNT; i++) free(font->pages[i]);
    cshaping_context_destroy(font->context);
    free(font);
}

const char *cshaping_font_file(const cshaping_font *font) { return font->file ? font->file->name : NULL; }

uint32_t cshaping_font_glyph(cshaping_font *font, uint32_t scalar) {
    hb_codepoint_t glyph = 0;
    return hb_font_get_nominal_glyph(font->hb, scalar, &glyph) ? glyph : 0;
}

bool cshaping_font_shapes_space(cshaping_font *font, uint32_t script) {
    hb_codepoint_t space = cshaping_font_glyph(font, ' ');
    hb_face_t *face = hb_font_get_face(font->hb);
    // Tables of AAT, and a `kern` table without OpenType positioning, cannot be searched for lookups. Assume that
    // they use the space.
    static const hb_tag_t others[] = {HB_TAG('m', 'o', 'r', 'x'), HB_TAG('k', 'e', 'r', 'x')};
    for (int i = 0; i < 2; i++) {
        hb_blob_t *blob = hb_face_reference_table(face, others[i]);
        bool there = hb_blob_get_length(blob) > 0;
        hb_blob_destroy(blob);
        if (there) return true;
    }
    if (!hb_ot_layout_has_positioning(face)) {
        hb_blob_t *kern = hb_face_reference_table(face, HB_TAG('k', 'e', 'r', 'n'));
        bool there = hb_blob_get_length(kern) > 0;
        hb_blob_destroy(kern);
        if (there) return true;
    }
    hb_tag_t scripts[6];
    unsigned count = 4;
    hb_ot_tags_from_script_and_language(hb_script_from_iso15924_tag(script), HB_LANGUAGE_INVALID, &count, scripts, NULL,
                                        NULL);
    scripts[count++] = HB_TAG('D', 'F', 'L', 'T');
    scripts[count] = HB_TAG_NONE;
    static const hb_tag_t tables[] = {HB_OT_TAG_GSUB, HB_OT_TAG_GPOS};
    hb_set_t *lookups = hb_set_create(), *glyphs = hb_set_create();
    bool found = false;
    for (int t = 0; t < 2 && !found; t++) {
        hb_set_clear(lookups);
        hb_ot_layout_collect_lookups(face, tables[t], scripts, NULL, NULL, lookups);
        for (hb_codepoint_t i = HB_SET_VALUE_INVALID; !found && hb_set_next(lookups, &i);) {
            hb_set_clear(glyphs);
            hb_ot_layout_lookup_collect_glyphs(face, tables[t], i, glyphs, glyphs, glyphs, NULL);
            found = hb_set_has(glyphs, space);
        }
    }
    hb_set_destroy(lookups);
    hb_set_destroy(glyphs);
    return found;
}

static bool has_feature(hb_face_t *face, hb_tag_t table, const char *name) {
    hb_tag_t wanted = hb_tag_from_string(name, -1);
    unsigned count = hb_ot_layout_table_get_feature_tags(face, table, 0, NULL, NULL);
    for (unsigned start = 0; start < count;) {
        hb_tag_t tags[32];
        unsigned n = 32;
        hb_ot_layout_table_get_feature_tags(face, table, start, &n, tags);
        if (n == 0) break;
        for (unsigned i = 0; i < n; i++)
            if (tags[i] == wanted) return true;
        start += n;
    }
    return false;
}

// Whether some features of a table, in any script or language, have a lookup that can apply to a text of printable
// ASCII: one that replaces or moves a glyph of such a character. Many fonts have ligatures only for other scripts.
static bool shapes_ascii(cshaping_font *font, hb_tag_t table, const hb_tag_t *features) {
    hb_face_t *face = hb_font_get_face(font->hb);
    hb_set_t *lookups = hb_set_create(), *ascii = hb_set_create(), *glyphs = hb_set_create();
    for (uint32_t scalar = ' '; scalar < 0x7f; scalar++) hb_set_add(ascii, cshaping_font_glyph(font, scalar));
    hb_ot_layout_collect_lookups(face, table, NULL, NULL, features, lookups);
    bool found = false;
    for (hb_codepoint_t i = HB_SET_VALUE_INVALID; !found && hb_set_next(lookups, &i);) {
        hb_set_clear(glyphs);
        hb_ot_layout_lookup_collect_glyphs(face, table, i, NULL, glyphs, NULL, NULL);
        hb_set_intersect(glyphs, ascii);
        found = !hb_set_is_empty(glyphs);
    }
    hb_set_destroy(lookups);
    hb_set_destroy(ascii);
    hb_set_destroy(glyphs);
    return found;
}

static bool latin_is_plain(cshaping_font *font) {
    hb_face_t *face = hb_font_get_face(font->hb);
    if (!font->face) return false;
    if (!FT_IS_SFNT(font->face)) return !FT_HAS_KERNING(font->face);
    // With required variation alternates (`rvrn`), the lookups depend on the variation of the font.
    if (has_feature(face, HB_OT_TAG_GSUB, "rvrn")) return false;
    static const hb_tag_t tables[] = {HB_TAG('k', 'e', 'r', 'n'), HB_TAG('k', 'e', 'r', 'x'), HB_TAG('m', 'o', 'r', 'x')};
    for (int i = 0; i < 3; i++) {
        hb_blob_t *blob = hb_face_reference_table(face, tables[i]);
        bool there = hb_blob_get_length(blob) > 0;
        hb_blob_destroy(blob);
        if (there) return false;
    }
    static const hb_tag_t placing[] = {HB_TAG('k', 'e', 'r', 'n'), HB_TAG('d', 'i', 's', 't'), HB_TAG('c', 'u', 'r', 's'), 0};
    static const hb_tag_t replacing[] = {HB_TAG('l', 'i', 'g', 'a'), HB_TAG('c', 'l', 'i', 'g'), HB_TAG('c', 'a', 'l', 't'),
                                         HB_TAG('r', 'l', 'i', 'g'), HB_TAG('r', 'c', 'l', 't'), 0};
    return !shapes_ascii(font, HB_OT_TAG_GPOS, placing) && !shapes_ascii(font, HB_OT_TAG_GSUB, replacing);
}

void cshaping_font_metrics(cshaping_font *font, cshaping_metrics *out) {
    if (font->plain_latin < 0) font->plain_latin = latin_is_plain(font);
    memset(out, 0, sizeof *out);
    out->ascent = font->ascent;
    out->descent = font->descent;
    out->height = font->height;
    out->max_advance = font->max_advance;
    out->fixed_pitch = font->fixed_pitch;
    out->color = font->color;
    out->plain_latin = font->plain_latin;
    if (font->face && FT_IS_SCALABLE(font->face)) {
        FT_Fixed scale = font->size->metrics.y_scale;
        FT_Pos thickness = FT_MulFix(font->face->underline_thickness, scale);
        out->underline_thickness = clamp_26_6(thickness);
        out->underline_offset = clamp_26_6(-FT_MulFix(font->face->underline_position, scale) - thickness / 2);
        TT_OS2 *os2 = FT_Get_Sfnt_Table(font->face, FT_SFNT_OS2);
        if (os2 && os2->version != 0xffff) {
            out->strike_offset = clamp_26_6(FT_MulFix(os2->yStrikeoutPosition, scale));
            if (os2->version >= 2) out->x_height = clamp_26_6(FT_MulFix(os2->sxHeight, scale));
        }
    }
}

int32_t cshaping_font_ligature_carets(cshaping_font *font, uint32_t glyph, bool rtl, int32_t *out, int32_t capacity) {
    unsigned count = capacity > 0 ? (unsigned)capacity : 0;
    return (int32_t)hb_ot_layout_get_ligature_carets(font->hb, rtl ? HB_DIRECTION_RTL : HB_DIRECTION_LTR, glyph, 0,
                                                     &count, out);
}
