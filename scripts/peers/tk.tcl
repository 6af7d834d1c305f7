#!/usr/bin/wish8.6
# Tk's text widget on a file, for `scripts/bench peers`: tk.tcl FILE PERCENT.
lassign $argv path percent
set file [open $path]
fconfigure $file -encoding utf-8
set content [read $file]
close $file

wm geometry . 1000x700+0+0
text .text -font {{DejaVu Sans Mono} -13} -wrap word -borderwidth 0 -highlightthickness 0 -undo 1 -yscrollcommand {.bar set}
ttk::scrollbar .bar -command {.text yview}
pack .bar -side right -fill y
pack .text -side left -fill both -expand 1
.text insert end $content
.text mark set insert "1.0 + [expr {[string length $content] * $percent / 100}] chars"
.text see insert
focus .text
