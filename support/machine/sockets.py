"""Sockets of servers, made before anything that takes long: a taken port is refused at once."""

import errno
import socket
from collections.abc import Sequence

from stichwerk.support.errors import InputError, quoted

ALL_ADDRESSES = {
    "0.0.0.0": "127.0.0.1",
    "::": "::1",
}  # of this machine, with the one at which it calls itself
Address = tuple[socket.AddressFamily, str]


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address of this machine, at which it can be reached.

    Args:
        host: an address, or a name of one
        port: the port there; 0: any that is free

    Raises:
        InputError: the port is taken; the message offers the next one that is not. Or there is no such
            address.
    """
    addresses, fault = _addresses(host)
    for address in addresses:
        try:
            return _reached(_bound(address, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise _taken(address, port) from None
            fault = _words(error)
    raise InputError(f"host: got {quoted(host)}; expected an address of this machine ({fault})")


def _addresses(host: str) -> tuple[Sequence[Address], str]:
    """The addresses that a host may mean, and why there are none, if that is so."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM) if host else []
    except (OSError, ValueError) as error:  # the latter of names that are none, such as 'a..b'
        return [], _words(error)
    # No link can name the zone of an address such as fe80::1%eth0, the last number beside it.
    usable = [(family, str(where[0])) for family, *_, where in found if len(where) < 4 or not where[-1]]
    return list(dict.fromkeys(usable)), "a link can name none" if found else "it names none"


def _words(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).partition(" (")[0]


def _bound(address: Address, port: int) -> socket.socket:
    family, name = address
    both = name in ALL_ADDRESSES and family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server((name, port), backlog=128, family=family, dualstack_ipv6=both)


def _reached(listener: socket.socket) -> socket.socket:
    """The same socket; OSError unless this machine reaches it, as for addresses of groups of machines."""
    name, port, *_ = listener.getsockname()
    try:
        socket.create_connection((ALL_ADDRESSES.get(name, name), port), timeout=5).close()
    except OSError:
        listener.close()
        raise
    return listener


def _taken(address: Address, port: int) -> InputError:
    free = next((other for other in range(port + 1, min(port + 100, 65_536)) if _is_free(address, other)), 0)
    expected = f"expected a free one, such as {free}: --port {free}"
    return InputError(f"port: got {port}, which is taken; {expected}")


def _is_free(address: Address, port: int) -> bool:
    try:
        _bound(address, port).close()
    except OSError:
        return False
    return True
