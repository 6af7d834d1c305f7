// The command line of the scripted XIM server.
#include "server.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .server_name = "inkstone",
    .locales = XCB_IM_ALL_LOCALES,
    .event_mask = XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE,
    .synchronous_replies = true,
    .mode = MODE_KANA,
    .on_reset = ENDING_EMPTY,
    .on_unset = ENDING_CLEAR,
};

static const char usage[] =
    "Usage: inkstone-xim-server [OPTIONS]\n"
    "  --server-name NAME     own the selection @server=NAME (inkstone); clients use XMODIFIERS=@im=NAME\n"
    "  --display NAME         X display ($DISPLAY)\n"
    "  --script FILE|-        rules and actions, see below\n"
    "  --check                judge the script and end: 0 if it can be done, 2 and the line that cannot\n"
    "  --log FILE|fd:N|-      JSON lines, one for each request: t (CLOCK_MONOTONIC, ms), request, context, and more\n"
    "  --mode NAME            answer to keys without a rule: kana-like (default: letters compose, space converts to two\n"
    "                         clauses, arrows and BackSpace edit, Return commits, Escape cancels), commit-each,\n"
    "                         forward-each, swallow\n"
    "  --flow NAME            event flow: async (default), sync, dynamic (ctrl+space switches on and off)\n"
    "  --styles LIST          what XNQueryInputStyle offers, e.g. callbacks+nothing,position+nothing (default: callbacks,\n"
    "                         position, nothing, each with nothing and callbacks for the status); or none\n"
    "  --locales LIST         locales served (all)\n"
    "  --keys press|both      which key events the client is to forward (both)\n"
    "  --no-sync-flag         FORWARD_EVENT and COMMIT without the SYNCHRONOUS flag, so that they are not paced\n"
    "  --commit-order ORDER   kana-like: commit-first (default) or done-first\n"
    "  --on-reset HOW         kana-like: text (as reply), empty (default: forget), clear (empty, then draw and done),\n"
    "                         late (as clear, then a commit)\n"
    "  --on-unset HOW         kana-like on loss of focus: clear (default), commit, keep\n"
    "  --preedit-state        serve XNPreeditState: on at first, off after each reset\n"
    "  --fuzz SEED:N          damage about one in N of the messages sent, the same ones for the same seed\n"
    "`ready @server=NAME` is printed when the selection is owned and XIM_SERVERS names it.\n\n";

static uint32_t style_bits(const char *name, bool status) {
    static const struct {
        const char *name;
        uint32_t preedit, status;
    } styles[] = {
        {"area", XCB_IM_PreeditArea, XCB_IM_StatusArea},
        {"callbacks", XCB_IM_PreeditCallbacks, XCB_IM_StatusCallbacks},
        {"position", XCB_IM_PreeditPosition, 0},
        {"nothing", XCB_IM_PreeditNothing, XCB_IM_StatusNothing},
        {"none", XCB_IM_PreeditNone, XCB_IM_StatusNone},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (strcmp(styles[i].name, name) == 0) return status ? styles[i].status : styles[i].preedit;
    }
    fprintf(stderr, "inkstone-xim-server: unknown style: %s\n", name);
    exit(2);
}

static void parse_styles(char *list) {
    options.style_count = 0;
    if (strcmp(list, "none") == 0) return;
    for (char *item = strtok(list, ","); item && options.style_count < 32; item = strtok(NULL, ",")) {
        char *status = strchr(item, '+');
        if (status) *status++ = 0;
        options.styles[options.style_count++] =
            style_bits(item, false) | style_bits(status ? status : "nothing", true);
    }
}

static int one_of(const char *option, const char *value, const char *const *names, const int *values) {
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], value) == 0) return values[i];
    }
    fprintf(stderr, "inkstone-xim-server: --%s: unknown value %s\n", option, value);
    exit(2);
}

void parse_options(int argc, char **argv) {
    static const char *const modes[] = {"swallow", "commit-each", "forward-each", "kana-like", NULL};
    static const char *const flows[] = {"async", "sync", "dynamic", NULL};
    static const char *const endings[] = {"text", "empty", "clear", "late", "commit", "keep", NULL};
    static const char *const keys[] = {"both", "press", NULL}, *const orders[] = {"commit-first", "done-first", NULL};
    static const int numbers[] = {0, 1, 2, 3, 4, 5};
    static const struct option names[] = {
        {"server-name", 1, 0, 'n'}, {"display", 1, 0, 'd'},      {"script", 1, 0, 's'},  {"log", 1, 0, 'l'},
        {"mode", 1, 0, 'm'},        {"flow", 1, 0, 'f'},         {"styles", 1, 0, 'y'},  {"locales", 1, 0, 'L'},
        {"keys", 1, 0, 'k'},        {"no-sync-flag", 0, 0, 'S'}, {"commit-order", 1, 0, 'o'},
        {"on-reset", 1, 0, 'r'},    {"on-unset", 1, 0, 'u'},     {"help", 0, 0, 'h'},    {"preedit-state", 0, 0, 'p'},
        {"check", 0, 0, 'c'},       {"fuzz", 1, 0, 'z'},        {0, 0, 0, 0},
    };
    char styles[] = "callbacks+nothing,callbacks+callbacks,position+nothing,position+callbacks,nothing+nothing,"
                    "nothing+callbacks";
    parse_styles(styles);
    for (int c, index; (c = getopt_long(argc, argv, "", names, &index)) != -1;) {
        switch (c) {
        case 'n': options.server_name = optarg; break;
        case 'd': options.display_name = optarg; break;
        case 's': options.script = optarg; break;
        case 'l':
            if (log_open(optarg)) break;
            fprintf(stderr, "inkstone-xim-server: %s: %s\n", optarg, strerror(errno));
            exit(1);
        case 'm': options.mode = (enum mode)one_of("mode", optarg, modes, numbers); break;
        case 'f': {
            int flow = one_of("flow", optarg, flows, numbers);
            options.synchronous_events = flow == 1;
            options.dynamic = flow == 2;
            break;
        }
        case 'y': parse_styles(optarg); break;
        case 'L': options.locales = optarg; break;
        case 'k': if (one_of("keys", optarg, keys, numbers)) options.event_mask = XCB_EVENT_MASK_KEY_PRESS; break;
        case 'S': options.synchronous_replies = false; break;
        case 'o': options.done_before_commit = one_of("commit-order", optarg, orders, numbers); break;
        case 'r': options.on_reset = (enum ending)one_of("on-reset", optarg, endings, numbers); break;
        case 'u': options.on_unset = (enum ending)one_of("on-unset", optarg, endings, numbers); break;
        case 'p': options.has_preedit_state = true; break;
        case 'c': options.only_checks = true; break;
        case 'z':
            if (fuzz_start(optarg)) break;
            fprintf(stderr, "inkstone-xim-server: --fuzz: not SEED:N: %s\n", optarg);
            exit(2);
        case 'h': printf("%s%s", usage, script_help); exit(0);
        default: exit(2);
        }
    }
    if (optind == argc) return;
    fprintf(stderr, "inkstone-xim-server: unknown argument: %s\n", argv[optind]);
    exit(2);
}
