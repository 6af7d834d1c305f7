"""A Qt 5 program: clipboard, and a window of text to drag from and to."""

import sys

from PyQt5.QtCore import QSocketNotifier
from PyQt5.QtGui import QTextCursor
from PyQt5.QtWidgets import QApplication, QPlainTextEdit

from commands import Commands, answer, read, write

program = QApplication(sys.argv)
clipboard = program.clipboard()


class View(QPlainTextEdit):
    is_shown = False

    def paintEvent(self, event):
        super().paintEvent(event)
        if not self.is_shown:
            self.is_shown = True
            answer("shown")


view = View()


def copy(path):
    clipboard.setText(read(path))
    answer("copied")


def paste(path, target=None):
    data = bytes(clipboard.mimeData().data(target)) if target else clipboard.text()
    if not data:
        return answer("nothing")
    write(path, data)
    answer("pasted")


def window(x, y, width, height):
    view.setGeometry(int(x), int(y), int(width), int(height))
    view.show()


def fill(path):
    view.setPlainText(read(path))
    answer("filled")


def text(path):
    write(path, view.toPlainText())
    answer("text")


def cursor(offset):
    found = view.textCursor()
    found.setPosition(int(offset))
    return found


def select(start, end):
    found = cursor(start)
    found.setPosition(int(end), QTextCursor.KeepAnchor)
    view.setTextCursor(found)
    answer("selected")


def place(offset):
    point = view.viewport().mapToGlobal(view.cursorRect(cursor(offset)).center())
    answer("place", point.x(), point.y())


commands = Commands(copy=copy, paste=paste, window=window, fill=fill, text=text, select=select, place=place)


def take():
    if not commands.take():
        notifier.setEnabled(False)
        program.quit()


notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Read)
notifier.activated.connect(take)
program.exec()
