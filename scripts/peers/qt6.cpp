// Qt 6's plain text editor on a file, for `scripts/bench peers`: QT6 FILE PERCENT.
#include <QApplication>
#include <QFile>
#include <QPlainTextEdit>
#include <QTextCursor>

#include <cstdio>

int main(int argc, char **argv) {
    QApplication application(argc, argv);
    const QStringList words = application.arguments();
    QFile file(words.value(1));
    if (words.size() != 3 || !file.open(QIODevice::ReadOnly)) {
        std::fprintf(stderr, "usage: %s FILE PERCENT\n", argv[0]);
        return 2;
    }
    const QString content = QString::fromUtf8(file.readAll());

    QPlainTextEdit text;
    // Without a frame, so that text and nothing else is drawn at the upper left.
    text.setFrameShape(QFrame::NoFrame);
    QFont font("DejaVu Sans Mono");
    font.setPixelSize(13);
    text.setFont(font);
    text.setGeometry(0, 0, 1000, 700);
    text.setPlainText(content);
    QTextCursor caret = text.textCursor();
    caret.setPosition(int(qint64(content.size()) * words[2].toInt() / 100));
    text.setTextCursor(caret);
    text.show();
    text.ensureCursorVisible();
    return application.exec();
}
