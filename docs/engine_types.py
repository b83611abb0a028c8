"""The engine protocol's messages as types of TypeScript, from its JSON Schema."""

import json
from typing import Any

from stichwerk.agents.external.protocol import schema

NAMES = {"error": "EngineError"}
UNIONS = {"FromHost": ("game", "act", "end"), "FromEngine": ("ready", "move", "error")}
NUMBERS = {"integer": "number"}


def engine_types() -> str:
    """The module of types: each definition of the schema, and what host and engine may send."""
    definitions = schema()["$defs"]
    wants = definitions["ready"]["properties"]["wants"]["items"]
    lines = [
        "// The messages of the engine protocol: written by `docs/generate.py` of their JSON Schema.",
        "",
    ]
    for name, each in {**definitions, "want": wants}.items():
        lines += [*_comment(each), f"export type {_name(name)} = {_type(each)};", ""]
    lines += [f"export type {name} = {_union(map(_name, kinds))};" for name, kinds in UNIONS.items()]
    return "\n".join(lines) + "\n"


def _name(key: str) -> str:
    return NAMES.get(key, key.capitalize())


def _union(types: Any) -> str:
    return " | ".join(dict.fromkeys(types))


def _comment(part: dict[str, Any], indent: str = "") -> list[str]:
    return [f"{indent}/** {part['description']} */"] if "description" in part else []


def _type(part: dict[str, Any], indent: str = "") -> str:
    """The type of what a part of the schema describes."""
    if "$ref" in part:
        return _name(part["$ref"].rpartition("/")[2])
    if "const" in part or "enum" in part:
        return _union(map(json.dumps, part.get("enum") or [part["const"]]))
    if "anyOf" in part:
        return _union(_type(each, indent) for each in part["anyOf"])
    if part["type"] == "array":
        if "prefixItems" in part:
            return f"[{', '.join(_type(each, indent) for each in part['prefixItems'])}]"
        item = _type(part["items"], indent)
        return f"({item})[]" if "|" in item and item[0] not in "[{" else f"{item}[]"
    if part["type"] == "object":
        return _object(part, indent) if "properties" in part else "Record<string, unknown>"
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    return _union(NUMBERS.get(kind, kind) for kind in kinds)


def _object(part: dict[str, Any], indent: str) -> str:
    inner, lines = f"{indent}  ", ["{"]
    for name, each in part["properties"].items():
        mark = "" if name in part["required"] else "?"
        lines += [*_comment(each, inner), f"{inner}{name}{mark}: {_type(each, inner)};"]
    return "\n".join([*lines, f"{indent}}}"])
