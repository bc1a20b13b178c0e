"""Descriptors through which a confining program is given data, and through which it tells how it began."""

import os


def holding(data: bytes) -> int:
    """A descriptor from which a program reads `data`. Linux only, as the programs that need it."""
    descriptor = os.memfd_create("workorder")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def telling() -> tuple[int, int]:
    """Where to read what the program tells, without waiting, and where it writes that."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return reading, writing
