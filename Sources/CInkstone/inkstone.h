// Inkstone in C: a text view for X11 with input methods, in windows of one's own or of other programs.
//
//     static bool happened(ink_window *window, ink_window_event event, void *display) {
//         (void)window;
//         if (event == INK_WINDOW_CLOSE) ink_display_stop((ink_display *)display);
//         return event == INK_WINDOW_CLOSE;
//     }
//
//     int main(void) {
//         ink_prepare_locale();
//         ink_display *display = ink_display_open(NULL);
//         ink_window *window = display ? ink_window_create(display, 640, 400, "Notes") : NULL;
//         ink_view *view = window ? ink_view_create(window, NULL) : NULL;
//         if (!view) return fputs(ink_error(), stderr), 1;
//         ink_view_insert(view, "Hello", SIZE_MAX);
//         ink_window_set_handler(window, happened, display);
//         ink_window_show(window);
//         ink_display_run(display);
//         ink_display_close(display);
//     }
//
// It needs <stdio.h> and <inkstone.h>, and is built by `cc notes.c $(pkg-config --cflags --libs inkstone)`, as C99 or later or as C++.
//
// Handles: a display owns its windows, a window its views. Destroying one destroys what it owns, and no callback of theirs is called any
// more; their handles must not be used afterwards. Everything may be destroyed within a callback, except a display within its own.
//
// Threads: a display and all that it owns belong to the thread that opened it, except `ink_display_post`. A call from another thread, or with
// NULL for its handle, writes a message to standard error and ends the program by `abort`.
//
// Text is UTF-8; offsets and lengths are bytes. Offsets are clamped to the text, and one within a character means its start. Text goes in
// as a pointer and a length, SIZE_MAX for a text that ends with a zero. It comes out by functions that return the length they need, without a zero at the end, and write as much
// as fits, cut at a character and ended by a zero: call with a capacity of 0 to learn the length.
//
// Errors: functions that can fail return NULL or false, and `ink_error` says why. X errors of the library's own requests end nothing. A title,
// name or command that is NULL is empty, and what is to be written to NULL is not.
//
// Callbacks are called on the display's thread, and never within the call that sets them. `context` is handed on as it is.
#ifndef INKSTONE_H
#define INKSTONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define INK_NULLABLE _Nullable
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#else
#define INK_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ink_display ink_display;
typedef struct ink_window ink_window;
typedef struct ink_view ink_view;

// The version of the library, such as "0.1.0".
const char *ink_version(void);

// What went wrong in the last call on this thread that failed, as a sentence for people; "" if none has. Borrowed until the next one.
const char *ink_error(void);

// Displays.

// Sets LC_CTYPE to a locale in UTF-8 that Xlib knows, which input methods and dead keys need: that of the program or of the environment
// if it is one. Call it before there are other threads. False if there is none; views work all the same.
bool ink_prepare_locale(void);

// Connects to an X server, to $DISPLAY if `name` is NULL.
ink_display *INK_NULLABLE ink_display_open(const char *INK_NULLABLE name);

// Uses a connection of the program, an Xlib `Display *` that outlives the handle: see `ink_display_handle_event`.
ink_display *INK_NULLABLE ink_display_adopt(void *INK_NULLABLE xlib_display);

// Destroys the windows, and closes a connection of the library's own. Accepts NULL.
void ink_display_close(ink_display *INK_NULLABLE display);

// The first way to lend the library a loop: runs one, until `ink_display_stop` or the loss of the connection. False for that loss, and with a
// connection of the program.
bool ink_display_run(ink_display *display);
void ink_display_stop(ink_display *display);

// The second way: poll this descriptor for reading, and call `ink_display_process` when it is readable and once before each wait. It becomes
// readable for timers, too.
int ink_display_descriptor(const ink_display *display);
void ink_display_process(ink_display *display);

// When `ink_display_process` has to be called at the latest, in milliseconds of CLOCK_MONOTONIC; -1 for never.
int64_t ink_display_deadline(const ink_display *display);

// The third way, with a connection of the program: pass each event (an `XEvent`) that it reads. True if the event concerned the library's
// windows alone. The loop:
//
//     struct pollfd descriptors[] = {{ConnectionNumber(xlib), POLLIN, 0}, {ink_display_descriptor(display), POLLIN, 0}};
//     XEvent event;
//     while (!ends) {
//         while (XPending(xlib)) {
//             XNextEvent(xlib, &event);
//             if (!ink_display_handle_event(display, &event)) handle(&event);
//         }
//         ink_display_process(display);
//         if (!XPending(xlib)) poll(descriptors, 2, -1);
//     }
//
// The last look is needed: requests of the library may make Xlib read events into its queue, of which no descriptor tells. They stay there for
// the program: `ink_display_process` takes none of this connection. The library's windows need no XFilterEvent, which does no harm.
bool ink_display_handle_event(ink_display *display, const void *INK_NULLABLE event);

// Calls a function on the display's thread. From any thread, while the display is open.
typedef void (*ink_work)(void *INK_NULLABLE context);
void ink_display_post(ink_display *display, ink_work INK_NULLABLE work, void *INK_NULLABLE context);

// Has screen readers read and edit the views of the display's windows (AT-SPI), as those of a program of this name: see
// `ink_view_set_accessible_name`. Without a reader it costs a question on the session's D-Bus, which nothing waits for. The first call counts.
void ink_display_start_accessibility(ink_display *display, const char *INK_NULLABLE program);

// Windows.

// A top-level window of an extent in pixels, from 1 to 32767 each way. Not yet shown.
ink_window *INK_NULLABLE ink_window_create(
    ink_display *display, int width, int height, const char *INK_NULLABLE title);

// A child of a window of any client of the server; places and extents are in pixels of that window. It takes the X focus when it is clicked.
ink_window *INK_NULLABLE ink_window_create_child(
    ink_display *display, uint32_t parent, int x, int y, int width, int height);

// A plug: a window that fills a window of another program, by XEmbed where that speaks it. With 0 it stays out of sight until a host takes
// it by its number.
ink_window *INK_NULLABLE ink_window_create_plug(ink_display *display, uint32_t host);

// Accepts NULL.
void ink_window_destroy(ink_window *INK_NULLABLE window);

// The window's number on the server.
uint32_t ink_window_xid(const ink_window *window);

void ink_window_show(ink_window *window);
void ink_window_hide(ink_window *window);
void ink_window_set_title(ink_window *window, const char *INK_NULLABLE title);

// Moves a child in its parent and resizes it; of a top-level window the extent alone is asked for.
void ink_window_set_frame(ink_window *window, int x, int y, int width, int height);

typedef enum {
    // The user asks for the window to be closed. By default it is hidden, and a loop goes on.
    INK_WINDOW_CLOSE = 1,
    // The X window is gone with its parent. The handle is still to be destroyed.
    INK_WINDOW_GONE = 2,
    // The host has let go of a plug, or has died; the window is out of sight until another host takes it.
    INK_WINDOW_UNPLUGGED = 3,
    // Views are to be placed, since the extent is another, or there is a view more. By default the first one fills the window, unless
    // `ink_view_set_frame` has placed it.
    INK_WINDOW_RESIZED = 4,
    // `ink_window_get_accessible_id` gives something else: a screen reader begins or has ended.
    INK_WINDOW_ACCESSIBLE_ID = 5
} ink_window_event;

// Sets or, with NULL, removes the window's handler. It returns false for what is to go on by default.
typedef bool (*ink_window_handler)(ink_window *window, ink_window_event event, void *INK_NULLABLE context);
void ink_window_set_handler(
    ink_window *window, ink_window_handler INK_NULLABLE handler, void *INK_NULLABLE context);

// The window's extent in pixels.
void ink_window_get_size(const ink_window *window, int *INK_NULLABLE width, int *INK_NULLABLE height);

// The window's place on the accessibility bus as "NAME:PATH", by which a host takes it for a child of one of its objects: `atk_socket_embed` and
// `gtk_socket_accessible_embed` want it like this. Empty while no reader runs, and before `ink_display_start_accessibility`. The result and
// the buffer are as with `ink_view_get_text`.
size_t ink_window_get_accessible_id(const ink_window *window, char *INK_NULLABLE buffer, size_t capacity);

// Names the object of a host in which readers find the window, by the connection's name on the accessibility bus and its path there; NULL for
// the window as one of its own program. The sockets above do that themselves. It ends when the host leaves the bus. False, and nothing
// changes, if D-Bus has no such name or path, or the name is that of the program itself.
bool ink_window_set_accessible_parent(
    ink_window *window, const char *INK_NULLABLE bus_name, const char *INK_NULLABLE path);

// Views.

typedef enum {
    INK_TAB_INSERTS = 0,
    INK_TAB_MOVES_FOCUS = 1
} ink_tab_behavior;

// Set by `ink_view_options_init` before anything else. Strings are copied.
typedef struct {
    // Of the structure, in bytes: programs of later versions have more fields.
    size_t size;
    bool is_editable, is_single_line, is_secure, wraps_lines;
    ink_tab_behavior tab;
    // The most characters that the user may have in it; -1 for any number.
    int64_t maximum_length;
    // Shown while there is no text; NULL for nothing.
    const char *INK_NULLABLE placeholder;
    // A fontconfig pattern such as "DejaVu Sans:bold", NULL for monospaced text; and its size, 1 to 1000 pixels at scale 1.
    const char *INK_NULLABLE font;
    double font_size;
} ink_view_options;

// Sets the options to their defaults: editable text of several lines that are wrapped. `size` is that of the structure.
void ink_view_options_init(ink_view_options *options, size_t size);

// A view in a window. The first one fills it, and has the focus in it. NULL for the default options. The window's handler is called meanwhile,
// with INK_WINDOW_RESIZED.
ink_view *INK_NULLABLE ink_view_create(ink_window *window, const ink_view_options *INK_NULLABLE options);

// If the view has the window's keys, the one that was made after it gets them, or the last one. Accepts NULL.
void ink_view_destroy(ink_view *INK_NULLABLE view);

// False, and nothing changes, if an option is out of range.
bool ink_view_set_options(ink_view *view, const ink_view_options *INK_NULLABLE options);

// Places the view in its window, in pixels. The first one does not fill the window by itself any more.
void ink_view_set_frame(ink_view *view, int x, int y, int width, int height);

// Sends the window's keys to the view. False if the view that has them keeps them.
bool ink_view_focus(ink_view *view);

// Whether keys go to the view now: the window has the X focus, and the view the window's keys.
bool ink_view_is_focused(const ink_view *view);

// What a screen reader calls the view: the words of a label beside it, say. It has none at first.
void ink_view_set_accessible_name(ink_view *view, const char *INK_NULLABLE name);

// Bytes of the text.
size_t ink_view_length(const ink_view *view);

// The text from `start` to `end`; SIZE_MAX is the end.
size_t ink_view_get_text(const ink_view *view, size_t start, size_t end, char *INK_NULLABLE buffer, size_t capacity);

// Replaces text as the program's edit, one step of undo, whatever the options let the user do. What touches text being composed is made when
// that is done. False for a length without a text.
bool ink_view_replace(ink_view *view, size_t start, size_t end, const char *INK_NULLABLE text, size_t length);

// Types text over the selection, as the user may: as much of it as the maximum length has room for. False if nothing goes in.
bool ink_view_insert(ink_view *view, const char *INK_NULLABLE text, size_t length);

// The primary selected range: where it began, and where the caret is. False if nothing is selected and there is no caret.
bool ink_view_get_selection(const ink_view *view, size_t *INK_NULLABLE anchor, size_t *INK_NULLABLE head);

// Selects a range, and scrolls to its head.
void ink_view_select(ink_view *view, size_t anchor, size_t head);

// Gives a range an attribute, or with a value of NULL takes it away. Names and values:
//   "family"      a font family                          "foreground", "background"    "#rrggbb" or "#rrggbbaa"
//   "size"        1 to 1000 pixels at scale 1            "underline", "strikethrough"  "single", "thick", "double", "dotted", "dashed",
//   "weight"      0 to 1000 as fontconfig counts, or                                   "wavy"
//                 "normal", "bold"                       "slant"                       "roman", "italic", "oblique"
// False for other names and values.
bool ink_view_set_attribute(
    ink_view *view, size_t start, size_t end, const char *INK_NULLABLE name, const char *INK_NULLABLE value);

// Performs a command by its name, which is that of Apple's selector where there is one. False if the view does not know it, or it does nothing
// now. The names:
//   Moving the caret; each with "AndModifySelection" behind it selects on the way:
//     moveLeft moveRight moveForward moveBackward moveUp moveDown moveWordLeft moveWordRight moveWordForward moveWordBackward
//     moveToBeginningOfLine moveToEndOfLine moveToLeftEndOfLine moveToRightEndOfLine moveToBeginningOfParagraph moveToEndOfParagraph
//     moveParagraphForward moveParagraphBackward moveToBeginningOfDocument moveToEndOfDocument pageUp pageDown
//   Scrolling, while the caret stays:
//     scrollLineUp scrollLineDown scrollPageUp scrollPageDown scrollToBeginningOfDocument scrollToEndOfDocument centerSelectionInVisibleArea
//   Selecting:
//     selectAll selectWord selectLine selectParagraph setMark selectToMark swapWithMark cancelOperation addCaretAbove addCaretBelow
//     selectNextMatch splitSelectionIntoLines selectColumnUp selectColumnDown selectColumnLeft selectColumnRight
//   Inserting:
//     insertNewline insertLineBreak insertParagraphSeparator insertTab insertBacktab insertNewlineIgnoringFieldEditor
//     insertTabIgnoringFieldEditor indent outdent
//   Deleting:
//     deleteBackward deleteForward deleteBackwardByDecomposingPreviousCharacter deleteWordBackward deleteWordForward deleteToBeginningOfLine
//     deleteToEndOfLine deleteToBeginningOfParagraph deleteToEndOfParagraph deleteToMark delete
//   Changing text and lines:
//     transpose transposeWords uppercaseWord lowercaseWord capitalizeWord moveLinesUp moveLinesDown duplicateLines deleteLines joinLines
//     sortLines toggleOverwriteMode makeBaseWritingDirectionNatural makeBaseWritingDirectionLeftToRight makeBaseWritingDirectionRightToLeft
//   Clipboard and undo:
//     copy cut paste pasteSelection pasteAsPlainText yank undo redo noop
//   Styles of text and paragraphs:
//     toggleBoldface toggleItalics toggleUnderline toggleStrikethrough superscript subscript clearFormatting alignLeft alignRight alignCenter
//     alignJustified toggleBulletedList toggleNumberedList toggleChecklist toggleCheckbox restartList continueList
//   Of the window, by keys and its menu alone:
//     selectNextKeyView selectPreviousKeyView showContextMenuForSelection toggleLoupe insertCharacterByCode
//   Of the program: keys ask its handler about them, see `ink_view_set_command_handler`:
//     newDocument openDocument openRecentDocument saveDocument saveDocumentAs printDocument performClose terminate find findAndReplace
//     findOrNext findNext findPrevious findPrimary goToLine makeTextLarger makeTextSmaller makeTextStandardSize toggleFullScreen showMenu
//     showHelp openLink
bool ink_view_perform(ink_view *view, const char *INK_NULLABLE command);

// The caret in pixels of the window. False if there is none.
bool ink_view_get_caret(
    const ink_view *view, int *INK_NULLABLE x, int *INK_NULLABLE y, int *INK_NULLABLE width, int *INK_NULLABLE height);

enum {
    INK_CHANGED_TEXT = 1,
    INK_CHANGED_SELECTION = 2,
    INK_CHANGED_MARKED_TEXT = 4,
    INK_CHANGED_SCROLLING = 8,
    INK_CHANGED_GEOMETRY = 16,
    INK_CHANGED_FOCUS = 32,
    INK_CHANGED_MODE = 64
};

// A change of a view, by whomever: what the user types, and what the program does. With INK_CHANGED_TEXT, `old_length` bytes at `start` have
// become `new_length` bytes, or their attributes are others.
typedef struct {
    size_t size;
    uint32_t kinds;
    size_t start, old_length, new_length;
} ink_change;

// Called after each change. The structure is borrowed for the call.
typedef void (*ink_change_handler)(ink_view *view, const ink_change *change, void *INK_NULLABLE context);
void ink_view_set_change_handler(
    ink_view *view, ink_change_handler INK_NULLABLE handler, void *INK_NULLABLE context);

// Asked about each command of the user's that the view does not do, such as "saveDocument" (Ctrl+S), or "insertNewline" (Return) in a view of a
// single line: returns whether it is done.
typedef bool (*ink_command_handler)(ink_view *view, const char *command, void *INK_NULLABLE context);
void ink_view_set_command_handler(
    ink_view *view, ink_command_handler INK_NULLABLE handler, void *INK_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __clang__
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif
#endif
