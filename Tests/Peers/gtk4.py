"""A GTK 4 program: its clipboard. Its owner's side of large texts is left alone: version 4.8 loses them."""

import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk

from commands import Commands, answer, read, write

Gtk.init()
clipboard = Gdk.Display.get_default().get_clipboard()
loop = GLib.MainLoop()


def copy(path):
    clipboard.set_content(Gdk.ContentProvider.new_for_value(read(path)))
    answer("copied")


def paste(path, target=None):
    def came(_, result):
        try:
            write(path, clipboard.read_text_finish(result))
            answer("pasted")
        except GLib.Error as error:
            answer("nothing", error.message)

    def opened(_, result):
        try:
            stream, _ = clipboard.read_finish(result)
        except GLib.Error as error:
            return answer("nothing", error.message)
        into = Gio.MemoryOutputStream.new_resizable()
        flags = Gio.OutputStreamSpliceFlags.CLOSE_SOURCE | Gio.OutputStreamSpliceFlags.CLOSE_TARGET

        def read_whole(_, result):
            into.splice_finish(result)
            write(path, into.steal_as_bytes().get_data())
            answer("pasted")

        into.splice_async(stream, flags, GLib.PRIORITY_DEFAULT, None, read_whole)

    if target:
        clipboard.read_async([target], GLib.PRIORITY_DEFAULT, None, opened)
    else:
        clipboard.read_text_async(None, came)


commands = Commands(copy=copy, paste=paste)


def take(*_):
    if commands.take():
        return True
    loop.quit()
    return False


GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, take)
loop.run()
