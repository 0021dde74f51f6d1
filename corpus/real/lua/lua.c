/* The patterns of Lua: a small matcher that goes back and tries again. */
#include "lstrlib.c"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

/* Only a pattern that is wrong would need it. */
int luaL_error(lua_State *state, const char *message, ...)
{
    abort();
}

/* As `string.find` does it, without an interpreter around it: from each place in turn. */
static int find(const char *pattern, const char *text, int n)
{
    MatchState state = {.src_init = text, .src_end = text + n};
    for (const char *at = text; at <= text + n; at++) {
        state.level = 0;
        if (match(&state, at, pattern))
            return (int)(at - text);
    }
    return -1;
}

/* Two repetitions, sought from everywhere. */
EXPORT("two_stars") int two_stars(const char *text, int n)
{
    return find("a*a*b", text, n);
}

/* A pair of brackets with what is between them. */
EXPORT("balanced") int balanced(const char *text, int n)
{
    return find("%b()", text, n);
}

/* A digit and a space: nothing to go back to. */
EXPORT("plain") int plain(const char *text, int n)
{
    return find("%d%s", text, n);
}
