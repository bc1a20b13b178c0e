"""The services of an answer in the form that a plan keeps.

A model writes what a service sets as a list of names and values, as strict schemas have no free keys.
"""

from factory.contract.strict_json import JsonObject, JsonValue


def with_services(document: JsonValue) -> JsonValue:
    """An answer whose services set variables as a plan says it; without any, or null, without the field.

    Args:
        document: the answer as it was read. What is of another form stays for the schema.
    """
    if not isinstance(document, dict) or "services" not in document:
        return document
    services = document["services"]
    if services is None:
        return {name: value for name, value in document.items() if name != "services"}
    if not isinstance(services, list):
        return document
    return {**document, "services": [_kept(service) for service in services]}


def _kept(service: JsonValue) -> JsonValue:
    if not isinstance(service, dict) or not isinstance(pairs := service.get("set"), list):
        return service
    variables: JsonObject = {}
    for pair in pairs:
        name = pair.get("name") if isinstance(pair, dict) else None
        if not isinstance(pair, dict) or not isinstance(name, str) or set(pair) != {"name", "value"}:
            return service
        if name in variables:
            return service
        variables[name] = pair["value"]
    return {**service, "set": variables}
