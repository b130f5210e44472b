"""Debian's package descriptions as text: fetched through apt, read, cut into sentences, split.

What scripts/fetch-corpus and scripts/fetch-labels share.
"""

import os
import re
import shutil
import subprocess
import sys
import zlib

APT_HELPER = "/usr/lib/apt/apt-helper"
LANGUAGES = {"en": "English", "it": "Italian"}
PARTS = ("train", "valid", "test")
APT_OPTIONS = """
#clear Acquire::Languages;
Acquire::Languages { "en"; "it"; };
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
"""
ITEM = re.compile(r"^\s*(?:[*+-]|[0-9]+[.)])\s+")
SENTENCE_END = re.compile(r"""(?<=[.!?])["')]*\s+(?=["'(]?[A-ZÀ-Ý0-9])""")
ABBREVIATION = re.compile(
    r"\b(e\.g|i\.e|ad es|p\.es|es|etc|ecc|vs|cf|cfr|Dr|Mr|St|No|v|Inc|[A-Z])\.$")


class Unavailable(Exception):
    """apt cannot give the descriptions."""


def say(text):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)


def indexes(apt, pattern):
    """The text of every downloaded index that matches, decompressed by apt."""
    for path in sorted((apt / "lists").glob(pattern)):
        run = subprocess.run([APT_HELPER, "cat-file", str(path)], capture_output=True, check=True)
        yield run.stdout.decode("utf-8", "replace")


def download(apt, language):
    """Lets apt fetch the indexes into a folder of its own unless those of a language are there."""
    if is_downloaded(apt, language):
        return
    if not shutil.which("apt-get") or not os.path.exists(APT_HELPER):
        raise Unavailable("this system has no apt")
    for folder in ("lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    options = apt / "apt.conf"
    options.write_text(APT_OPTIONS)
    command = ["apt-get", "-q", "-c", str(options), "-o", f"Dir::State={apt}",
               "-o", f"Dir::State::Lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache"]
    if os.geteuid() == 0:  # apt's own user may not see into this folder
        command += ["-o", "APT::Sandbox::User=root"]
    say("fetching the package descriptions through apt (about 20 MB)")
    try:
        run = subprocess.run([*command, "update"], stdin=subprocess.DEVNULL, timeout=900,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             env={**os.environ, "LC_ALL": "C"})
        output = run.stdout
    except subprocess.TimeoutExpired:
        output = "no answer within 15 minutes"
    (apt / "update.log").write_text(output)
    if not is_downloaded(apt, language):
        last = [line for line in output.splitlines() if line[:2] in ("E:", "W:", "Er")]
        raise Unavailable(f"apt brought no descriptions in {LANGUAGES[language]}: " +
                          (last or output.splitlines() or ["no network?"])[-1])


def stanzas(text, language):
    """(package, md5, lines of the description) of each stanza of a Translation file."""
    for stanza in text.split("\n\n"):
        head, found, body = stanza.partition(f"\nDescription-{language}:")
        fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        if found and "Description-md5" in fields:
            yield fields.get("Package", ""), fields["Description-md5"], body.split("\n")


def source_names(apt):
    """{binary package: its source package}; a package without an entry is its own source."""
    sources = {}
    for text in indexes(apt, "*_binary-*_Packages*"):
        for field, name in re.findall(r"^(Package|Source): (\S+)", text, re.MULTILINE):
            if field == "Package":
                package = name
            else:
                sources[package] = name
    return sources


def package_fields(apt, name):
    """{binary package: the value of that field}, continued lines joined by a space."""
    values = {}
    pattern = re.compile(rf"^(Package|{name}): *(.*(?:\n[ \t].*)*)", re.MULTILINE)
    for text in indexes(apt, "*_binary-*_Packages*"):
        for field, value in pattern.findall(text):
            if field == "Package":
                package = value
            else:
                values[package] = " ".join(value.split())
    return values


def descriptions(apt, language):
    """{Description-md5: (package, lines of the description)}"""
    return {md5: (package, lines)
            for text in indexes(apt, f"*_i18n_Translation-{language}*")
            for package, md5, lines in stanzas(text, language)}


def is_downloaded(apt, language):
    return any((apt / "lists").glob(f"*_i18n_Translation-{language}*"))


def paragraphs(lines):
    """[[item, ...], ...]: the synopsis and each paragraph, cut into list items, as flowing text."""
    result = [[" ".join(lines[0].split())]]
    fresh = True
    for line in lines[1:]:
        text = " ".join(line.split())
        if text in ("", "."):
            fresh = True
            continue
        item = ITEM.match(line)
        if fresh:
            result.append([])
        if fresh or item:
            result[-1].append("")
        if item:
            text = ITEM.sub("", text)
        before = result[-1][-1]
        glue = "" if not before or re.search(r"\w-$", before) else " "
        result[-1][-1] = before + glue + text
        fresh = False
    return result


def sentences(text):
    """Cut after a full stop, an exclamation or a question mark, abbreviations aside."""
    pieces, start = [], 0
    for match in SENTENCE_END.finditer(text):
        if not ABBREVIATION.search(text[start:match.start()]):
            pieces.append(text[start:match.end()].strip())
            start = match.end()
    return pieces + [text[start:].strip()]


def part_of(source, held=1):
    """"test" and "valid" have `held` of 100 source packages each."""
    remainder = zlib.crc32(source.encode()) % 100
    return "test" if remainder < held else "valid" if remainder < 2 * held else "train"


def masked(text):
    return re.sub(r"\d+", "0", text.lower())


def split(examples, texts=lambda fields: fields, held=1):
    """{part: unique fields} of pairs (source package, fields). No text of an example of train, of
    those that `texts` gives, stands in valid or test, digits and case aside.
    `held` as in part_of()."""
    result, seen, held_out = {part: [] for part in PARTS}, set(), set()
    for part in reversed(PARTS):
        for source, fields in examples:
            if part_of(source, held) != part or fields in seen:
                continue
            seen.add(fields)
            if not any(masked(text) in held_out for text in texts(fields)):
                result[part].append(fields)
        held_out |= {masked(text) for fields in result[part] for text in texts(fields)}
    return result


def write_whole(path, lines):
    temporary = path.with_name(path.name + ".part")
    temporary.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    temporary.rename(path)


def fetch(folder, files, build):
    """Runs build(folder, its folder for apt) unless all files are there; the exit status."""
    if all((folder / name).is_file() and (folder / name).stat().st_size for name in files):
        say(f"the corpus is there already: {folder}")
        return 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        build()
    except (Unavailable, subprocess.CalledProcessError, OSError) as problem:
        say(f"no corpus: {problem}")
        return 3
    return 0
