"""Makes the calls of a file with the Python client, and prints the answers as JSON: `same_calls.py FILE`."""

import json
import os
import re
import sys
from typing import Any

from mnemograph_client import Client, ProblemError

answers: list[Any] = []


def resolved(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: resolved(each) for name, each in value.items()}
    if isinstance(value, list):
        return [resolved(each) for each in value]
    if not isinstance(value, str) or not (found := re.fullmatch(r"\$(\d+)\.(.+)", value)):
        return value
    place = answers[int(found[1])]
    for name in found[2].split("."):
        place = place[int(name)] if isinstance(place, list) else place[name]
    return place


with Client(os.environ["TEST_URL"], os.environ["TEST_KEY"], tenant=os.environ["TEST_TENANT"]) as client:
    with open(sys.argv[1]) as file:
        calls = json.load(file)
    for name, fields in calls:
        method = getattr(client, re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name))
        try:
            answers.append(method(**resolved(fields)))
        except ProblemError as error:
            answers.append({"problem": error.code, "status": error.status, "detail": error.problem["detail"]})
print(json.dumps(answers))
