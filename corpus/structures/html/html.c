/* build: export=rep_ok */
/* A subset of HTML as its element trees: first child, next sibling.
     document -> html(head, body)       head -> link*
     flow     -> div(flow*) | h1(text?) body -> flow*
   elements_ok holds for a list of siblings anywhere in a document. */

enum tag { HTML, HEAD, BODY, LINK, DIV, H1, TEXT };

struct element {
    struct element *child, *next;
    enum tag tag;
    unsigned char class_name; /* which rule of the style sheet, of a div only */
};

static int allowed(enum tag parent, enum tag child)
{
    switch (parent) {
    case HEAD:
        return child == LINK;
    case BODY:
    case DIV:
        return child == DIV || child == H1;
    case H1:
        return child == TEXT;
    default:
        return 0;
    }
}

static int elements_ok(const struct element *e)
{
    if (!e)
        return 1;
    if (e->tag == HTML || (e->class_name && e->tag != DIV))
        return 0;
    for (const struct element *c = e->child; c; c = c->next)
        if (!allowed(e->tag, c->tag))
            return 0;
    if (e->tag == H1 && e->child && e->child->next)
        return 0;
    return elements_ok(e->child) && elements_ok(e->next);
}

int rep_ok(const struct element *document)
{
    if (!document || document->tag != HTML || document->class_name || document->next)
        return 0;
    const struct element *head = document->child;
    if (!head || head->tag != HEAD || !head->next || head->next->tag != BODY || head->next->next)
        return 0;
    return elements_ok(head);
}
