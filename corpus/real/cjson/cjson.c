/* cJSON: n bytes parsed, and what people do with the result. */
#include "cJSON.h"
#include "cJSON_Utils.h"
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("parse") int parse(const char *text, int n)
{
    cJSON *root = cJSON_ParseWithLength(text, n);
    return root != NULL;
}

/* Arrays in arrays: `[` and `]` and `1`. */
EXPORT("nested") int nested(const char *text, int n)
{
    return parse(text, n);
}

/* The usual loop over an array, which walks the list from its head each time. */
EXPORT("sum") int sum(const int *a, int n)
{
    cJSON *list = cJSON_CreateIntArray(a, n);
    int total = 0;
    for (int i = 0; i < cJSON_GetArraySize(list); i++)
        total += cJSON_GetArrayItem(list, i)->valueint > 0;
    return total;
}

/* n members with names of one letter, sorted by name (a merge sort of a list). */
EXPORT("sort_members") int sort_members(const char *letters, int n)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < n; i++) {
        char name[2] = {letters[i], 0};
        cJSON_AddItemToObject(object, name, cJSON_CreateNull());
    }
    cJSONUtils_SortObjectCaseSensitive(object);
    return 1;
}

/* n members looked up by name, each a walk along the list. */
EXPORT("look_up") int look_up(const char *letters, const char *wanted, int n)
{
    cJSON *object = cJSON_CreateObject();
    int found = 0;
    for (int i = 0; i < n; i++) {
        char name[2] = {letters[i], 0};
        cJSON_AddItemToObject(object, name, cJSON_CreateTrue());
    }
    for (int i = 0; i < n; i++) {
        char name[2] = {wanted[i], 0};
        found += cJSON_GetObjectItemCaseSensitive(object, name) != NULL;
    }
    return found;
}

EXPORT("minify") int minify(char *text, int n)
{
    char *t = cJSON_malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    cJSON_Minify(t);
    return (int)strlen(t);
}

/* Objects in objects, n deep, and the path to the innermost. */
EXPORT("path_to") int path_to(const char *letters, int n)
{
    cJSON *root = cJSON_CreateObject(), *inner = root;
    for (int i = 0; i < n; i++) {
        char name[2] = {letters[i], 0};
        inner = cJSON_AddObjectToObject(inner, name);
    }
    return (int)strlen(cJSONUtils_FindPointerFromObjectTo(root, inner));
}
