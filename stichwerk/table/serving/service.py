"""A server of tables with its options, so that another process can take it over."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from stichwerk.support.errors import InputError, quoted
from stichwerk.table.compiling import is_interpreted
from stichwerk.table.records.keeper import Keeper
from stichwerk.table.records.recorder import Recorder
from stichwerk.table.serving.rooms import PATIENCE, Rooms


@dataclass(frozen=True, kw_only=True)
class Service:
    """The settings of a server of tables.

    Attributes:
        hosts: the names that requests may call it by, such as 127.0.0.1:8765
        studied: the texts of agents that people may ask for ratings, besides the usual ones
        patience: seconds after which an agent counts as one that does not answer
        record: the file of the record; empty: none is written
        keep: the folder of the tables; empty: they end with the process
        public: the address at which a proxy is asked for the pages, such as https://example.org/cards; empty:
            there is no proxy
        language: of pages on which nobody has chosen another, by its code; empty: that of the browser
    """

    hosts: tuple[str, ...]
    studied: tuple[str, ...] = ()
    patience: float = PATIENCE
    record: str = ""
    keep: str = ""
    public: str = ""
    language: str = ""

    def as_data(self) -> dict[str, Any]:
        """The same as values that JSON can hold."""
        return asdict(self)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Service":
        lists = {name: tuple(content[name]) for name in ("hosts", "studied")}
        return cls(**{**content, **lists})

    def rooms(self, recorder: Recorder | None = None) -> Rooms:
        """Its tables: none yet."""
        rooms = Rooms(studied=self.studied, patience=self.patience)
        rooms.warms_up = not is_interpreted()
        rooms.recorder, rooms.keeper = recorder, Keeper(Path(self.keep)) if self.keep else None
        return rooms

    @property
    def address(self) -> str:
        """The beginning of its links."""
        return self.public or f"http://{self.hosts[0]}"

    @property
    def origins(self) -> frozenset[str]:
        """The origins of its own pages."""
        public = {urlsplit(self.public)._replace(path="").geturl()} if self.public else set[str]()
        return frozenset({f"http://{host}" for host in self.hosts} | public)

    @property
    def called(self) -> frozenset[str]:
        """The names in the header `Host` of requests."""
        return frozenset({*self.hosts, *([urlsplit(self.public).netloc] if self.public else [])})

    @property
    def prefix(self) -> str:
        """The path of its address, which a proxy may leave in requests."""
        return urlsplit(self.public).path if self.public else ""


def check_public(text: str) -> str:
    """A public address without a slash at its end; InputError unless it is one."""
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or "@" in text or "?" in text or "#" in text or text != text.lower().strip():
        raise InputError(f"public: got {quoted(text)}; expected an address such as https://example.org/cards")
    return text.rstrip("/")
