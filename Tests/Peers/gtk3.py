"""A GTK 3 program: clipboard, a window of text to drag from and to, and one that takes another program's window in."""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GdkX11, GLib, Gtk  # GdkX11 has get_xid.

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


def host(x, y, width, height):
    """Opens a window with a socket between two entries; answers with its number and the socket's."""
    top = Gtk.Window()
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    top.add(column)
    parts = {"before": Gtk.Entry(), "socket": Gtk.Socket(), "after": Gtk.Entry()}
    for name, part in parts.items():
        column.pack_start(part, name == "socket", name == "socket", 0)
    top.set_default_size(int(width), int(height))
    top.move(int(x), int(y))
    commands.functions["focused"] = lambda: answer(
        "focused", *(name for name, part in parts.items() if top.get_focus() is part)
    )
    commands.functions["entry"] = lambda name: answer("entry", parts[name].get_text() or "-")
    parts["socket"].connect("plug-removed", lambda *_: True)
    top.connect("map-event", lambda *_: answer("host", top.get_window().get_xid(), parts["socket"].get_id()))
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
    copy=copy, paste=paste, window=window, host=host, fill=fill, text=text, select=select, place=place, hover=hover
)


def take(*_):
    if commands.take():
        return True
    Gtk.main_quit()
    return False


GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, take)
Gtk.main()
