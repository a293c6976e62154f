"""The API is what its description says: programs made from it at random, against real tables, never make it fail."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from cinqmille.web import make_app
from cinqmille.web.api import make_api
from cinqmille.web.app import Options
from fitting import fits
from test_api import SECRETS, begun, opened


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = make_app(tmp_path_factory.mktemp("api") / "tables.sqlite3", Options(limits=0))
    with TestClient(app, base_url="http://cinq.test") as client:
        yield client


def _valid(found: Any) -> Any:
    return found.ok()


DESCRIBED = schemathesis.openapi.from_dict(make_api().openapi())
OPERATIONS: dict[str, Any] = {found.label: found for found in map(_valid, DESCRIBED.get_all_operations())}


@pytest.fixture(scope="module")
def tables(client: TestClient) -> list[str]:
    """A table where people gather, one that is played, and one that is not there."""
    return [opened(client, 3)[0].id, begun(client, 3)[0].id, begun(client, 2, chains=True)[0].id, "no-such-table"]


@pytest.mark.parametrize("label", OPERATIONS)
def test_no_request_makes_the_server_fail_and_every_refusal_says_why(
    label: str, client: TestClient, tables: list[str]
) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=OPERATIONS[label].as_strategy(), at=st.sampled_from(tables), secret=st.sampled_from([*SECRETS, ""]))
    def asked(case: Any, at: str, secret: str) -> None:
        path = case.operation.path
        id = tables[-1] if path.endswith("/live") else at  # a stream of a table that is there has no end
        for name, value in case.path_parameters.items():
            path = path.replace(f"{{{name}}}", id if name == "id" else quote(str(value), safe=""))
        query = {name: value for name, value in case.query.items() if name != "wait"}
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        sent: dict[str, Any] = {"json": case.body} if isinstance(case.body, dict | list | str | int | None) else {}
        answer = client.request(case.method, f"/api{path}", params=query, headers=headers, **sent)
        assert answer.status_code < 500, answer.text
        if answer.status_code not in (404, 405) or path.startswith(f"/tables/{id}"):
            fits(case.method, case.operation.path, answer)
        if answer.status_code >= 400:
            error = answer.json()["error"]
            assert error["code"]
            assert error["message"].endswith((".", "?"))

    asked()
