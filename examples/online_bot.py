"""A bot that plays at a table of a Cinq Mille server through its open API; standard library only.

    python examples/online_bot.py http://127.0.0.1:5000/t/TABLE Robo

It sits down under its name, banks from 350 points on, and otherwise sets aside the most points and rolls on.
"""

import json
import secrets
import sys
import urllib.request
from typing import Any

ADDRESS, NAME = sys.argv[1], sys.argv[2]
SERVER, _, TABLE = ADDRESS.rstrip("/").rpartition("/t/")
SECRET = secrets.token_urlsafe(32)


def ask(path: str, body: object = None) -> Any:
    request = urllib.request.Request(
        f"{SERVER}/api/tables/{TABLE}{path}", headers={"Authorization": f"Bearer {SECRET}"}
    )
    if body is not None:
        request.data, request.headers["Content-type"] = json.dumps(body).encode(), "application/json"
    return json.load(urllib.request.urlopen(request))


me = ask("/seats", {"name": NAME, "secret": SECRET})["me"]
while (table := ask(""))["stage"] != "over":
    if table.get("to_play") != me:
        ask(f"/events?after={table['number']}&wait=20")
        continue
    legal = table["legal"]
    if "=" in legal and (table["turn_points"] >= 350 or "roll" not in legal):
        action = "="
    else:
        action = "roll" if "roll" in legal else table["keeps"][0]["action"]
    ask("/actions", {"seen": table["number"], "actions": [action]})
print("Won!" if me in table["winners"] else "Lost.")
