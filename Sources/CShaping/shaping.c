#include "CShaping.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <hb.h>

#include "internal.h"

// Returns HarfBuzz's language for a tag. HarfBuzz never frees a language that it was asked for. So the number of
// languages is limited; for further ones, only the script of the text counts.
static hb_language_t language_of(cshaping_context *context, const char *language) {
    if (!language) return HB_LANGUAGE_INVALID;
    // Search the known tags first, because hb_language_from_string searches a list, and the same tag usually
    // follows.
    for (int i = 0; i < context->language_count; i++) {
        int at = (context->last_language + i) % context->language_count;
        if (strcmp(context->language_tags[at], language) != 0) continue;
        context->last_language = at;
        return context->languages[at];
    }
    if (context->language_count == LANGUAGE_CAPACITY) return HB_LANGUAGE_INVALID;
    char *tag = strdup(language);
    if (!tag) return HB_LANGUAGE_INVALID;
    context->last_language = context->language_count++;
    context->language_tags[context->last_language] = tag;
    return context->languages[context->last_language] = hb_language_from_string(language, -1);
}

// Returns a plan for shaping. hb_shape searches for its plan at each call, among all plans that the face ever had.
// That takes a noticeable time, because words are short, and a text from elsewhere may request other features in
// each line. So a font keeps the plans that were created last.
static hb_shape_plan_t *plan_for(cshaping_font *font, const hb_segment_properties_t *props,
                                 const hb_feature_t *features, unsigned count) {
    for (int i = 0; i < font->plan_count; i++) {
        const shape_plan *known = &font->plans[i];
        if (hb_segment_properties_equal(&known->props, props) && known->feature_count == count &&
            (count == 0 || memcmp(known->features, features, count * sizeof *features) == 0))
            return known->plan;
    }
    hb_feature_t *copy = count > 0 ? malloc(count * sizeof *copy) : NULL;
    if (copy) memcpy(copy, features, count * sizeof *copy);
    shape_plan *slot = &font->plans[font->next_plan];
    shape_plan_release(slot);
    font->next_plan = (font->next_plan + 1) % PLAN_CAPACITY;
    if (font->plan_count < PLAN_CAPACITY) font->plan_count++;
    // Without memory for its features, give the plan an impossible count, so that it is never found again.
    *slot = (shape_plan){*props, copy, copy || count == 0 ? count : UINT_MAX,
                         hb_shape_plan_create(hb_font_get_face(font->hb), props, features, count, NULL)};
    return slot->plan;
}

void shape_plan_release(shape_plan *plan) {
    free(plan->features);
    hb_shape_plan_destroy(plan->plan);
    *plan = (shape_plan){0};
}

// Limits a position. A font may move a glyph by any number of 32 bits, but Xft's coordinates have 16 bits, in whole
// pixels.
static int32_t clamp_position(hb_position_t position) {
    const hb_position_t most = (1 << 15) * 64;
    return position > most ? most : position < -most ? -most : position;
}

int32_t cshaping_shape(cshaping_context *context, cshaping_font *font, const uint16_t *text, int32_t length,
                       int32_t offset, int32_t count, uint32_t script, bool rtl, const char *language,
                       const cshaping_feature *features, int32_t feature_count, const cshaping_glyph **out) {
    hb_buffer_t *buffer = context->buffer;
    hb_buffer_clear_contents(buffer);
    hb_buffer_add_utf16(buffer, text, length, (unsigned)offset, count);
    hb_segment_properties_t props = HB_SEGMENT_PROPERTIES_DEFAULT;
    props.direction = rtl ? HB_DIRECTION_RTL : HB_DIRECTION_LTR;
    props.script = hb_script_from_iso15924_tag(script);
    props.language = language_of(context, language);
    hb_buffer_set_segment_properties(buffer, &props);

    hb_feature_t own[64];
    unsigned used = 0;
    for (; used < (unsigned)feature_count && used < 64; used++)
        own[used] = (hb_feature_t){
            features[used].tag, features[used].value, HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END};
    hb_shape_plan_execute(plan_for(font, &props, own, used), font->hb, buffer, own, used);

    unsigned n = 0;
    const hb_glyph_info_t *info = hb_buffer_get_glyph_infos(buffer, &n);
    const hb_glyph_position_t *position = hb_buffer_get_glyph_positions(buffer, &n);
    if (n > context->capacity) {
        free(context->glyphs);
        context->capacity = n * 2;
        context->glyphs = malloc(context->capacity * sizeof(cshaping_glyph));
        if (!context->glyphs) {
            context->capacity = 0;
            *out = NULL;
            return 0;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        cshaping_glyph *g = &context->glyphs[i];
        g->glyph = info[i].codepoint;
        g->cluster = (int32_t)info[i].cluster;
        g->advance = clamp_position(position[i].x_advance);
        g->dx = clamp_position(position[i].x_offset);
        g->dy = clamp_position(position[i].y_offset);
        g->flags = info[i].mask & HB_GLYPH_FLAG_UNSAFE_TO_BREAK;
    }
    *out = context->glyphs;
    return (int32_t)n;
}

uint32_t cshaping_script(uint32_t scalar) { return hb_unicode_script(hb_unicode_funcs_get_default(), scalar); }

bool cshaping_script_is_rtl(uint32_t script) {
    return hb_script_get_horizontal_direction((hb_script_t)script) == HB_DIRECTION_RTL;
}

bool cshaping_is_mark(uint32_t scalar) {
    switch (hb_unicode_general_category(hb_unicode_funcs_get_default(), scalar)) {
    case HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_FORMAT: return true;
    default: return false;
    }
}

bool cshaping_is_nonspacing(uint32_t scalar) {
    hb_unicode_general_category_t category = hb_unicode_general_category(hb_unicode_funcs_get_default(), scalar);
    return category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
           category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
}

bool cshaping_is_virama(uint32_t scalar) {
    return hb_unicode_combining_class(hb_unicode_funcs_get_default(), scalar) == HB_UNICODE_COMBINING_CLASS_VIRAMA;
}

uint32_t cshaping_compose(uint32_t a, uint32_t b) {
    hb_codepoint_t ab = 0;
    return hb_unicode_compose(hb_unicode_funcs_get_default(), a, b, &ab) ? ab : 0;
}
