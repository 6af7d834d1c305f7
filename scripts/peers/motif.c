// Motif's text widget on a file, for `scripts/bench peers`: MOTIF FILE PERCENT.
#include <Xm/Text.h>

#include <stdio.h>
#include <stdlib.h>

// The file's bytes with a null at the end, which the caller frees; null if it cannot be read.
static char *read_file(const char *path, long *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (*length = ftell(file)) >= 0 && (bytes = malloc((size_t)*length + 1))) {
        rewind(file);
        bytes[fread(bytes, 1, (size_t)*length, file)] = 0;
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    long length = 0;
    char *bytes = argc == 3 ? read_file(argv[1], &length) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: %s FILE PERCENT\n", argv[0]);
        return 2;
    }
    long caret = length * atol(argv[2]) / 100;
    int words = 1;
    XtAppContext context;
    Widget shell = XtVaOpenApplication(
        &context, "Peer", NULL, 0, &words, argv, NULL, applicationShellWidgetClass, XmNwidth, 1000, XmNheight, 700, NULL);

    Arg arguments[12];
    Cardinal count = 0;
    XtSetArg(arguments[count], XmNfontName, "DejaVu Sans Mono"), count++;
    XtSetArg(arguments[count], XmNfontType, XmFONT_IS_XFT), count++;
    XtSetArg(arguments[count], XmNfontSize, 10), count++;
    XtSetArg(arguments[count], XmNloadModel, XmLOAD_IMMEDIATE), count++;
    XmRendition rendition = XmRenditionCreate(shell, XmFONTLIST_DEFAULT_TAG, arguments, count);
    XmRenderTable fonts = XmRenderTableAddRenditions(NULL, &rendition, 1, XmMERGE_REPLACE);

    count = 0;
    XtSetArg(arguments[count], XmNeditMode, XmMULTI_LINE_EDIT), count++;
    XtSetArg(arguments[count], XmNwordWrap, True), count++;
    XtSetArg(arguments[count], XmNscrollHorizontal, False), count++;
    XtSetArg(arguments[count], XmNrenderTable, fonts), count++;
    // Without frames, so that text and nothing else is drawn at the upper left.
    XtSetArg(arguments[count], XmNshadowThickness, 0), count++;
    XtSetArg(arguments[count], XmNhighlightThickness, 0), count++;
    XtSetArg(arguments[count], XmNvalue, bytes), count++;
    // The caret would be taken for text: it is wider than the others' carets.
    XtSetArg(arguments[count], XmNblinkRate, 0), count++;
    Widget text = XmCreateScrolledText(shell, "text", arguments, count);
    XtManageChild(text);
    XmTextSetInsertionPosition(text, caret);
    free(bytes);
    XmProcessTraversal(text, XmTRAVERSE_CURRENT);
    XtRealizeWidget(shell);
    XtAppMainLoop(context);
}
