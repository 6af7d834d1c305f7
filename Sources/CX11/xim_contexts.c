// Input contexts: what Xlib calls back for them, and the calls about them, which wait for the server.
//
// Trap “callbacks inside calls”: a callback only copies what it is given, into a message.
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// Trap “commits overtaken”: Xlib runs a preedit's callbacks within its call, and leaves a commit that came before in the
// queue, for later. How many lie there tells what came first.
static int sequence(const cx11_xim *xim) { return xim->taken + cx11_xim_queued_keys(xim); }

static int preedit_start(XIC ic, XPointer data, XPointer call) {
    (void)ic, (void)call;
    struct context *c = (struct context *)data;
    cx11_xim_report(c->xim, &(cx11_xim_message){.kind = CX11_XIM_PREEDIT_START, .window = c->window, .sequence = sequence(c->xim)});
    return -1;  // no limit to the preedit's length
}

static void preedit_done(XIC ic, XPointer data, XPointer call) {
    (void)ic, (void)call;
    struct context *c = (struct context *)data;
    cx11_xim_report(c->xim, &(cx11_xim_message){.kind = CX11_XIM_PREEDIT_DONE, .window = c->window, .sequence = sequence(c->xim)});
}

static void preedit_draw(XIC ic, XPointer data, XPointer call) {
    (void)ic;
    struct context *c = (struct context *)data;
    const XIMPreeditDrawCallbackStruct *draw = (const XIMPreeditDrawCallbackStruct *)call;
    cx11_xim_message m = {
        .kind = CX11_XIM_PREEDIT_DRAW,
        .window = c->window,
        .sequence = sequence(c->xim),
        .caret = draw->caret,
        .change_first = draw->chg_first,
        .change_length = draw->chg_length,
    };
    const XIMText *text = draw->text;
    char *string = NULL;
    unsigned long *feedback = NULL;
    if (text && !text->encoding_is_wchar && text->string.multi_byte) {
        const char *names = text->string.multi_byte;
        string = cx11_xim_take_texts(c->xim, names, strlen(names), &m.text_length, &feedback, &m.feedback_count);
    }
    m.text = string;
    m.feedback = feedback;
    if (!feedback) m.feedback_count = 0;
    cx11_xim_report(c->xim, &m);
    free(string);
    free(feedback);
}

static void preedit_caret(XIC ic, XPointer data, XPointer call) {
    (void)ic;
    struct context *c = (struct context *)data;
    XIMPreeditCaretCallbackStruct *caret = (XIMPreeditCaretCallbackStruct *)call;
    // Xlib sends `position` back as the reply.
    caret->position = cx11_xim_report(c->xim, &(cx11_xim_message){
                                         .kind = CX11_XIM_PREEDIT_CARET,
                                         .window = c->window,
                                         .sequence = sequence(c->xim),
                                         .caret = caret->position,
                                         .direction = (int)caret->direction,
                                         .style = (int)caret->style,
                                     });
}

static void status_nothing(XIC ic, XPointer data, XPointer call) { (void)ic, (void)data, (void)call; }

// MARK: Calls

cx11_xim_result cx11_xim_context_create(cx11_xim *xim, Window window, unsigned long style, XPoint spot) {
    if (cx11_xim_find(xim, window)) return CX11_XIM_OK;
    if (!xim->im) return CX11_XIM_FAILED;
    ENTER(xim);
    struct context *c = calloc(1, sizeof *c);
    if (!c) cx11_xim_starve(xim);
    // Finds the connection ended, and does not come back.
    if (!c) XSync(xim->display, False);
    if (!c) LEAVE(xim, CX11_XIM_FAILED);
    // Xlib copies these structures. Trap “broken string conversion”: no callback for that, here or anywhere.
    XIMCallback start = {(XPointer)c, (XIMProc)(void (*)(void))preedit_start};
    XIMCallback draw = {(XPointer)c, (XIMProc)(void (*)(void))preedit_draw};
    XIMCallback caret = {(XPointer)c, (XIMProc)(void (*)(void))preedit_caret};
    XIMCallback done = {(XPointer)c, (XIMProc)(void (*)(void))preedit_done};
    XIMCallback status = {(XPointer)c, (XIMProc)status_nothing};
    XVaNestedList preedit = NULL, status_list = NULL;
    *c = (struct context){
        .xim = xim, .window = window, .has_callbacks = (style & XIMPreeditCallbacks) != 0, .next = xim->contexts};
    xim->contexts = c;
    if (style & XIMPreeditCallbacks) {
        preedit = XVaCreateNestedList(
            0, XNPreeditStartCallback, &start, XNPreeditDrawCallback, &draw, XNPreeditCaretCallback, &caret,
            XNPreeditDoneCallback, &done, XNSpotLocation, &spot, NULL);
    } else if (style & XIMPreeditPosition) {
        preedit = XVaCreateNestedList(0, XNSpotLocation, &spot, XNFontSet, xim->font_set, NULL);
    } else if (style & XIMPreeditNothing) {
        preedit = XVaCreateNestedList(0, XNSpotLocation, &spot, NULL);
    }
    if (style & XIMStatusCallbacks) {
        status_list = XVaCreateNestedList(
            0, XNStatusStartCallback, &status, XNStatusDrawCallback, &status, XNStatusDoneCallback, &status, NULL);
    }
    XIC ic;
    WAIT(xim, CREATE, c);
    if (preedit && status_list) {
        ic = XCreateIC(
            xim->im, XNInputStyle, style, XNClientWindow, window, XNFocusWindow, window, XNPreeditAttributes, preedit,
            XNStatusAttributes, status_list, NULL);
    } else if (preedit) {
        ic = XCreateIC(
            xim->im, XNInputStyle, style, XNClientWindow, window, XNFocusWindow, window, XNPreeditAttributes, preedit,
            NULL);
    } else {
        ic = XCreateIC(xim->im, XNInputStyle, style, XNClientWindow, window, XNFocusWindow, window, NULL);
    }
    WAITED(xim);
    if (preedit) XFree(preedit);
    if (status_list) XFree(status_list);
    if (ic) {
        c->ic = ic;
    } else {
        xim->contexts = c->next;
        free(c);
    }
    cx11_xim_take_absorbed(xim);
    LEAVE(xim, ic ? CX11_XIM_OK : CX11_XIM_FAILED);
}

cx11_xim_result cx11_xim_context_destroy(cx11_xim *xim, Window window) {
    struct context *c = cx11_xim_find(xim, window);
    if (!c) return CX11_XIM_OK;
    ENTER(xim);
    WAIT(xim, DESTROY, c);
    XDestroyIC(c->ic);
    WAITED(xim);
    struct context **at = &xim->contexts;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    if (c->number) cx11_xim_forget_texts(xim, c->number);
    free(c);
    cx11_xim_take_absorbed(xim);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_context_focus(cx11_xim *xim, Window window, bool focused) {
    struct context *c = cx11_xim_find(xim, window);
    if (!c || c->focused == focused) return CX11_XIM_OK;
    ENTER(xim);
    c->focused = focused;
    WAIT(xim, OTHER, c);
    if (focused) {
        XSetICFocus(c->ic);
    } else {
        XUnsetICFocus(c->ic);
        // Trap “stale mark”: the context has lost its filter, and a late commit would not be filtered. Setting the
        // focus window registers the filter again; the server is told nothing new.
        XSetICValues(c->ic, XNFocusWindow, window, NULL);
    }
    WAITED(xim);
    cx11_xim_take_absorbed(xim);
    cx11_xim_release_held_back(xim, c);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_context_set_spot(cx11_xim *xim, Window window, XPoint spot, const XRectangle *area) {
    struct context *c = cx11_xim_find(xim, window);
    XRectangle rectangle = area ? *area : (XRectangle){0};
    if (!c) return CX11_XIM_FAILED;
    ENTER(xim);
    XVaNestedList list = area ? XVaCreateNestedList(0, XNSpotLocation, &spot, XNArea, &rectangle, NULL)
                              : XVaCreateNestedList(0, XNSpotLocation, &spot, NULL);
    WAIT(xim, OTHER, c);
    XSetICValues(c->ic, XNPreeditAttributes, list, NULL);
    WAITED(xim);
    XFree(list);
    cx11_xim_take_absorbed(xim);
    cx11_xim_release_held_back(xim, c);
    LEAVE(xim, CX11_XIM_OK);
}

// False if the server does not know of it; 4 of the 8 bytes are written else.
static bool get_preedit_state(const struct context *c, XIMPreeditState *state) {
    XVaNestedList list = XVaCreateNestedList(0, XNPreeditState, state, NULL);
    bool is_known = XGetICValues(c->ic, XNPreeditAttributes, list, NULL) == NULL;
    XFree(list);
    return is_known;
}

cx11_xim_result cx11_xim_context_reset(cx11_xim *xim, Window window, char **reply) {
    struct context *c = cx11_xim_find(xim, window);
    *reply = NULL;
    if (!c) return CX11_XIM_FAILED;
    ENTER(xim);
    // Some engines are off after a reset (nabi's, others by their settings). A server without this attribute is not
    // asked.
    XIMPreeditState before = XIMPreeditUnKnown, after = XIMPreeditUnKnown;
    WAIT(xim, OTHER, c);
    bool is_known = get_preedit_state(c, &before) && (before == XIMPreeditEnable || before == XIMPreeditDisable);
    WAIT(xim, RESET, c);
    char *names = Xutf8ResetIC(c->ic);
    WAIT(xim, OTHER, c);
    if (names) {
        // Trap “commits in a reply”: Xlib puts those that came during the reset in front of its reply, the last first, and
        // leaves their events in the queue.
        size_t length = strlen(names), commits = TEXT_NAME * cx11_xim_count_commits(xim, names, length);
        int size;
        xim->reply = cx11_xim_take_texts(xim, names + commits, length - commits, &size, NULL, NULL);
        xim->returned = names;
        xim->returned_at = 0;
        xim->returned_end = commits;
    }
    if (is_known && get_preedit_state(c, &after) && after != before) {
        XVaNestedList list = XVaCreateNestedList(0, XNPreeditState, before, NULL);
        XSetICValues(c->ic, XNPreeditAttributes, list, NULL);
        XFree(list);
    }
    WAITED(xim);
    cx11_xim_take_absorbed(xim);
    if (xim->returned) XFree(xim->returned);
    xim->returned = NULL;
    cx11_xim_release_held_back(xim, c);
    *reply = xim->reply;
    xim->reply = NULL;
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_key(cx11_xim *xim, Window window, XKeyEvent key, bool *consumed) {
    struct context *c = cx11_xim_find(xim, window);
    *consumed = false;
    if (!c) return CX11_XIM_FAILED;
    ENTER(xim);
    XEvent event = {.xkey = key};
    event.xkey.display = xim->display;
    event.xkey.window = window;
    // Trap “stale mark”: one that no context was left to take.
    if (xim->has_stale_mark) {
        XEvent mark = event;
        xim->has_stale_mark = false;
        XFilterEvent(&mark, None);
    }
    WAIT(xim, OTHER, c);
    *consumed = XFilterEvent(&event, None);
    WAITED(xim);
    cx11_xim_take_absorbed(xim);
    LEAVE(xim, CX11_XIM_OK);
}
