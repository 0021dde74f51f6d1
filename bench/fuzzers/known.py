"""The programs of the comparison: what every tool begins with, and the worst inputs that are known.

The inputs were written down before the first run of any tool. Each has a name, where it comes from, and a function
that makes it. A program's *best known* cost is the greatest cost of its inputs. Papers and talks are named from memory, as
are the inputs of CVE-2023-24824 and CVE-2023-22486; cmark's and quick-xml's issues and cmark's tests were looked up.
"""

import itertools
import random
import zlib

N = 1000


def padded(text, filler=b"\0"):
    """A small valid file, drawn out to n bytes."""
    return (text + filler * N)[:N]


def cut(text):
    return bytes(text[:N])


def repeated(text):
    return (text * N)[:N]


def numbers(values):
    return b"".join(value.to_bytes(4, "little", signed=True) for value in values)


def random_inputs():
    """Twenty inputs of random bytes: what no search at all comes to."""
    return [random.Random(seed).randbytes(N) for seed in range(20)]


def djbx33a(key, start=5381):
    for byte in key:
        start = (start * 33 + byte) & 0xFFFFFFFF
    return start


def form_keys(length):
    """All keys of so many bytes that can stand in a form: neither & nor = is part of one."""
    letters = [byte for byte in range(256) if byte not in b"&="]
    return itertools.product(letters, repeat=length)


def equal_hashes():
    """200 keys of four bytes with one and the same hash, as the talk at 28C3 made them from two equal syllables."""
    groups = {}
    for pair in form_keys(2):
        groups.setdefault(33 * pair[0] + pair[1], []).append(bytes(pair))
    # Both halves count: 1089 steps of the second are one of the first.
    middle = 33 * 128 + 128
    keys = []
    for shift in range(-8, 9):
        heads, tails = groups.get(middle + shift, []), groups.get(middle - 1089 * shift, [])
        keys += [head + tail for head in heads for tail in tails]
    keys = [key for key in keys if djbx33a(key) == djbx33a(keys[0])][: N // 5]
    return b"&".join(keys)


def equal_syllables():
    """Keys of eight letters from the syllables Ez, FY and G8, which have one hash."""
    keys = [b"".join(parts) for parts in itertools.product([b"Ez", b"FY", b"G8"], repeat=4)]
    return padded(b"&".join(keys) + b"&", b"Ez&")


def one_list(length, lists):
    """Keys of so many bytes that fall into the first list of a table of so many lists."""
    return (bytes(key) for key in form_keys(length) if djbx33a(key) % lists == 0)


def short_keys_of_one_list():
    """Different keys of three bytes, all of one list of the largest table that they lead to."""
    return cut(b"&".join(itertools.islice(one_list(3, 256), N // 4 + 1)))


def last_of_one_list():
    """Fewer such keys, and the first of them sought again and again: it stands at the end of its list."""
    first = b"a"
    same = djbx33a(first) % 256
    keys = (bytes(key) for key in form_keys(3) if djbx33a(key) % 256 == same)
    head = first + b"&" + b"".join(key + b"&" for key in itertools.islice(keys, 167))
    return padded(head, first + b"&")


def wf_hash(word):
    value = 0
    for byte in word:
        value = (31 * value + byte) & 0xFFFFFFFF
    return value % 1001


def words_of_one_list(bucket):
    """Words that share a list of wf's table, the shortest first."""
    letters = [byte for byte in range(256) if byte not in b" \n\t\r\0"]
    for length in itertools.count(1):
        for word in itertools.product(letters, repeat=length):
            if wf_hash(word) == bucket:
                yield bytes(word)


def colliding_words():
    return cut(b" ".join(itertools.islice(words_of_one_list(97), N // 3)))


def last_word_again():
    """Colliding words, and then the first of them again and again: it stands at the end of its list."""
    words = list(itertools.islice(words_of_one_list(97), 190))
    return padded(b" ".join(words) + b" ", words[0] + b" ")


def fibonacci_word():
    one, other = b"a", b"ab"
    while len(other) < N:
        one, other = other, other + one
    return other[:N]


def all_distinct_attributes(names, form):
    tag = b"<a "
    for name in names:
        if len(tag) + len(name) + len(form) > N:
            break
        tag += name + form
    return tag[: N - 1] + b">"


def one_byte_names():
    return [bytes([byte]) for byte in range(256) if byte not in b" \n\t\r>=\"'"]


CMARK_SEED = b"""# Title

Some *emphasis*, **strong** and a [link](/url).

- one
- two

> quote

`code`
"""

CMARK_WORDS = [
    b"*", b"**", b"_", b"[", b"]", b"(", b")", b"![", b"](", b"[a]: /u\n", b"`", b"```", b">", b"> ", b"- ", b"1. ",
    b"# ", b"---", b"    ", b"\n", b"\n\n", b"\\", b"&amp;", b"<", b"<a>", b"<!--", b"-->", b"<?", b"<![CDATA[",
]

# (program, title, seed, dictionary, [(name of an input, where it comes from, the function that makes it)])
PROGRAMS = {
    "insertion_sort": {
        "title": "insertion sort (250 numbers of 4 bytes)",
        "seed": bytes(N),
        "words": [],
        "known": [
            ("falling", "Knuth, volume 3; WISE", lambda: numbers(range(250, 0, -1))),
        ],
    },
    "quicksort": {
        "title": "quicksort, first value as pivot (250 numbers of 4 bytes)",
        "seed": bytes(N),
        "words": [],
        "known": [
            ("rising", "Hoare 1962; SlowFuzz", lambda: numbers(range(250))),
            ("falling", "the same, mirrored", lambda: numbers(range(250, 0, -1))),
        ],
    },
    "php_hash": {
        "title": "PHP 5's hash table, DJBX33A",
        "seed": padded(b"name=ann&city=paris&age=7&"),
        "words": [b"&", b"="],
        "known": [
            ("equal syllables", "Klink and Wälde, 28C3; CVE-2011-4885", equal_syllables),
            ("equal hashes, shorter keys", "the same, with any byte in a key", equal_hashes),
            ("one list", "Crosby and Wallach 2003: equal lists are enough, hashes need not be equal",
             short_keys_of_one_list),
            ("last of one list again", "the same, then the key at the end of the list over and over", last_of_one_list),
        ],
    },
    "bzip2": {
        "title": "bzip2 1.0.8, compress",
        "seed": bytes(N),
        "words": [],
        "known": [
            ("aab over and over", "its manual names this as the slow case", lambda: repeated(b"aab")),
            ("ab over and over", "a shorter period of the same kind", lambda: repeated(b"ab")),
            ("Fibonacci word", "the bad case of many sorts of suffixes", fibonacci_word),
        ],
    },
    "inflate": {
        "title": "zlib 1.2.13, inflate",
        "seed": padded(zlib.compress(b"hello, hello, hello!", 9)),
        "words": [],
        "known": [
            ("deflate bomb", "zlib's technical notes: 1032 to 1; Fifield, WOOT 2019",
             lambda: cut(zlib.compress(bytes(1_100_000), 9))),
        ],
    },
    "wf": {
        "title": "wf, word frequency",
        "seed": padded(b"the quick brown fox jumps over the lazy dog\n", b" "),
        "words": [b" ", b"\n"],
        "known": [
            ("colliding words", "PerfFuzz's example", colliding_words),
            ("last of one list again", "the same, then the word at the end of the list over and over", last_word_again),
        ],
    },
    "cmark": {
        "title": "cmark 0.30.2, CommonMark to HTML",
        "seed": padded(CMARK_SEED, b"\n"),
        "words": CMARK_WORDS,
        "known": [
            ("blank lines in nested lists", "CVE-2023-24824; cmark's pathological tests since 0.31",
             lambda: padded(b"- " * 250 + b"x", b"\n")),
            ("emphasis in nested quotes", "CVE-2023-24824; the same tests",
             lambda: padded(b">" * 400, b"a*")),
            ("nested quotes", "cmark's pathological tests", lambda: padded(b"> " * 499 + b"a", b"a")),
            ("nested lists", "cmark's issue 255", lambda: cut(b"".join(b"  " * i + b"* a\n" for i in range(40)))),
            ("nested brackets", "cmark's pathological tests", lambda: b"[" * 499 + b"ab" + b"]" * 499),
            ("nested emphasis", "cmark's pathological tests",
             lambda: (b"*a **a " * 71 + b"b" + b" a** a*" * 71)[:N]),
            ("openers and closers", "cmark's issue 389", lambda: b"*a " * 125 + b"_a*_ " * 125),
            ("runs of backticks", "cmark's pathological tests",
             lambda: cut(b"".join(b"e" + b"`" * i for i in range(1, 60)))),
            ("unclosed links", "cmark's issue 218", lambda: repeated(b"[a](<b")),
            ("unclosed links, another", "cmark's pathological tests", lambda: repeated(b"[ (](")),
            ("unclosed images", "CVE-2023-22486", lambda: repeated(b"![l")),
            ("unclosed comments", "CVE-2023-22484", lambda: padded(b"a", b"<!--")),
        ],
    },
    "attributes": {
        "title": "attributes of a tag (quick-xml)",
        "seed": padded(b'<a id="1" name="x" class="y">'),
        "words": [b'=""', b"=''", b"=", b'"', b" ", b"<a ", b">"],
        "known": [
            ("numbered names", "RUSTSEC-2026-0194, quick-xml's issue 969",
             lambda: all_distinct_attributes((b"a%d" % i for i in itertools.count()), b'="" ')),
            ("names of one byte, nothing between", "the same, as short as they can be",
             lambda: all_distinct_attributes(one_byte_names(), b'=""')),
        ],
    },
}


def dictionary(words):
    """In AFL's format."""
    def quoted(word):
        return "".join(
            chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word
        )

    return "".join(f'"{quoted(word)}"\n' for word in words)
