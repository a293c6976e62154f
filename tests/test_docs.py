"""The documentation says what the code does: generated pages are current, and the examples run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cinqmille import PARAMETERS, Rules, Sheet, replay

ROOT = Path(__file__).parents[1]


def test_the_page_of_parameters_is_what_the_script_writes() -> None:
    made = subprocess.run([sys.executable, ROOT / "scripts" / "docs", "--print"], capture_output=True, check=True)
    assert (ROOT / "docs" / "parameters.md").read_bytes() == made.stdout
    assert all(f"`{parameter.name}`" in made.stdout.decode() for parameter in PARAMETERS)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example: Path) -> None:
    assert subprocess.run([sys.executable, example], capture_output=True, check=True).stdout


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_rule_file_in_the_documentation_can_be_read() -> None:
    (text,) = _blocks("house-rules.md", "toml")
    expected = Rules.parse("cinq-des(entry=500, equal_scores=fall, AAAA=200*A, 1111=2000, 12345=none)")
    assert Sheet.from_toml(text, name="maison").rules == expected


def test_the_record_in_the_documentation_can_be_replayed() -> None:
    record, position = _blocks("records.md", "text")
    assert replay(record).position.scores == (700, 1800)
    assert position.startswith("scores=")


def test_links_between_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
