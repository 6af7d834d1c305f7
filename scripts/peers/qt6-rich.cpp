// Qt 6's text editor with a styled text, for `scripts/bench rich`: QT6-RICH RUNS LINE. Prints what it measures.
#include <QApplication>
#include <QElapsedTimer>
#include <QTextCursor>
#include <QTextEdit>

#include <cstdio>

static void show(const char *name, const QElapsedTimer &timer) {
    std::printf("rich.%s.qt6 %.1f ms\n", name, double(timer.nsecsElapsed()) / 1e6);
}

int main(int argc, char **argv) {
    QApplication application(argc, argv);
    const QStringList words = application.arguments();
    if (words.size() != 3) return 2;
    QTextEdit text;
    text.setGeometry(0, 0, 1000, 700);

    QElapsedTimer timer;
    timer.start();
    QTextCursor cursor(text.document());
    cursor.beginEditBlock();
    for (int i = 0; i < words[1].toInt(); i++) {
        QTextCharFormat format;
        if (i & 1) format.setFontItalic(true);
        if (i & 2) format.setForeground(QColor(0xcc0000));
        if (i & 4) format.setFontPointSize(13.5);
        cursor.insertText(words[2], format);
    }
    cursor.endEditBlock();
    show("build", timer);
    text.moveCursor(QTextCursor::Start);
    text.show();
    application.processEvents();
    show("loaded", timer);

    timer.restart();
    for (int i = 0; i < 50; i++) {
        text.textCursor().insertText("x");
        application.processEvents();
    }
    std::printf("rich.key.qt6 %.1f µs\n", double(timer.nsecsElapsed()) / 50e3);

    QTextCharFormat bold;
    bold.setFontWeight(QFont::Bold);
    timer.restart();
    cursor.select(QTextCursor::Document);
    cursor.mergeCharFormat(bold);
    application.processEvents();
    show("bold-all", timer);
    timer.restart();
    text.undo();
    application.processEvents();
    show("undo-that", timer);
    return 0;
}
