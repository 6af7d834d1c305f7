// Pango as a second opinion: where it cuts a line into runs and where it puts carets. Tests only; header-only, so that
// nothing but the tests that import it is built against Pango.
#include <stdint.h>
#include <string.h>

#include <pango/pangoft2.h>

// A run of one font, script and level. Offsets are bytes of the text.
typedef struct {
    int32_t start, end;
    int32_t level;
    char script[5];
    char family[64];
} cpango_run;

// A caret before a byte: the strong and the weak one, in 1/1024 pixels, and whether a person may stop there.
typedef struct {
    int32_t offset;
    int32_t is_stop;
    int32_t strong, weak;
} cpango_caret;

// An empty layout without wrapping in a family at a size in pixels, in English, to be freed with g_object_unref. The font map that `map`
// points at is made by the first call, to be freed likewise.
static inline PangoLayout *cpango_layout(PangoFontMap **map, const char *family, double pixels) {
    if (!*map) {
        *map = pango_ft2_font_map_new();
        pango_ft2_font_map_set_resolution(PANGO_FT2_FONT_MAP(*map), 72, 72);
    }
    PangoContext *context = pango_font_map_create_context(*map);
    pango_context_set_language(context, pango_language_from_string("en"));
    PangoLayout *layout = pango_layout_new(context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(font, family);
    pango_font_description_set_absolute_size(font, pixels * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    // The layout holds a reference of its own.
    g_object_unref(context);
    return layout;
}

// Lays out UTF-8 as one line in a family at a size in pixels, in English, with the font map that `map` points at (made by
// the first call, to be freed with g_object_unref). Fills `runs` in logical order and `carets`, one for each scalar and one
// for the end. Returns the number of runs, and of carets in `caret_count`; no more than the capacities are written.
static inline int32_t cpango_measure(
    PangoFontMap **map, const char *text, const char *family, double pixels, cpango_run *runs, int32_t run_capacity,
    cpango_caret *carets, int32_t caret_capacity, int32_t *caret_count) {
    PangoLayout *layout = cpango_layout(map, family, pixels);
    pango_layout_set_single_paragraph_mode(layout, FALSE);
    pango_layout_set_text(layout, text, -1);

    int32_t count = 0;
    PangoLayoutLine *line = pango_layout_get_line_readonly(layout, 0);
    for (GSList *at = line->runs; at; at = at->next) {
        const PangoItem *item = ((PangoLayoutRun *)at->data)->item;
        if (count == run_capacity) break;
        cpango_run *run = &runs[count++];
        memset(run, 0, sizeof *run);
        run->start = item->offset;
        run->end = item->offset + item->length;
        run->level = item->analysis.level;
        uint32_t tag = g_unicode_script_to_iso15924((GUnicodeScript)item->analysis.script);
        for (int i = 0; i < 4; i++) run->script[i] = (char)(tag >> (24 - 8 * i));
        PangoFontDescription *used = pango_font_describe(item->analysis.font);
        g_strlcpy(run->family, pango_font_description_get_family(used), sizeof run->family);
        pango_font_description_free(used);
    }
    for (int32_t i = 1; i < count; i++)
        for (int32_t j = i; j > 0 && runs[j].start < runs[j - 1].start; j--) {
            cpango_run other = runs[j];
            runs[j] = runs[j - 1];
            runs[j - 1] = other;
        }

    int attributes = 0;
    const PangoLogAttr *attribute = pango_layout_get_log_attrs_readonly(layout, &attributes);
    const char *at = text;
    *caret_count = 0;
    for (int i = 0; i < attributes && i < caret_capacity; i++) {
        PangoRectangle strong, weak;
        pango_layout_get_cursor_pos(layout, (int)(at - text), &strong, &weak);
        carets[(*caret_count)++] = (cpango_caret){
            (int32_t)(at - text), attribute[i].is_cursor_position, strong.x, weak.x};
        if (*at) at = g_utf8_next_char(at);
    }
    g_object_unref(layout);
    return count;
}

// A line: its height, and how far below its top the baseline is, in 1/1024 pixels.
typedef struct {
    int32_t height, baseline;
} cpango_line;

// The lines of Pango's markup, laid out without wrapping as by `cpango_measure`. Returns their number, and writes no more than the capacity;
// -1 if the markup is none.
static inline int32_t cpango_lines(
    PangoFontMap **map, const char *markup, const char *family, double pixels, cpango_line *lines, int32_t capacity) {
    char *text = NULL;
    PangoAttrList *attributes = NULL;
    if (!pango_parse_markup(markup, -1, 0, &attributes, &text, NULL, NULL)) return -1;
    PangoLayout *layout = cpango_layout(map, family, pixels);
    pango_layout_set_text(layout, text, -1);
    pango_layout_set_attributes(layout, attributes);
    int32_t count = 0;
    PangoLayoutIter *at = pango_layout_get_iter(layout);
    do {
        PangoRectangle logical;
        pango_layout_iter_get_line_extents(at, NULL, &logical);
        if (count < capacity)
            lines[count] = (cpango_line){logical.height, pango_layout_iter_get_baseline(at) - logical.y};
        count++;
    } while (pango_layout_iter_next_line(at));
    pango_layout_iter_free(at);
    pango_attr_list_unref(attributes);
    g_free(text);
    g_object_unref(layout);
    return count;
}
