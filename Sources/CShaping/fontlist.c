#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fontconfig/fontconfig.h>
#include <hb.h>

#include "internal.h"

// All installed fonts in the order of preference for a request. Shared by the process, on any thread, and never
// changed.
typedef struct font_order {
    struct font_order *next;
    // The request without its size, and the configuration for which it was sorted. The configuration is retained,
    // so that another one cannot get its address.
    FcConfig *config;
    FcPattern *request;
    FcFontSet *fonts;
    int users;
} font_order;

struct cshaping_fontlist {
    FcPattern *request;
    font_order *order;
    FcFontSet *fonts;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static font_order *orders;

static bool is_prepared;

static void prepare(void) { is_prepared = FcInit(); }

bool cshaping_fonts_prepare(void) {
    // Prepare only once: if two threads need the configuration first, fontconfig lets each read it, and discards one of
    // the two results.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    return is_prepared;
}

// Adds the values of some settings to a request: for each object that the request does not have, the first value.
static void add_settings(FcPattern *request, const char *settings) {
    FcPattern *wanted = settings ? FcNameParse((const FcChar8 *)settings) : NULL;
    if (!wanted) return;
    FcPatternIter at;
    FcPatternIterStart(wanted, &at);
    do {
        const char *object = FcPatternIterGetObject(wanted, &at);
        FcValue value;
        if (object && FcPatternGet(request, object, 0, &value) != FcResultMatch &&
            FcPatternGet(wanted, object, 0, &value) == FcResultMatch)
            FcPatternAdd(request, object, value, FcTrue);
    } while (FcPatternIterNext(wanted, &at));
    FcPatternDestroy(wanted);
}

static void destroy_order(font_order *order) {
    if (order->fonts) FcFontSetDestroy(order->fonts);
    if (order->request) FcPatternDestroy(order->request);
    if (order->config) FcConfigDestroy(order->config);
    free(order);
}

// Whether the order of the fonts may differ for other sizes: bitmap fonts and some outline fonts are meant for fixed
// sizes.
static bool depends_on_size(const FcFontSet *fonts) {
    for (int i = 0; i < fonts->nfont; i++) {
        FcBool scalable;
        FcValue size;
        if (FcPatternGetBool(fonts->fonts[i], FC_SCALABLE, 0, &scalable) != FcResultMatch || !scalable ||
            FcPatternGet(fonts->fonts[i], FC_SIZE, 0, &size) == FcResultMatch)
            return true;
    }
    return false;
}

// Sorts all fonts for a request, or finds the existing order for a request that differs only in the size. Returns
// null if there is none.
static font_order *sort(FcPattern *request) {
    font_order *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->users = 1;
    made->config = FcConfigReference(NULL);
    made->request = FcPatternDuplicate(request);
    if (made->request) {
        FcPatternDel(made->request, FC_PIXEL_SIZE);
        FcPatternDel(made->request, FC_SIZE);
        pthread_mutex_lock(&lock);
        for (font_order *known = orders; known; known = known->next) {
            if (known->config != made->config || !FcPatternEqual(known->request, made->request)) continue;
            known->users++;
            pthread_mutex_unlock(&lock);
            destroy_order(made);
            return known;
        }
        pthread_mutex_unlock(&lock);
    }
    FcResult result;
    made->fonts = FcFontSort(made->config, request, FcFalse, NULL, &result);
    if (!made->fonts || made->fonts->nfont == 0) {
        destroy_order(made);
        return NULL;
    }
    if (made->request && !depends_on_size(made->fonts)) {
        pthread_mutex_lock(&lock);
        made->next = orders;
        orders = made;
        pthread_mutex_unlock(&lock);
    }
    return made;
}

static void release(font_order *order) {
    pthread_mutex_lock(&lock);
    bool is_last = --order->users == 0;
    for (font_order **at = &orders; is_last && *at; at = &(*at)->next) {
        if (*at != order) continue;
        *at = order->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    if (is_last) destroy_order(order);
}

// Returns the request for a style: a parsed pattern, or a pattern with the name of a family as it is.
static FcPattern *make_request(const char *family, bool is_pattern) {
    if (is_pattern) return FcNameParse((const FcChar8 *)family);
    FcPattern *request = FcPatternCreate();
    if (request && *family) FcPatternAddString(request, FC_FAMILY, (const FcChar8 *)family);
    return request;
}

bool cshaping_pattern_is_valid(const char *pattern) {
    FcPattern *parsed = FcNameParse((const FcChar8 *)pattern);
    if (parsed) FcPatternDestroy(parsed);
    return parsed;
}

cshaping_fontlist *cshaping_fontlist_create(const char *family, bool is_pattern, double pixel_size, double weight,
                                            int slant, const char *language, const char *settings) {
    cshaping_fonts_prepare();
    FcPattern *request = make_request(family, is_pattern);
    if (!request) return NULL;
    FcPatternDel(request, FC_PIXEL_SIZE);
    FcPatternAddDouble(request, FC_PIXEL_SIZE, pixel_size);
    if (weight >= 0) {
        FcPatternDel(request, FC_WEIGHT);
        FcPatternAddDouble(request, FC_WEIGHT, weight);
    }
    if (slant >= 0) {
        FcPatternDel(request, FC_SLANT);
        FcPatternAddInteger(request, FC_SLANT, slant);
    }
    if (language) {
        FcPatternDel(request, FC_LANG);
        FcPatternAddString(request, FC_LANG, (const FcChar8 *)language);
    }
    FcConfigSubstitute(NULL, request, FcMatchPattern);
    add_settings(request, settings);
    FcDefaultSubstitute(request);

    cshaping_fontlist *list = malloc(sizeof *list);
    font_order *order = list ? sort(request) : NULL;
    if (!order) {
        free(list);
        FcPatternDestroy(request);
        return NULL;
    }
    *list = (cshaping_fontlist){request, order, order->fonts};
    return list;
}

void cshaping_fontlist_destroy(cshaping_fontlist *list) {
    if (!list) return;
    release(list->order);
    FcPatternDestroy(list->request);
    free(list);
}

bool cshaping_fontlist_is_shared(const cshaping_fontlist *list) {
    pthread_mutex_lock(&lock);
    bool is_shared = list->order->users > 1;
    pthread_mutex_unlock(&lock);
    return is_shared;
}

int32_t cshaping_fontlist_count(const cshaping_fontlist *list) { return list->fonts->nfont; }

bool cshaping_fontlist_covers(const cshaping_fontlist *list, int32_t index, uint32_t scalar) {
    FcCharSet *charset;
    return FcPatternGetCharSet(list->fonts->fonts[index], FC_CHARSET, 0, &charset) == FcResultMatch &&
           FcCharSetHasChar(charset, scalar);
}

bool cshaping_fontlist_is_color(const cshaping_fontlist *list, int32_t index) {
    FcBool color;
    return FcPatternGetBool(list->fonts->fonts[index], FC_COLOR, 0, &color) == FcResultMatch && color;
}

const char *cshaping_fontlist_name(const cshaping_fontlist *list, int32_t index) {
    FcChar8 *name;
    if (FcPatternGetString(list->fonts->fonts[index], FC_POSTSCRIPT_NAME, 0, &name) == FcResultMatch)
        return (const char *)name;
    return NULL;
}

bool cshaping_fontlist_writes(const cshaping_fontlist *list, uint32_t script) {
    FcChar8 *language;
    for (int i = 0; FcPatternGetString(list->request, FC_LANG, i, &language) == FcResultMatch; i++) {
        const FcCharSet *letters = FcLangGetCharSet(language);
        if (!letters) continue;
        FcChar32 map[FC_CHARSET_MAP_SIZE], next;
        for (FcChar32 page = FcCharSetFirstPage(letters, map, &next); page != FC_CHARSET_DONE;
             page = FcCharSetNextPage(letters, map, &next))
            for (FcChar32 at = 0; at < 32 * FC_CHARSET_MAP_SIZE; at++)
                if (map[at / 32] >> at % 32 & 1 && cshaping_script(page + at) == script) return true;
    }
    return false;
}

char *cshaping_fontlist_pattern(cshaping_fontlist *list, int32_t index) {
    FcPattern *full = FcFontRenderPrepare(NULL, list->request, list->fonts->fonts[index]);
    if (!full) return NULL;
    static const char *const kept[] = {
        FC_FAMILY, FC_STYLE, FC_FILE, FC_INDEX, FC_PIXEL_SIZE, FC_ASPECT, FC_ANTIALIAS, FC_HINTING, FC_HINT_STYLE,
        FC_AUTOHINT, FC_RGBA, FC_LCD_FILTER, FC_EMBEDDED_BITMAP, FC_EMBOLDEN, FC_MATRIX, FC_GLOBAL_ADVANCE,
        FC_SPACING, FC_MINSPACE, FC_CHAR_WIDTH, FC_SCALABLE, FC_OUTLINE, FC_COLOR, FC_VARIABLE, FC_FONT_VARIATIONS,
    };
    double size = 0;
    FcPatternGetDouble(full, FC_PIXEL_SIZE, 0, &size);
    bool color = cshaping_fontlist_is_color(list, index);
    FcPattern *slim = FcPatternCreate();
    for (size_t i = 0; slim && i < sizeof kept / sizeof *kept; i++) {
        FcValue value;
        if (FcPatternGet(full, kept[i], 0, &value) != FcResultMatch) continue;
        // Do not embolden colour bitmaps: FreeType does not change them, but widens their advances, by an amount
        // that depends on its version.
        if (color && strcmp(kept[i], FC_EMBOLDEN) == 0) continue;
        // Omit an extreme matrix, because Xft does not check it.
        if (value.type == FcTypeMatrix && !cshaping_matrix_is_sane(value.u.m, size)) continue;
        FcPatternAdd(slim, kept[i], value, FcTrue);
    }
    FcPatternDestroy(full);
    if (!slim) return NULL;
    char *text = (char *)FcNameUnparse(slim);
    FcPatternDestroy(slim);
    return text;
}

bool cshaping_family_exists(const char *family, bool is_pattern) {
    cshaping_fonts_prepare();
    FcPattern *request = make_request(family, is_pattern);
    FcPattern *wanted = FcPatternCreate();
    FcObjectSet *objects = FcObjectSetBuild(FC_FAMILY, (char *)0);
    FcFontSet *found = NULL;
    FcChar8 *name;
    if (request && wanted && objects) {
        for (int i = 0; FcPatternGetString(request, FC_FAMILY, i, &name) == FcResultMatch; i++) {
            FcPatternDel(wanted, FC_FAMILY);
            FcPatternAddString(wanted, FC_FAMILY, name);
            if (found) FcFontSetDestroy(found);
            found = FcFontList(NULL, wanted, objects);
            if (found && found->nfont > 0) break;
        }
    }
    bool exists = found && found->nfont > 0;
    if (found) FcFontSetDestroy(found);
    if (objects) FcObjectSetDestroy(objects);
    if (wanted) FcPatternDestroy(wanted);
    if (request) FcPatternDestroy(request);
    return exists;
}

bool cshaping_language_is_known(const char *language) {
    FcStrSet *all = FcGetLangs();
    bool known = all && FcStrSetMember(all, (const FcChar8 *)language);
    if (all) FcStrSetDestroy(all);
    return known;
}


int cshaping_fonts_version(void) { return FcGetVersion(); }

static bool append(char **text, size_t *length, FcStrList *names) {
    if (!names) return false;
    bool fits = true;
    for (const FcChar8 *name; fits && (name = FcStrListNext(names));) {
        size_t count = strlen((const char *)name);
        char *longer = realloc(*text, *length + count + 2);
        fits = longer;
        if (!longer) break;
        memcpy(longer + *length, name, count);
        *length += count;
        longer[(*length)++] = '\n';
        longer[*length] = 0;
        *text = longer;
    }
    FcStrListDone(names);
    return fits;
}

char *cshaping_fonts_sources(void) {
    cshaping_fonts_prepare();
    size_t length = 0;
    char *text = calloc(1, 1);
    if (text && append(&text, &length, FcConfigGetConfigFiles(NULL)) &&
        append(&text, &length, FcConfigGetConfigDirs(NULL)) && append(&text, &length, FcConfigGetFontDirs(NULL)))
        return text;
    free(text);
    return NULL;
}

void cshaping_free(char *string) { free(string); }

char *cshaping_families(void) {
    cshaping_fonts_prepare();
    char *list = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&list, &length);
    FcPattern *any = FcPatternCreate();
    FcObjectSet *objects = FcObjectSetBuild(FC_FAMILY, (char *)0);
    FcFontSet *found = out && any && objects ? FcFontList(NULL, any, objects) : NULL;
    for (int i = 0; found && i < found->nfont; i++) {
        FcChar8 *name;
        if (FcPatternGetString(found->fonts[i], FC_FAMILY, 0, &name) != FcResultMatch) continue;
        for (const char *c = (const char *)name; *c; c++) {
            if (strchr("\\-:,", *c)) fputc('\\', out);
            if (*c != '\n') fputc(*c, out);
        }
        fputc('\n', out);
    }
    if (found) FcFontSetDestroy(found);
    if (objects) FcObjectSetDestroy(objects);
    if (any) FcPatternDestroy(any);
    if (out) fclose(out);
    return list;
}
