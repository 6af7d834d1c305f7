#include "opening.h"

#include <X11/XKBlib.h>
#include <X11/Xlibint.h>
#include <X11/extensions/XKBproto.h>
#include <X11/extensions/Xrender.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "include/cx11_connection.h"
#include "include/cx11_handlers.h"

// Queries that do not wait for their answers. When Xlib reads the answer to a later request, which does wait, it passes
// the earlier answers to a handler. Xlib's own XInternAtoms and XGetWindowAttributes query several things in one round
// trip in this way. The macros of `Xlibint.h` require a display to be named `dpy`.

static void begin(Display *dpy, _XAsyncHandler *handler, Bool (*take)(Display *, xReply *, char *, int, XPointer), void *data) {
    handler->next = dpy->async_handlers;
    handler->handler = take;
    handler->data = (XPointer)data;
    dpy->async_handlers = handler;
}

static void end(Display *dpy, _XAsyncHandler *handler) {
    LockDisplay(dpy);
    DeqAsyncHandler(dpy, handler);
    UnlockDisplay(dpy);
}

// The number of words of an answer after the part that all answers have in common.
#define REST_OF(type) ((SIZEOF(type) - SIZEOF(xReply)) >> 2)

struct atom_question {
    char *const *names;
    int count;
    Atom *atoms;
    // The number of answers so far, and the serial number of the first request.
    int answered;
    uint64_t first;
    _XAsyncHandler handler;
};

static Bool take_atom(Display *dpy, xReply *reply, char *buffer, int length, XPointer data) {
    struct atom_question *question = (struct atom_question *)data;
    uint64_t index = X_DPY_GET_LAST_REQUEST_READ(dpy) - question->first;
    if (index >= (uint64_t)question->count) return False;
    question->answered++;
    if (reply->generic.type == X_Error) return False;
    xInternAtomReply room;
    xInternAtomReply *answer =
        (xInternAtomReply *)_XGetAsyncReply(dpy, (char *)&room, reply, buffer, length, REST_OF(xInternAtomReply), True);
    question->atoms[index] = answer->atom;
    return True;
}

static void begin_atoms(Display *dpy, struct atom_question *question) {
    LockDisplay(dpy);
    question->answered = 0;
    question->first = X_DPY_GET_REQUEST(dpy) + 1;
    begin(dpy, &question->handler, take_atom, question);
    for (int i = 0; i < question->count; i++) {
        size_t length = strlen(question->names[i]);
        xInternAtomReq *req;
        GetReq(InternAtom, req);
        req->nbytes = (CARD16)length;
        req->onlyIfExists = False;
        req->length = (CARD16)(req->length + ((length + 3) >> 2));
        Data(dpy, question->names[i], length);
    }
    UnlockDisplay(dpy);
}

static void end_atoms(Display *dpy, struct atom_question *question) {
    if (question->answered < question->count) XSync(dpy, False);
    end(dpy, &question->handler);
}

// XOpenDisplay waits twice for XKB: to learn whether the server has it, and to switch it on. `XkbIgnoreExtension`
// applies to all threads of a process; the flag XlibDisplayNoXkb applies to one display. Xlib calls this function
// with each new display after connecting and before its queries. It is in libX11's private `locking.h`, and all
// versions export it. Without it, XKB is queried at once.
extern int (*_XInitDisplayLock_fn)(Display *display) __attribute__((weak));
static int (*init_display_lock)(Display *display);

static int begin_display(Display *display) {
    if (cx11_is_opening) display->flags |= XlibDisplayNoXkb;
    return init_display_lock ? init_display_lock(display) : 0;
}

static void postpone_xkb(void) {
    if (!&_XInitDisplayLock_fn) return;
    init_display_lock = _XInitDisplayLock_fn;
    _XInitDisplayLock_fn = begin_display;
}

bool cx11_use_xkb(Display *dpy, bool is_own, int *first_event) {
    int opcode, error, major = XkbMajorVersion, minor = XkbMinorVersion;
    // With the flag XlibDisplayNoXkb, XkbUseExtension queries the server again if it is to return versions. Without
    // the flag, it assumes that the server was queried already.
    if (!XkbUseExtension(dpy, &major, &minor)) return false;
    if (is_own) {
        LockDisplay(dpy);
        dpy->flags &= ~(unsigned long)XlibDisplayNoXkb;
        UnlockDisplay(dpy);
    }
    return XkbQueryExtension(dpy, &opcode, first_event, &error, &major, &minor);
}

struct extension_question {
    const char *name;
    int opcode;
    uint64_t serial;
    _XAsyncHandler handler;
};

static Bool take_extension(Display *dpy, xReply *reply, char *buffer, int length, XPointer data) {
    struct extension_question *question = (struct extension_question *)data;
    if (X_DPY_GET_LAST_REQUEST_READ(dpy) != question->serial || reply->generic.type == X_Error) return False;
    xQueryExtensionReply room;
    xQueryExtensionReply *answer = (xQueryExtensionReply *)_XGetAsyncReply(
        dpy, (char *)&room, reply, buffer, length, REST_OF(xQueryExtensionReply), True);
    if (answer->present) question->opcode = answer->major_opcode;
    return True;
}

static void begin_extension(Display *dpy, struct extension_question *question) {
    size_t length = strlen(question->name);
    LockDisplay(dpy);
    question->opcode = 0;
    begin(dpy, &question->handler, take_extension, question);
    xQueryExtensionReq *req;
    GetReq(QueryExtension, req);
    req->nbytes = (CARD16)length;
    req->length = (CARD16)(req->length + ((length + 3) >> 2));
    Data(dpy, question->name, length);
    question->serial = X_DPY_GET_REQUEST(dpy);
    UnlockDisplay(dpy);
}

// libXrender and libXft identify connections by their addresses, and forget one in a hook of XCloseDisplay. If a
// client used Xft before XRender, XRender's hook runs first. Then Xft's hook frees glyphs, and so makes XRender
// remember the dying connection again, for good. When Xlib gives the address to a new connection, every XRender
// request on it carries whatever opcode is in the memory of the old one: BadLength errors and black windows. So
// check whether a query of XRender has added it to the connection's own extensions. If not, XRender has remembered
// an old connection.
static bool has_stale_render(Display *display) {
    int opcode, event, error;
    (void)XRenderQueryExtension(display, &event, &error);
    for (_XExtension *each = display->ext_procs; each; each = each->next)
        if (each->name && strcmp(each->name, RENDER_NAME) == 0) return false;
    return XQueryExtension(display, RENDER_NAME, &opcode, &event, &error);
}

// Does the check of `has_stale_render`, and queries XKB and the atoms in the same round trip. The atoms are queried
// last: once their answers are here, so is XKB's.
static bool is_stale(Display *display, struct extension_question *xkb, struct atom_question *atoms) {
    begin_extension(display, xkb);
    begin_atoms(display, atoms);
    bool result = has_stale_render(display);
    end_atoms(display, atoms);
    end(display, &xkb->handler);
    return result;
}

static Display *open_display(const char *name, struct extension_question *xkb, struct atom_question *atoms) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, postpone_xkb);
    enum { MAX_STALE = 16 };
    Display *stale[MAX_STALE];
    int count = 0;
    CX11_OPENING(NULL);
    Display *display = XOpenDisplay(name);
    // Close connections whose address XRender remembers only at the end, so that a new one gets another address.
    while (display && is_stale(display, xkb, atoms) && count < MAX_STALE) {
        stale[count++] = display;
        display = XOpenDisplay(name);
    }
    while (count > 0) XCloseDisplay(stale[--count]);
    if (display && !cx11_handlers_add_own(display)) {
        XCloseDisplay(display);
        display = NULL;
    }
    CX11_OPENED();
    return display;
}

Display *cx11_open_display(const char *name, char *const *atom_names, int count, Atom *atoms, int *xkb_opcode) {
    struct extension_question xkb = {.name = XkbName};
    struct atom_question question = {.names = atom_names, .count = count, .atoms = atoms};
    cx11_quiet_begin();
    Display *display = open_display(name, &xkb, &question);
    cx11_quiet_end();
    // Respect the variable by which users disable XKB.
    *xkb_opcode = getenv("XKB_DISABLE") ? 0 : xkb.opcode;
    if (display) cx11_quiet_watch(display);
    return display;
}

struct first_question {
    uint64_t owner_serial;
    Window owner;
    bool has_owner;
    uint64_t use_serial, repetition_serial;
    bool is_detectable;
    _XAsyncHandler handler;
};

static Bool take_first(Display *dpy, xReply *reply, char *buffer, int length, XPointer data) {
    struct first_question *question = (struct first_question *)data;
    uint64_t serial = X_DPY_GET_LAST_REQUEST_READ(dpy);
    if (serial == question->owner_serial) {
        question->has_owner = true;
        if (reply->generic.type == X_Error) return False;
        xGetSelectionOwnerReply room;
        question->owner = ((xGetSelectionOwnerReply *)_XGetAsyncReply(
                               dpy, (char *)&room, reply, buffer, length, REST_OF(xGetSelectionOwnerReply), True))
                              ->owner;
        return True;
    }
    if (reply->generic.type == X_Error) return False;
    if (serial == question->use_serial) {
        xkbUseExtensionReply room;
        _XGetAsyncReply(dpy, (char *)&room, reply, buffer, length, REST_OF(xkbUseExtensionReply), True);
        return True;
    }
    if (serial != question->repetition_serial) return False;
    xkbPerClientFlagsReply room;
    xkbPerClientFlagsReply *answer = (xkbPerClientFlagsReply *)_XGetAsyncReply(
        dpy, (char *)&room, reply, buffer, length, REST_OF(xkbPerClientFlagsReply), True);
    question->is_detectable = (answer->supported & answer->value & XkbPCF_DetectableAutoRepeatMask) != 0;
    return True;
}

static void begin_xkb(Display *dpy, int opcode, struct first_question *question) {
    xkbUseExtensionReq *use;
    GetReq(kbUseExtension, use);
    use->reqType = (CARD8)opcode;
    use->xkbReqType = X_kbUseExtension;
    use->wantedMajor = XkbMajorVersion;
    use->wantedMinor = XkbMinorVersion;
    question->use_serial = X_DPY_GET_REQUEST(dpy);
    xkbPerClientFlagsReq *req;
    GetReq(kbPerClientFlags, req);
    req->reqType = (CARD8)opcode;
    req->xkbReqType = X_kbPerClientFlags;
    req->deviceSpec = XkbUseCoreKbd;
    req->change = XkbPCF_DetectableAutoRepeatMask;
    req->value = XkbPCF_DetectableAutoRepeatMask;
    req->ctrlsToChange = req->autoCtrls = req->autoCtrlValues = 0;
    question->repetition_serial = X_DPY_GET_REQUEST(dpy);
}

Window cx11_first_ask(Display *dpy, Atom selection, int xkb_opcode, bool *is_detectable) {
    struct first_question question = {0};
    LockDisplay(dpy);
    begin(dpy, &question.handler, take_first, &question);
    if (xkb_opcode) begin_xkb(dpy, xkb_opcode, &question);
    xResourceReq *req;
    GetResReq(GetSelectionOwner, selection, req);
    question.owner_serial = X_DPY_GET_REQUEST(dpy);
    UnlockDisplay(dpy);
    // This call waits for all answers, unless the formats were queried before.
    XRenderQueryFormats(dpy);
    if (!question.has_owner) XSync(dpy, False);
    end(dpy, &question.handler);
    *is_detectable = question.is_detectable;
    return question.owner;
}
