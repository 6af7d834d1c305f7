"""A program in Python with an Inkstone view in a window: prints the text whenever it has changed. Ctrl+Q ends it.

The library is found by its name, or at the path in $LIBINKSTONE."""

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_int, c_size_t, c_uint32, c_void_p

ink = ctypes.CDLL(os.environ.get("LIBINKSTONE", "libinkstone.so.0"))


class Change(Structure):
    _fields_ = [
        ("size", c_size_t), ("kinds", c_uint32), ("start", c_size_t), ("old_length", c_size_t), ("new_length", c_size_t),
    ]


ChangeHandler = CFUNCTYPE(None, c_void_p, POINTER(Change), c_void_p)
CommandHandler = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_void_p)


def function(name, result, *arguments):
    found = getattr(ink, name)
    found.restype, found.argtypes = result, arguments
    return found


error = function("ink_error", c_char_p)
prepare_locale = function("ink_prepare_locale", c_bool)
open_display = function("ink_display_open", c_void_p, c_char_p)
close_display = function("ink_display_close", None, c_void_p)
run = function("ink_display_run", c_bool, c_void_p)
stop = function("ink_display_stop", None, c_void_p)
create_window = function("ink_window_create", c_void_p, c_void_p, c_int, c_int, c_char_p)
show = function("ink_window_show", None, c_void_p)
create_view = function("ink_view_create", c_void_p, c_void_p, c_void_p)
length = function("ink_view_length", c_size_t, c_void_p)
get_text = function("ink_view_get_text", c_size_t, c_void_p, c_size_t, c_size_t, c_char_p, c_size_t)
on_change = function("ink_view_set_change_handler", None, c_void_p, ChangeHandler, c_void_p)
on_command = function("ink_view_set_command_handler", None, c_void_p, CommandHandler, c_void_p)


def text(view):
    size = length(view) + 1
    buffer = ctypes.create_string_buffer(size)
    get_text(view, 0, size, buffer, size)
    return buffer.value.decode()


@ChangeHandler
def changed(view, change, context):
    if change.contents.kinds & 1:
        print("text:", text(view), flush=True)


@CommandHandler
def command(view, name, context):
    if name != b"terminate":
        return False
    stop(display)
    return True


prepare_locale()
display = open_display(None)
if not display:
    raise SystemExit(error().decode())
window = create_window(display, 420, 300, b"Host")
view = create_view(window, None)
on_change(view, changed, None)
on_command(view, command, None)
show(window)
run(display)
close_display(display)
