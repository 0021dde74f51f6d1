/* build: export=rep_ok */
/* A small arithmetic language as its syntax trees:
     sum     -> product | sum + product
     product -> atom | product * atom
     atom    -> number | - atom | ( sum )
   A tree is what a parser of that grammar makes, so each string has exactly one. */

enum kind { NUMBER, NEGATION, PRODUCT, SUM };

struct expression {
    enum kind kind;
    unsigned char digit; /* of a number, else 0 */
    const struct expression *left, *right;
};

int rep_ok(const struct expression *e)
{
    if (!e)
        return 1;
    switch (e->kind) {
    case NUMBER:
        return e->digit <= 9 && !e->left && !e->right;
    case NEGATION:
        /* What follows the sign is an atom: parentheses hold a sum or a product of their own. */
        return e->digit == 0 && e->left && !e->right && rep_ok(e->left);
    case PRODUCT:
    case SUM:
        return e->digit == 0 && e->left && e->right && rep_ok(e->left) && rep_ok(e->right);
    }
    return 0;
}
