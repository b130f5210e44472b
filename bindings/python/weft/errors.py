"""The exceptions of Weft. What they say reads `where: what is wrong; expected X, got Y`."""

__all__ = ["Error", "FileError", "FormatError", "NumericError", "OptionError", "ShapeError"]


class Error(Exception):
    """All failures of the library are errors of this class."""


class ShapeError(Error, ValueError):
    """Incompatible shapes, such as those of a picture and a model."""


class OptionError(Error, ValueError):
    """An option or value that is unknown, out of range or contradicts another."""


class FileError(Error, OSError):
    """A file that cannot be opened, read, written, locked or renamed."""


class FormatError(Error, ValueError):
    """A file or an example whose content does not match its format."""


class NumericError(Error, ArithmeticError):
    """A number that is infinite or not a number."""
