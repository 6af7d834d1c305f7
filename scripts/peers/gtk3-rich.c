// GTK 3's text view with a styled text, for `scripts/bench rich`: GTK3-RICH RUNS LINE. Prints what it measures.
#include <gtk/gtk.h>

#include <stdlib.h>
#include <string.h>

static void handle_events(void) {
    while (gtk_events_pending()) gtk_main_iteration();
}

static void show(const char *name, gint64 start) {
    printf("rich.%s.gtk3 %.1f ms\n", name, (double)(g_get_monotonic_time() - start) / 1000);
}

int main(int argc, char **argv) {
    gtk_init(NULL, NULL);
    if (argc != 3) return 2;
    const long runs = atol(argv[1]);
    const int length = (int)strlen(argv[2]);
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size(GTK_WINDOW(window), 1000, 700);
    GtkWidget *view = gtk_text_view_new();
    gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view), GTK_WRAP_WORD_CHAR);
    GtkWidget *area = gtk_scrolled_window_new(NULL, NULL);
    gtk_container_add(GTK_CONTAINER(area), view);
    gtk_container_add(GTK_CONTAINER(window), area);
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
    GtkTextTag *italic = gtk_text_buffer_create_tag(buffer, NULL, "style", PANGO_STYLE_ITALIC, NULL);
    GtkTextTag *red = gtk_text_buffer_create_tag(buffer, NULL, "foreground", "#cc0000", NULL);
    GtkTextTag *large = gtk_text_buffer_create_tag(buffer, NULL, "size-points", 13.5, NULL);
    GtkTextTag *bold = gtk_text_buffer_create_tag(buffer, NULL, "weight", PANGO_WEIGHT_BOLD, NULL);

    gint64 start = g_get_monotonic_time();
    GtkTextIter at, from;
    gtk_text_buffer_get_end_iter(buffer, &at);
    for (long i = 0; i < runs; i++) {
        gtk_text_buffer_insert(buffer, &at, argv[2], length);
        from = at;
        gtk_text_iter_backward_chars(&from, length);
        if (i & 1) gtk_text_buffer_apply_tag(buffer, italic, &from, &at);
        if (i & 2) gtk_text_buffer_apply_tag(buffer, red, &from, &at);
        if (i & 4) gtk_text_buffer_apply_tag(buffer, large, &from, &at);
    }
    show("build", start);
    gtk_text_buffer_get_start_iter(buffer, &at);
    gtk_text_buffer_place_cursor(buffer, &at);
    gtk_widget_show_all(window);
    handle_events();
    show("loaded", start);

    start = g_get_monotonic_time();
    for (int i = 0; i < 50; i++) {
        gtk_text_buffer_insert_at_cursor(buffer, "x", 1);
        handle_events();
    }
    printf("rich.key.gtk3 %.1f µs\n", (double)(g_get_monotonic_time() - start) / 50);

    GtkTextIter end;
    gtk_text_buffer_get_bounds(buffer, &at, &end);
    start = g_get_monotonic_time();
    gtk_text_buffer_apply_tag(buffer, bold, &at, &end);
    handle_events();
    show("bold-all", start);
    return 0;
}
