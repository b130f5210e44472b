"""Tables of ranges of characters in C++."""

WIDTH = 100


def ranges(characters):
    out = []
    for c in characters:
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def print_tables(tool, header, tables):
    """A source file with the ranges of the characters, in order, of each name."""
    print(f'// Made by tools/generate/{tool}.\n// clang-format off\n#include "{header}"\n')
    print("namespace weft {\nnamespace {\n")
    for name, characters in tables.items():
        pairs = [f"{{0x{a:X}, 0x{b:X}}}" for a, b in ranges(characters)]
        print(f"constexpr CharacterRange {name}Ranges[] = {{")
        line = "   "
        for pair in pairs:
            if len(line) + len(pair) + 2 > WIDTH:
                print(line)
                line = "   "
            line += f" {pair},"
        print(line)
        print("};")
    print("\n}  // namespace\n")
    for name in tables:
        print(f"const std::span<const CharacterRange> {name} = {name}Ranges;")
    print("\n}  // namespace weft")
