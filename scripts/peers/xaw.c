// The Athena widget set's text widget on a file, for `scripts/bench peers`: XAW FILE PERCENT.
//
// Latin-1 text in a core font: no language procedure is set, so the widget is not "international".
#include <X11/Intrinsic.h>
#include <X11/Shell.h>
#include <X11/StringDefs.h>
#include <X11/Xaw/AsciiText.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
    struct stat file;
    if (argc != 3 || stat(argv[1], &file) != 0) {
        fprintf(stderr, "usage: %s FILE PERCENT\n", argv[0]);
        return 2;
    }
    long caret = (long)file.st_size * atol(argv[2]) / 100;
    int words = 1;
    XtAppContext context;
    Widget shell = XtVaOpenApplication(
        &context, "Peer", NULL, 0, &words, argv, NULL, applicationShellWidgetClass, XtNwidth, 1000, XtNheight, 700, NULL);
    // The font is named because the widget's default depends on the resources that a machine has installed.
    Widget text = XtVaCreateManagedWidget(
        "text", asciiTextWidgetClass, shell, XtNtype, XawAsciiFile, XtNstring, argv[1], XtNeditType, XawtextEdit, XtNwrap,
        XawtextWrapWord, XtNscrollVertical, XawtextScrollAlways, XtNinsertPosition, (XawTextPosition)caret, XtNfont,
        XLoadQueryFont(XtDisplay(shell), "fixed"), NULL);
    XtSetKeyboardFocus(shell, text);
    XtRealizeWidget(shell);
    XtAppMainLoop(context);
}
