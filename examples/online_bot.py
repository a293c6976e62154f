"""A bot for the tables of a Cinq Mille server: it banks from 350 points on, and sets aside what brings most.

python examples/online_bot.py http://127.0.0.1:5000/t/TABLE Robo
"""

import json
import secrets
import sys
import time
import urllib.error
import urllib.request
from typing import Any

SERVER, _, TABLE = sys.argv[1].rstrip("/").rpartition("/t/")
SECRET = secrets.token_urlsafe(32)


def ask(path: str, body: object = None) -> Any:
    headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    while True:
        try:
            request = urllib.request.Request(f"{SERVER}/api/tables/{TABLE}{path}", data, headers)
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code == 409:  # something has happened since, or this was done already: look again
                return None
            if refused.code not in (429, 503):
                raise
            time.sleep(1)  # and ask the same again: nothing is done twice


me = ask("/seats", {"name": sys.argv[2], "secret": SECRET})["me"]
while (table := ask(""))["stage"] != "over":
    if table.get("to_play") != me:
        ask(f"/events?after={table['number']}&wait=20")
    elif table["keeps"]:
        ask("/actions", {"seen": table["number"], "actions": [table["keeps"][0]["action"]]})
    else:
        banks = "=" in table["legal"] and (table["turn_points"] >= 350 or "roll" not in table["legal"])
        ask("/actions", {"seen": table["number"], "actions": ["=" if banks else "roll"]})
print("Won!" if me in table["winners"] else "Lost.")
