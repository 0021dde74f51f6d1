"""Inputs that make a quicksort quadratic: McIlroy, A Killer Adversary for Quicksort, 1999."""


def killer(sort, n):
    """n values on which `sort` is slow. `sort` is a model of it: it gets a list and a comparison.

    Values are decided while they are compared: all begin as gas, above every value that is solid. Of
    two that are gas one becomes the least value not given yet: the one that was met last as gas, for
    it is likely to be the pivot. So the pivot is always among the least of what is left.
    """
    gas = n
    values = [gas] * n
    solid, candidate = 0, None

    def compare(x, y):
        nonlocal solid, candidate
        if values[x] == values[y] == gas:
            values[x if x == candidate else y] = solid
            solid += 1
        if values[x] == gas:
            candidate = x
        elif values[y] == gas:
            candidate = y
        return values[x] - values[y]

    sort(list(range(n)), compare)
    return values


def bentley_mcilroy(a, compare):
    """The sort of Bentley and McIlroy (Engineering a Sort Function, 1993) as BSD and newlib have it: a
    range in which the pivot left nothing to swap is sorted by insertion, and the smaller part is
    sorted first."""

    def insertion(low, n):
        for i in range(low + 1, low + n):
            while i > low and compare(a[i - 1], a[i]) > 0:
                a[i - 1], a[i] = a[i], a[i - 1]
                i -= 1

    def median(i, j, k):
        if compare(a[i], a[j]) < 0:
            return j if compare(a[j], a[k]) < 0 else k if compare(a[i], a[k]) < 0 else i
        return j if compare(a[j], a[k]) > 0 else i if compare(a[i], a[k]) < 0 else k

    def pivot(low, n):
        left, middle, right = low, low + n // 2, low + n - 1
        if n > 40:
            d = n // 8
            left = median(left, left + d, left + 2 * d)
            middle = median(middle - d, middle, middle + d)
            right = median(right - 2 * d, right - d, right)
        return median(left, middle, right) if n > 7 else middle

    def exchange(i, j, n):
        for k in range(n):
            a[i + k], a[j + k] = a[j + k], a[i + k]

    def sort(low, n):
        while n > 1:
            if n < 7:
                return insertion(low, n)
            exchange(low, pivot(low, n), 1)
            # Equal to the pivot: below `equal` and above `same`. Less: up to `i`. Greater: beyond `j`.
            equal = i = low + 1
            same = j = low + n - 1
            swapped = False
            while True:
                while i <= j and (order := compare(a[i], a[low])) <= 0:
                    if order == 0:
                        swapped = True
                        exchange(equal, i, 1)
                        equal += 1
                    i += 1
                while i <= j and (order := compare(a[j], a[low])) >= 0:
                    if order == 0:
                        swapped = True
                        exchange(j, same, 1)
                        same -= 1
                    j -= 1
                if i > j:
                    break
                exchange(i, j, 1)
                swapped = True
                i += 1
                j -= 1
            if not swapped:
                return insertion(low, n)
            less, greater = i - equal, same - j
            moved = min(equal - low, less)
            exchange(low, i - moved, moved)
            moved = min(greater, low + n - 1 - same)
            exchange(i, low + n - moved, moved)
            small, large = (low, less), (low + n - greater, greater)
            if greater <= less:
                small, large = large, small
            sort(*small)
            low, n = large

    sort(0, len(a))


def newlib_killer(n):
    return killer(bentley_mcilroy, n)
