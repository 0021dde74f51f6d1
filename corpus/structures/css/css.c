/* build: export=rep_ok */
/* A subset of CSS: a list of rules, each with declarations whose properties ascend, since their
   order is irrelevant. Rule i styles the class i, so a style sheet is written in one way only. */

enum property { PERSPECTIVE, VISIBILITY, TRANSFORM };
enum value { NONE, HIDDEN, ROTATE, SKEW };

struct declaration {
    struct declaration *next;
    enum property property;
    enum value value;
};

struct rule {
    struct rule *next;
    struct declaration *declarations;
};

static int fits(enum property property, enum value value)
{
    switch (property) {
    case PERSPECTIVE:
        return value == NONE;
    case VISIBILITY:
        return value == NONE || value == HIDDEN;
    default:
        return value != HIDDEN;
    }
}

static int declarations_ok(const struct declaration *d)
{
    if (!d)
        return 1;
    if (!fits(d->property, d->value) || !declarations_ok(d->next))
        return 0;
    return !d->next || d->property < d->next->property;
}

int rep_ok(const struct rule *rule)
{
    if (!rule)
        return 1;
    return rule->declarations && declarations_ok(rule->declarations) && rep_ok(rule->next);
}
