"""A server of tables as it was asked for, so that another process can go on with it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

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
        public: the address by which a proxy hands requests on, such as https://example.org/cards; empty: none
        proxies: the addresses of proxies whose `Forwarded` headers are believed
    """

    hosts: tuple[str, ...]
    studied: tuple[str, ...] = ()
    patience: float = PATIENCE
    record: str = ""
    keep: str = ""
    public: str = ""
    proxies: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The same as values that JSON can hold."""
        return asdict(self)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Service":
        return cls(
            **{name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
        )

    def rooms(self) -> Rooms:
        """Its tables: none yet."""
        return Rooms(studied=self.studied, patience=self.patience)
