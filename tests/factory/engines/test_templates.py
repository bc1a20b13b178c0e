"""The files by which an engine is started elsewhere are read by their formats, and their commands exist."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from factory.cli import parser

FOLDER = Path(__file__).parents[3] / "templates" / "engine"


def kubernetes() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


def commands() -> list[list[str]]:
    containers = [
        container
        for document in kubernetes()
        if document["kind"] == "Deployment"
        for container in document["spec"]["template"]["spec"]["containers"]
    ]
    docker = (FOLDER / "Dockerfile").read_text()
    entry, words = (
        json.loads(found) for found in re.findall(r"^(?:ENTRYPOINT|CMD) (\[.*\])$", docker, re.MULTILINE)
    )
    (slurm,) = re.findall(r"^exec srun (.*)$", (FOLDER / "slurm.sh").read_text(), re.MULTILINE)
    return [
        *(["engine", *container["args"]] for container in containers),
        [*entry[1:], *words],
        shlex.split(slurm)[1:],
    ]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_their_commands_exist(words: list[str]) -> None:
    assert parser().parse_args(words).act in ("scheduler", "worker")


def test_what_the_manifest_names_is_in_it() -> None:
    documents = kubernetes()
    names = {(document["kind"], document["metadata"]["name"]) for document in documents}
    for document in documents:
        if document["kind"] != "Deployment":
            continue
        pod = document["spec"]["template"]
        assert document["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
        (container,) = pod["spec"]["containers"]
        (source,) = container["envFrom"]
        assert ("ConfigMap", source["configMapRef"]["name"]) in names
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
    assert ("Service", "workorder-scheduler") in names
