"""How files are damaged: texts, files of columns, model files, certificates."""

import copy
import json
import random

import numpy as np

from novikoff.models.files.packed import file_bytes

CSV = [
    'kind,length,depth,island\nA,39.1,18.7,Torg\nB,39.5,NA,"Dre, am"\nA, 40.3 ,18,Biscoe\n"C ""x""",1e3,-2.5,?\n',
    "1;2.5;a\n3;4.5;b\n-5;.5;a\n",
    "t\tx\r\nja\t1\r\nnein\t\r\nja\t3\r\n",
    'a,b\n"multi\nline",1\nplain,2\n\n"",3\n',
    "y,u,x,v\na,p,1.5,s\nb,q,2,t\na,p,-1,s\nb,r,7.25,\n",
]
SVM = ["1 1:0.5 3:2e-3 7:1\n-1 2:4 # note\n\n+1 qid:3 1:0.25\n", "3 1:12345678901234567890\n2 4:-0 9:1e-300\n"]
JSON = [
    '{"kind": "A", "x": 1.5, "ok": true}\n{"kind": "B", "x": null, "ok": false}\n\n{"kind": "A", "ok": true}\n',
    '{"x": 1, "y": "\\u00e4"}\n{"x": -2e3, "y": "b"}\n',
]
ODD_BYTES = [
    b'"',
    b'""',
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b",",
    b";",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    "€𝄞\u2028".encode(),
]
ODD_BYTES += [
    b"inf",
    b"nan",
    b"1e999",
    b"-",
    b":",
    b"{",
    b"}",
    b"[",
    b"\\ud800",
    b"#",
    b" ",
    b"9" * 30,
    b"1:",
    b"0:1",
    b"null",
]


def text_changed(rng: random.Random, data: bytes) -> bytes:
    """A text with some bytes flipped, cut, doubled, or something odd put in."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        change = rng.randrange(5)
        if change == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        elif change == 1:
            data = data[:at] + data[at + rng.randint(1, 6) :]
        elif change == 2:
            data = data[:at] + rng.choice(ODD_BYTES) + data[at:]
        elif change == 3:
            data = data[:at] if rng.random() < 0.3 else data
        else:
            other = rng.randrange(len(data) + 1)
            data = data[:at] + data[other : other + rng.randint(1, 8)] + data[at:]
    return data


def flipped(rng: random.Random, data: bytes) -> bytes:
    """Bytes with some bits flipped, perhaps cut."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed[: rng.choice([len(changed), len(changed), rng.randrange(len(changed))])])


# Model files


def bytes_changed(draw, content):
    """Flipped, cut, doubled or overwritten bytes; the checksum does not know."""
    content = bytearray(content)
    at = draw.randrange(len(content))
    match draw.randrange(4):
        case 0:
            content[at] ^= 1 << draw.randrange(8)
        case 1:
            del content[at:]
        case 2:
            content[at:at] = content[at : at + draw.randrange(1, 64)]
        case 3:
            content[at : at + 8] = draw.randbytes(8)
    return bytes(content)


ODD_VALUES = [
    None,
    True,
    -1,
    0,
    1,
    3,
    10**12,
    2**70,
    0.0,
    -1.5,
    1e308,
    5e-324,
    "",
    "nan",
    "inf",
    "x",
    "vote",
    "\ud800",
    [],
    {},
]
ODD_VALUES += [
    "coef_",
    {"transposed": "coef_"},
    {"array": "coef_"},
    {"list": []},
    {"dict": [[[], 1]]},
    "stream.counts",
    [[]],
]


def places(tree, path=()):
    """All places in a tree of JSON."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def follow(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def header_changed(draw, text):
    """The header with something replaced, moved, removed or renamed: valid JSON."""
    header = json.loads(text)
    found = list(places(header))[1:]
    *parents, key = draw.choice(found)
    parent = follow(header, parents)
    match draw.randrange(4):
        case 0 | 1:
            parent[key] = draw.choice(ODD_VALUES)
        case 2:
            parent[key] = copy.deepcopy(follow(header, draw.choice(found)))
        case 3:
            value = parent.pop(key)
            if draw.random() < 0.5 and isinstance(parent, dict):
                parent[draw.choice(["other", str(key) + "_", "class"])] = value
    return json.dumps(header)


def arrays_changed(draw, arrays):
    """Arrays with an odd value, another shape or type, or another's place."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = draw.choice(list(arrays))
    array = arrays[name]
    match draw.randrange(5):
        case 0 | 1:
            if array.size:
                odd = [np.nan, np.inf, -1, 1e308, 0, 2**40] if array.dtype.kind == "f" else [0, 1, 99, 2**31 - 1]
                odd += [-1, -(2**31)] if array.dtype.kind == "i" else []
                array.reshape(-1)[draw.randrange(array.size)] = draw.choice(odd)
        case 2:
            arrays[name] = array.reshape(draw.choice([(-1,), (1, *array.shape), (*array.shape, 1)]))
        case 3:
            arrays[name] = draw.choice([array[:-1], np.concatenate([array, array]), array[:0], array.T.copy()])
        case 4:
            arrays[name] = array.astype(draw.choice(["f4", "f8", "i8", "i4", "u4", "?"]))
    return arrays


def model_changed(draw, content, text, arrays):
    """A model file with something changed in its bytes, its header, its arrays, or both of these."""
    with np.errstate(all="ignore"):
        match draw.randrange(5):
            case 0:
                return bytes_changed(draw, content)
            case 1 | 2:
                return file_bytes(header_changed(draw, text), arrays)
            case 3:
                return file_bytes(text, arrays_changed(draw, arrays))
            case _:
                return file_bytes(header_changed(draw, text), arrays_changed(draw, arrays))


# Certificates

ODD_JSON = [
    "NaN",
    "Infinity",
    "-Infinity",
    "-0",
    "-0.0",
    "1e400",
    "5e-324",
    "1e-400",
    "9" * 40,
    "9" * 5000,
    "true",
    "null",
]
ODD_JSON += [
    '"0x1/0x3"',
    '"1_0"',
    '" 1 "',
    '"\\u0661"',
    '"1/0"',
    '"1/-2"',
    '"1.5"',
    '""',
    '"' + "9" * 5000 + '"',
    "{}",
    "[]",
]
ODD_JSON += ["[" * 300 + "]" * 300, "[" * 100_000 + "]" * 100_000, '"\\ud800"', '"\u00e9"']


def certificate_changed(draw: random.Random, document: dict) -> bytes:
    """A certificate as a file, in which values became others or of another kind, or its bytes are other ones."""
    document, marks = copy.deepcopy(document), {}
    for _ in range(draw.choice([0, 1, 1, 1, 2])):
        found = list(places(document))[1:]
        if not found:
            break
        *parents, key = draw.choice([draw.choice(found), *[path for path in found if len(path) < 3]])
        parent = follow(document, parents)
        value = parent[key]
        match draw.randrange(7):
            case 0:
                mark = f"mark {len(marks)}"
                parent[key], marks[json.dumps(mark)] = mark, draw.choice(ODD_JSON)
            case 1:
                parent[key] = _of_another_kind(draw, value)
            case 2:
                parent[key] = copy.deepcopy(follow(document, draw.choice(found)))
            case 3:
                parent.pop(key)
            case 4 if isinstance(value, list) and value:
                value.insert(draw.randrange(len(value) + 1), copy.deepcopy(draw.choice(value)))
            case 5 if isinstance(value, list):
                draw.shuffle(value)
            case _ if isinstance(parent, list):
                parent.insert(draw.randrange(len(parent) + 1), draw.choice(["", [], {}, None, 0]))
            case _:
                parent[draw.choice(["note", "margin", "boundary", "witness"])] = copy.deepcopy(value)
    text = json.dumps(document)
    for mark, odd in marks.items():
        text = text.replace(mark, odd)
    match draw.randrange(12):
        case 0:
            return text.encode(draw.choice(["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"]))
        case 1:  # a name twice: the later value counts
            name = draw.choice(["rows", "claims", "classes", "intercept", "format"])
            again = json.dumps(document.get(name, 1))
            odd = f'{{"{name}": {draw.choice([again, *ODD_JSON])}, {text[1:]}'
            return (odd if draw.random() < 0.5 else f'{text[:-1]}, "{name}": {again}}}').encode()
        case 2:
            return text_changed(draw, text.encode())
        case 3:
            return (
                draw.choice([" {} ", "\n{}\r\n", "{}x", "{}{{}}", "\0{}", "{}\0", "//\n{}", "[{}]"])
                .format(text)
                .encode()
            )
        case _:
            return text.encode()


def _of_another_kind(draw: random.Random, value: object) -> object:
    """The same in another form of JSON: a list as an object or a text, an object as pairs, a number as a text or a list."""
    if isinstance(value, list):
        as_names = {str(each): i for i, each in enumerate(value)}
        return draw.choice(
            [as_names, {str(i): each for i, each in enumerate(value)}, "".join(map(str, value)), [value]]
        )
    if isinstance(value, dict):
        return draw.choice([[[name, each] for name, each in value.items()], list(value), [value], json.dumps(value)])
    if isinstance(value, bool) or value is None:
        return draw.choice([int(bool(value)), str(value), [value], float(bool(value))])
    if isinstance(value, int | float):
        return draw.choice([str(value), float(value), [value], {str(value): value}, bool(value), -value])
    return draw.choice([list(value), {value: value}, [value], value + " ", value.upper(), value.encode().hex()])
