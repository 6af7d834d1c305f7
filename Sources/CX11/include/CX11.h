#ifndef CX11_H
#define CX11_H
// The headers of libX11, its extensions, Xft and libxkbcommon, followed by those of this module. The latter declare C
// functions in place of parts that Swift cannot call (variadic functions, macros, handlers of the whole process), and a
// client of input methods.
#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xft/Xft.h>
#include <X11/Xlib.h>
#include <X11/Xresource.h>
#include <X11/Xutil.h>
#include <X11/cursorfont.h>
#include <X11/extensions/XInput2.h>
#include <X11/extensions/Xfixes.h>
#include <X11/extensions/Xrandr.h>
#include <X11/extensions/Xrender.h>
#include <X11/extensions/sync.h>
#include <xkbcommon/xkbcommon-compose.h>
#include <xkbcommon/xkbcommon.h>

#include "cx11_connection.h"
#include "cx11_handlers.h"
#include "cx11_wait.h"
#include "cx11_xim.h"
#include "cx11_xim_packet.h"
#endif
