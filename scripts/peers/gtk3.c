// GTK 3's text view on a file, for `scripts/bench peers`: GTK3 FILE PERCENT.
#include <gtk/gtk.h>

#include <stdlib.h>

static gboolean show_caret(gpointer view) {
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(view);
    gtk_text_view_scroll_to_mark(view, gtk_text_buffer_get_insert(buffer), 0, TRUE, 0, 0.5);
    return G_SOURCE_REMOVE;
}

int main(int argc, char **argv) {
    // Accessibility looks for a bus, which a bare display has not: starting would wait for that to fail.
    g_setenv("NO_AT_BRIDGE", "1", TRUE);
    gtk_init(NULL, NULL);
    char *bytes = NULL;
    gsize length = 0;
    if (argc != 3 || !g_file_get_contents(argv[1], &bytes, &length, NULL)) {
        g_printerr("usage: %s FILE PERCENT\n", argv[0]);
        return 2;
    }
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size(GTK_WINDOW(window), 1000, 700);
    g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);

    GtkWidget *view = gtk_text_view_new();
    gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view), GTK_WRAP_WORD_CHAR);
    GtkCssProvider *style = gtk_css_provider_new();
    gtk_css_provider_load_from_data(style, "textview { font: 13px \"DejaVu Sans Mono\"; }", -1, NULL);
    gtk_style_context_add_provider(
        gtk_widget_get_style_context(view), GTK_STYLE_PROVIDER(style), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
    gtk_text_buffer_set_text(buffer, bytes, (gint)length);
    g_free(bytes);
    GtkTextIter caret;
    gint count = gtk_text_buffer_get_char_count(buffer);
    gtk_text_buffer_get_iter_at_offset(buffer, &caret, (gint)((gint64)count * atol(argv[2]) / 100));
    gtk_text_buffer_place_cursor(buffer, &caret);

    GtkWidget *area = gtk_scrolled_window_new(NULL, NULL);
    gtk_container_add(GTK_CONTAINER(area), view);
    gtk_container_add(GTK_CONTAINER(window), area);
    gtk_widget_grab_focus(view);
    gtk_widget_show_all(window);
    if (atol(argv[2]) > 0) g_idle_add(show_caret, view);
    gtk_main();
}
