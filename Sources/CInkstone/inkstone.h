// Inkstone in C: a text view for X11 with input methods, in the program's own windows or in windows of other programs.
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
// The example needs <stdio.h> and <inkstone.h>. Compile it with `cc notes.c $(pkg-config --cflags --libs inkstone)`, as
// C99 or later, or as C++.
//
// Handles: a display owns its windows, and a window owns its views. Destroying an object also destroys the objects that
// it owns. Their callbacks are not called any more, and their handles must not be used any more. A callback may destroy
// any object, except that a display must not be closed in a callback of its own.
//
// Threads: a display, its windows and its views belong to the thread that opened the display; only `ink_display_post`
// may be called on other threads. If another function is called on another thread, or with NULL as its handle, the
// library writes a message to standard error and ends the program by `abort`.
//
// Text is UTF-8. Offsets and lengths are in bytes. An offset beyond the end is moved to the end of the text, and an
// offset within a character to the start of the character. Text is passed as a pointer and a length; SIZE_MAX means
// that the text ends with a zero byte. A function that returns text writes as much of it as the buffer has room for,
// cuts it between characters, and adds a zero byte. It returns the length of the whole text without the zero byte: call
// it with a capacity of 0 to get the length.
//
// Errors: a function that fails returns NULL or false, and `ink_error` returns the reason. An X error of a request that
// the library has made does not end the program. A title, name or command that is NULL counts as empty. A result is not
// stored if the pointer for it is NULL.
//
// Callbacks are called on the display's thread, but never by the call that sets them. They get the pointer `context`
// unchanged.
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

// The reason why the last failed call on this thread has failed, as a sentence for people; "" if no call has failed.
// The string is valid until the next call on this thread fails.
const char *ink_error(void);

// Displays.

// Sets LC_CTYPE to a UTF-8 locale that Xlib supports, because input methods and dead keys need one: to the program's
// present locale if it is one, else to that of the environment, else to C.UTF-8 or en_US.UTF-8. Call this before the
// program has other threads. Returns false if none of these locales can be used; views work without one too.
bool ink_prepare_locale(void);

// Connects to the X server called `name`; if `name` is NULL, to that of $DISPLAY.
ink_display *INK_NULLABLE ink_display_open(const char *INK_NULLABLE name);

// Uses a connection of the program: an Xlib `Display *`, which must stay open as long as the handle exists. The program
// passes the events of this connection to `ink_display_handle_event`.
ink_display *INK_NULLABLE ink_display_adopt(void *INK_NULLABLE xlib_display);

// Destroys the windows, and closes the connection if the library has opened it. Does nothing for NULL.
void ink_display_close(ink_display *INK_NULLABLE display);

// The first of three ways to handle events: runs an event loop until `ink_display_stop` is called or the connection is
// lost. Returns false if the connection was lost. Also returns false, at once, for a connection of the program.
bool ink_display_run(ink_display *display);
void ink_display_stop(ink_display *display);

// The second way: poll this descriptor for reading. Call `ink_display_process` when it is readable, and once before
// each wait. The descriptor also becomes readable when a timer expires.
int ink_display_descriptor(const ink_display *display);
void ink_display_process(ink_display *display);

// The time by which `ink_display_process` has to be called, in milliseconds of CLOCK_MONOTONIC; -1 if there is none.
int64_t ink_display_deadline(const ink_display *display);

// The third way, for a connection of the program: pass each event (an `XEvent`) that the program reads. Returns true if
// the event concerned only the library's windows. The loop:
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
// The last check is needed. Requests of the library may make Xlib read events into its queue, and then no descriptor is
// readable. These events stay in the queue for the program: `ink_display_process` takes no events of this connection.
// The library's windows do not need XFilterEvent, but calling it does no harm.
bool ink_display_handle_event(ink_display *display, const void *INK_NULLABLE event);

// Calls a function later, on the display's thread. May be called on any thread while the display is open.
typedef void (*ink_work)(void *INK_NULLABLE context);
void ink_display_post(ink_display *display, ink_work INK_NULLABLE work, void *INK_NULLABLE context);

// Lets screen readers read and edit the views of the display's windows (AT-SPI). `program` is the name of the program
// for them; `ink_view_set_accessible_name` sets the name of a view. While no screen reader runs, the cost is an idle
// connection to the session's D-Bus, with a thread of its own, and one request on it, which does not block. Later calls
// for the same display have no effect.
void ink_display_start_accessibility(ink_display *display, const char *INK_NULLABLE program);

// Windows.

// Creates a top-level window. Width and height are in pixels, from 1 to 32767. Call `ink_window_show` to show it.
ink_window *INK_NULLABLE ink_window_create(
    ink_display *display, int width, int height, const char *INK_NULLABLE title);

// Creates a child of the window `parent`, which may belong to any client of the server. Position and size are in pixels
// of that window. The child takes the X focus when it is clicked.
ink_window *INK_NULLABLE ink_window_create_child(
    ink_display *display, uint32_t parent, int x, int y, int width, int height);

// Creates a plug: a window that fills the window `host` of another program, by XEmbed if that program supports it. If
// `host` is 0, the plug stays off the screen until a host embeds it by the number that `ink_window_xid` returns.
ink_window *INK_NULLABLE ink_window_create_plug(ink_display *display, uint32_t host);

// Destroys a window and its views. Does nothing for NULL.
void ink_window_destroy(ink_window *INK_NULLABLE window);

// The window's ID on the server.
uint32_t ink_window_xid(const ink_window *window);

void ink_window_show(ink_window *window);
void ink_window_hide(ink_window *window);
void ink_window_set_title(ink_window *window, const char *INK_NULLABLE title);

// Moves and resizes a child within its parent. For a top-level window, only requests the size; `x` and `y` are ignored.
void ink_window_set_frame(ink_window *window, int x, int y, int width, int height);

typedef enum {
    // The user asks to close the window. By default, the window is hidden, and a running event loop continues.
    INK_WINDOW_CLOSE = 1,
    // The X window was destroyed, for example together with its parent. The handle still has to be destroyed.
    INK_WINDOW_GONE = 2,
    // The host has released a plug, or has died. The window is off the screen until another host embeds it.
    INK_WINDOW_UNPLUGGED = 3,
    // The views have to be placed, because the size of the window has changed, or a view was created. By default, the
    // first view fills the window, unless `ink_view_set_frame` has placed it.
    INK_WINDOW_RESIZED = 4,
    // The result of `ink_window_get_accessible_id` has changed, because a screen reader has started or ended.
    INK_WINDOW_ACCESSIBLE_ID = 5
} ink_window_event;

// Sets the window's handler, or removes it if `handler` is NULL. The handler returns false to leave the event to the
// default action.
typedef bool (*ink_window_handler)(ink_window *window, ink_window_event event, void *INK_NULLABLE context);
void ink_window_set_handler(
    ink_window *window, ink_window_handler INK_NULLABLE handler, void *INK_NULLABLE context);

// Gets the window's size in pixels.
void ink_window_get_size(const ink_window *window, int *INK_NULLABLE width, int *INK_NULLABLE height);

// Gets the window's identifier on the accessibility bus, as "NAME:PATH". A host passes it to `atk_socket_embed` or
// `gtk_socket_accessible_embed`, to make the window a child of one of its objects. Empty while no screen reader runs,
// and before `ink_display_start_accessibility`. Writes to the buffer, and returns a length, as `ink_view_get_text`
// does.
size_t ink_window_get_accessible_id(const ink_window *window, char *INK_NULLABLE buffer, size_t capacity);

// Sets the object of a host in which screen readers find the window: `bus_name` is the name of the host's connection on
// the accessibility bus, and `path` the path of the object. If one of them is NULL, the window is found in its own
// program. The sockets named above set the object by themselves. The setting ends when the host leaves the bus. Returns
// false, and changes nothing, if the name or the path is not valid in D-Bus, or if the name is that of this program.
bool ink_window_set_accessible_parent(
    ink_window *window, const char *INK_NULLABLE bus_name, const char *INK_NULLABLE path);

// Views.

typedef enum {
    INK_TAB_INSERTS = 0,
    INK_TAB_MOVES_FOCUS = 1
} ink_tab_behavior;

// The options of a view. Call `ink_view_options_init` before you set any of them. Strings are copied.
typedef struct {
    // The size of this structure, in bytes. Later versions have more fields.
    size_t size;
    bool is_editable, is_single_line, is_secure, wraps_lines;
    ink_tab_behavior tab;
    // The maximum number of characters that the user may type or paste into the view; -1 for no limit.
    int64_t maximum_length;
    // The text that is shown while the view is empty; NULL for none.
    const char *INK_NULLABLE placeholder;
    // A fontconfig pattern such as "DejaVu Sans:bold"; NULL for a monospaced font.
    const char *INK_NULLABLE font;
    // The size of the font, from 1 to 1000 pixels at scale 1.
    double font_size;
} ink_view_options;

// Sets all options to their defaults: the text is editable and has several lines, which are wrapped. `size` is the size
// of the structure.
void ink_view_options_init(ink_view_options *options, size_t size);

// Creates a view in a window; NULL for the default options. The first view of a window fills it and gets its keys.
// During this call, the window's handler is called with INK_WINDOW_RESIZED.
ink_view *INK_NULLABLE ink_view_create(ink_window *window, const ink_view_options *INK_NULLABLE options);

// Destroys a view. If it had the window's keys, the view created after it gets them, or else the last view. Does
// nothing for NULL.
void ink_view_destroy(ink_view *INK_NULLABLE view);

// Sets all options of a view. Returns false, and changes nothing, if an option is not valid.
bool ink_view_set_options(ink_view *view, const ink_view_options *INK_NULLABLE options);

// Places the view in its window, in pixels. After that, the first view does not fill the window by default any more.
void ink_view_set_frame(ink_view *view, int x, int y, int width, int height);

// Directs the window's keys to this view. Returns false if the view that has them does not give them up.
bool ink_view_focus(ink_view *view);

// Whether keys go to this view now: the window has the X focus, and its keys are directed to this view.
bool ink_view_is_focused(const ink_view *view);

// Sets the name of the view for screen readers, for example the text of a label beside it. At first, a view has none.
void ink_view_set_accessible_name(ink_view *view, const char *INK_NULLABLE name);

// The length of the text in bytes.
size_t ink_view_length(const ink_view *view);

// Gets the text between two offsets; SIZE_MAX stands for the end of the text. Returns its length.
size_t ink_view_get_text(const ink_view *view, size_t start, size_t end, char *INK_NULLABLE buffer, size_t capacity);

// Replaces a range of the text, as one undo step. The options of the view do not limit this edit. An edit of text that
// is being composed by an input method is made when the composition ends, and so are all edits after it. Returns false
// if `text` is NULL and `length` is not 0, or if no text can have this length.
bool ink_view_replace(ink_view *view, size_t start, size_t end, const char *INK_NULLABLE text, size_t length);

// Inserts text in place of the selection, as if the user had typed it: a read-only view accepts none, and the maximum
// length limits it. Returns false if none of the text was inserted, or if `text` and `length` are invalid as for
// `ink_view_replace`. While a paste is pending, always returns true for a valid text.
bool ink_view_insert(ink_view *view, const char *INK_NULLABLE text, size_t length);

// Gets the primary selected range: `anchor` is the end at which the selection began, and `head` the end that has the
// caret. Returns false if the view has neither a selection nor a caret.
bool ink_view_get_selection(const ink_view *view, size_t *INK_NULLABLE anchor, size_t *INK_NULLABLE head);

// Selects a range, and scrolls its head into view.
void ink_view_select(ink_view *view, size_t anchor, size_t head);

// Sets an attribute of a range, or removes it if the value is NULL. Names and values:
//   "family"      a font family                          "foreground", "background"    "#rrggbb" or "#rrggbbaa"
//   "size"        1 to 1000 pixels at scale 1            "underline", "strikethrough"  "single", "thick", "double", "dotted", "dashed",
//   "weight"      0 to 1000 as fontconfig counts, or                                   "wavy"
//                 "normal", "bold"                       "slant"                       "roman", "italic", "oblique"
// Returns false for other names and values.
bool ink_view_set_attribute(
    ink_view *view, size_t start, size_t end, const char *INK_NULLABLE name, const char *INK_NULLABLE value);

// Performs a command, given by its name. The names are those of Apple's selectors, if there is a selector for the
// command. Returns false if the view does not have the command, or if the command has no effect now. The names:
//   Moving the caret; with "AndModifySelection" at its end, each name extends the selection instead:
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
//   Commands of the window, which are given only by keys and by the window's menu:
//     selectNextKeyView selectPreviousKeyView showContextMenuForSelection toggleLoupe insertCharacterByCode
//   Commands of the program, which keys pass to the handler of `ink_view_set_command_handler`:
//     newDocument openDocument openRecentDocument saveDocument saveDocumentAs printDocument performClose terminate find findAndReplace
//     findOrNext findNext findPrevious findPrimary goToLine makeTextLarger makeTextSmaller makeTextStandardSize toggleFullScreen showMenu
//     showHelp openLink
bool ink_view_perform(ink_view *view, const char *INK_NULLABLE command);

// Gets the rectangle of the caret at the end of the primary selected range, in pixels of the window. Returns false if
// there is no caret.
bool ink_view_get_caret(
    const ink_view *view, int *INK_NULLABLE x, int *INK_NULLABLE y, int *INK_NULLABLE width, int *INK_NULLABLE height);

// The kinds of changes, as bits of `kinds` in `ink_change`. Ignore other bits.
enum {
    INK_CHANGED_TEXT = 1,
    INK_CHANGED_SELECTION = 2,
    INK_CHANGED_MARKED_TEXT = 4,
    INK_CHANGED_SCROLLING = 8,
    INK_CHANGED_GEOMETRY = 16,
    INK_CHANGED_FOCUS = 32,
    INK_CHANGED_MODE = 64
};

// A change of a view, made by the user or by the program. If `kinds` has the bit INK_CHANGED_TEXT, `old_length` bytes
// at `start` were replaced by `new_length` bytes, or their attributes have changed.
typedef struct {
    size_t size;
    uint32_t kinds;
    size_t start, old_length, new_length;
} ink_change;

// A function that is called after each change of a view. The structure is valid only during the call.
typedef void (*ink_change_handler)(ink_view *view, const ink_change *change, void *INK_NULLABLE context);
void ink_view_set_change_handler(
    ink_view *view, ink_change_handler INK_NULLABLE handler, void *INK_NULLABLE context);

// A function that is called for each command of the user that the view does not perform, such as "saveDocument"
// (Ctrl+S), or "insertNewline" (Return) in a single-line view. Returns whether the program has performed the command.
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
