/* build: export=look_up */
/* Reads the entry that the input names, with no check: most indices leave the memory. */

static const int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};

int look_up(int index)
{
    return squares[index];
}
