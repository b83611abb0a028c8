"""Tensors: files of them from outside, of which nothing is loaded before all names, shapes and types are what
they must be; torch's lack of memory as Python's own; and torch's threads."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from stichwerk.support.errors import InputError, quoted

NO_MEMORY = "can't allocate memory"  # in the words of torch's allocator for the CPU, whose error has no type
TYPES = {torch.float32: "F32", torch.int64: "I64", torch.uint8: "U8"}
MOST_BESIDES = 1 << 20  # bytes of a file besides the numbers


class OtherVersion(InputError):  # noqa: N818 - nothing is wrong with the file
    """A file that is whole, but was written by another version of what reads it."""


def read_tensors(
    path: Path, like: Mapping[str, torch.Tensor], about: Mapping[str, str] | None = None
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The tensors and the metadata of a safetensors file; InputError unless it holds exactly tensors of these
    names, shapes and types, all finite.

    like: may be on the device "meta", and then takes no memory
    about: metadata that must be there, or else OtherVersion
    """
    most = sum(tensor.numel() * tensor.element_size() for tensor in like.values()) + MOST_BESIDES
    if path.stat().st_size > most:
        raise InputError(f"too large: {path.stat().st_size:,} bytes of at most {most:,}")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            for name, value in (about or {}).items():
                if metadata.get(name) != value:
                    raise OtherVersion(f"it is of another {name}")
            found = dict(_shapes(file))
            for name, needed in {name: _shape(tensor) for name, tensor in like.items()}.items():
                if found.pop(name, None) != needed:
                    raise InputError(f"it must hold {name} as {needed}")
            if found:
                raise InputError(f"it holds {quoted(next(iter(found)))}, which does not belong there")
            tensors = {name: file.get_tensor(name) for name in like}
    except SafetensorError as error:
        raise InputError(error) from None
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise InputError(f"{name} holds numbers that are not finite")
    return tensors, metadata


def _shapes(file: safe_open) -> Iterator[tuple[str, str]]:
    for name in file.keys():  # noqa: SIM118 - not a dict
        part = file.get_slice(name)
        yield name, f"{part.get_dtype()}{part.get_shape()}"


def _shape(tensor: torch.Tensor) -> str:
    return f"{TYPES[tensor.dtype]}{list(tensor.shape)}"


@contextmanager
def out_of_memory() -> Iterator[None]:
    """Where torch finds no memory, on a GPU or on the CPU, MemoryError in place of its RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or NO_MEMORY in str(error):
            raise MemoryError(str(error).partition("\n")[0]) from None
        raise


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch's sums are those of one thread, the same on every machine, and wait for no other load; whoever
    has asked torch for more threads has them again afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
