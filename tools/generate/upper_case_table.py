#!/usr/bin/env python3
"""Characters whose upper case is several characters (SpecialCasing of Unicode), in C++.

    python3 tools/generate/upper_case_table.py > weft/core/text/upper_case_table.cpp

They are those of Python, and have not changed since Unicode 5.
"""

WIDTH = 100


def main():
    print("// Made by tools/generate/upper_case_table.py.\n// clang-format off\n"
          '#include "weft/core/text/upper_case_table.h"\n\nnamespace weft {\nnamespace {\n')
    print("constexpr UpperCase kTable[] = {")
    line = "   "
    for c in range(0x110000):
        upper = "" if 0xD800 <= c < 0xE000 else chr(c).upper()
        if len(upper) < 2:
            continue
        text = "".join(chr(u) if u < 0x80 else f"\\u{u:04X}" for u in map(ord, upper))
        entry = f' {{0x{c:X}, U"{text}"}},'
        if len(line) + len(entry) > WIDTH:
            print(line)
            line = "   "
        line += entry
    print(line)
    print("};\n\n}  // namespace\n\nconst std::span<const UpperCase> kUpperCases = kTable;\n\n"
          "}  // namespace weft")


if __name__ == "__main__":
    main()
