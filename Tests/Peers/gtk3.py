"""A GTK 3 program: clipboard, and a window of text to drag from and to."""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

from commands import Commands, answer, read, write

clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
view = Gtk.TextView()


def copy(path):
    clipboard.set_text(read(path), -1)
    answer("copied")


def paste(path, target=None):
    def came(_, data):
        data = data.get_data() if target and data.get_length() >= 0 else data
        if not isinstance(data, (str, bytes)):
            return answer("nothing")
        write(path, data)
        answer("pasted")

    if target:
        clipboard.request_contents(Gdk.Atom.intern(target, False), came)
    else:
        clipboard.request_text(came)


def window(x, y, width, height):
    top = Gtk.Window()
    top.add(view)
    top.set_default_size(int(width), int(height))
    top.move(int(x), int(y))
    top.connect("map-event", lambda *_: answer("shown"))
    top.show_all()


def fill(path):
    view.get_buffer().set_text(read(path), -1)
    answer("filled")


def text(path):
    buffer = view.get_buffer()
    write(path, buffer.get_text(*buffer.get_bounds(), True))
    answer("text")


def select(start, end):
    buffer = view.get_buffer()
    buffer.select_range(buffer.get_iter_at_offset(int(start)), buffer.get_iter_at_offset(int(end)))
    answer("selected")


def place(offset):
    rect = view.get_iter_location(view.get_buffer().get_iter_at_offset(int(offset)))
    x, y = view.buffer_to_window_coords(Gtk.TextWindowType.WIDGET, rect.x, rect.y + rect.height // 2)
    _, left, top = view.get_window(Gtk.TextWindowType.WIDGET).get_origin()
    answer("place", left + x, top + y)


def hover():
    """Where a drop would land."""
    buffer = view.get_buffer()
    mark = buffer.get_mark("gtk_drag_target")
    answer("hover", buffer.get_iter_at_mark(mark).get_offset() if mark else "nowhere")


commands = Commands(
    copy=copy, paste=paste, window=window, fill=fill, text=text, select=select, place=place, hover=hover
)


def take(*_):
    if commands.take():
        return True
    Gtk.main_quit()
    return False


GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, take)
Gtk.main()
