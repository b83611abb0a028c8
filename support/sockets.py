"""Sockets of servers, made before anything that takes long: a taken port is refused at once."""

import errno
import socket

from stichwerk.support.errors import InputError, quoted


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address of this machine.

    Raises:
        InputError: the port is taken; the message offers the next one that is not. Or there is no such
            address.
    """
    try:
        return socket.create_server((host, port), backlog=128, family=_family(host))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            fault = error.strerror or str(error)
            expected = f"expected an address of this machine ({fault.partition(' (')[0]})"
            raise InputError(f"host: got {quoted(host)}; {expected}") from None
    free = next((other for other in range(port + 1, min(port + 100, 65_536)) if _is_free(host, other)), 0)
    raise InputError(f"port: got {port}, which is taken; expected a free one, such as {free}: --port {free}")


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _is_free(host: str, port: int) -> bool:
    try:
        socket.create_server((host, port), family=_family(host)).close()
    except OSError:
        return False
    return True
