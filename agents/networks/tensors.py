"""Files of tensors from outside; torch's lack of memory as Python's own; and torch's threads."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch

from stichwerk.agents.networks.arrays import Shape, read_arrays

NO_MEMORY = "can't allocate memory"  # in the words of torch's allocator for the CPU, whose error has no type
KINDS = {torch.float32: "F32", torch.int64: "I64", torch.uint8: "U8"}


def read_tensors(
    path: Path, like: Mapping[str, torch.Tensor], about: Mapping[str, str] | None = None
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Read a safetensors file of tensors like these, as `read_arrays` does."""
    shapes = {name: Shape(KINDS[tensor.dtype], tuple(tensor.shape)) for name, tensor in like.items()}
    arrays, metadata = read_arrays(path, shapes, about)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, metadata


@contextmanager
def out_of_memory() -> Iterator[None]:
    """Raise MemoryError instead of torch's RuntimeError where a GPU or the CPU has no memory left."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or NO_MEMORY in str(error):
            raise MemoryError(str(error).partition("\n")[0]) from None
        raise


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute with one thread. Its sums are then the same on every machine, and wait for no other
    load. The number of threads is restored afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
